"""The memory of request ids: the same id with the same body gets the same answer and is not carried out twice.

Only commands that were carried out are remembered: a refused one changed nothing, and its id may be used again. The
memory is part of what a table's journal says, so it outlives a restart. Ids of moves are kept for the running deal and
the one before (a move that ends a deal starts the next at once, and its sender must be able to ask again); ids of
lobby commands until there are too many.
"""

from __future__ import annotations

import dataclasses
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import gouji_rules as gr
from gouji_server.tables.refusals import used_id

if TYPE_CHECKING:
    from gouji_server.tables import inputs

Key: TypeAlias = tuple[str, str, str]
"""Account, method, request id. The table is the memory's owner."""


class Answer(NamedTuple):
    """What a command was answered: `body` its hash, `version` for what is said at a table, `seat` and `table` for lobby
    commands, `code` a join code,
    `felt` the least and most cards of a hand that was felt, `told` the count that all heard (R80; None: more
    than ten)."""

    body: bytes
    version: int = 0
    seat: int = -1
    table: bytes = b""
    felt: tuple[int, int] = (0, 0)
    told: int | None = None
    code: str = ""


def body_hash(*parts: object) -> bytes:
    """Hash the parts of a request's body."""
    return blake2b(repr(parts).encode(), digest_size=8).digest()


def created_body(entry: inputs.Created) -> bytes:
    """Hash what the maker of a table said: options in any order, and defaults spelt out or not, are the same rules."""
    rules = gr.preset(entry.rules).replace(**entry.options)
    removed = gr.parse_ranks(rules.removed)
    rules = dataclasses.replace(rules, removed="")
    said: tuple[object, ...] = (
        rules,
        removed,
        entry.title,
        entry.deals,
        entry.decision_ms,
        entry.bank_ms,
        entry.spectators,
        entry.seat,
    )
    if entry.private:
        said += ("private",)
    said += tuple(value for value in (entry.spectator_delay_ms, entry.most_spectators) if value)
    said += tuple(
        word
        for word, on in (("team_chat", entry.team_chat), ("no_hints", not entry.hints), ("rated", entry.rated))
        if on
    )
    return body_hash(*said)


def join_body(wanted: int, code: str) -> bytes:
    """Hash what somebody who takes a seat said."""
    return body_hash(wanted, code) if code else body_hash(wanted)


class RequestMemory:
    """See the module."""

    __slots__ = ("_before", "_deal", "_lobby", "_most_lobby", "newest")

    def __init__(self, most_lobby: int) -> None:
        self.newest = Answer(b"")
        """What was remembered last."""
        self._deal: dict[Key, Answer] = {}
        self._before: dict[Key, Answer] = {}
        self._lobby: dict[Key, Answer] = {}
        self._most_lobby = most_lobby

    def find(self, key: Key, body: bytes) -> Answer | None:
        """Return what was answered, or None for a new id; raises ALREADY_EXISTS for another body."""
        known = self._deal.get(key) or self._before.get(key) or self._lobby.get(key)
        if known is not None and known.body != body:
            raise used_id()
        return known

    def keep_move(self, key: Key, answer: Answer) -> None:
        """Remember a move of the running deal, or what else was said during it."""
        self._deal[key] = self.newest = answer

    def keep_lobby(self, key: Key, answer: Answer) -> None:
        """Remember a lobby command, forgetting the oldest beyond the limit."""
        self._lobby[key] = self.newest = answer
        if len(self._lobby) > self._most_lobby:
            del self._lobby[next(iter(self._lobby))]

    def next_deal(self) -> None:
        """Forget the moves of the deal before the one that just ended."""
        self._before = self._deal
        self._deal = {}
