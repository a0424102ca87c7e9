"""The tables of the fake server: the one that it was made with, and those that clients make."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import grpc

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2
from gouji_client.testing.fake_setting import NAME
from gouji_client.testing.fake_table import FakeTable
from gouji_client.testing.refusals import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import gouji_rules as gr
    from gouji_client.clock import Clock

_SYMBOLS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"


class Hall:
    """Tables by name. `on_change` is called whenever one of them changes."""

    def __init__(self, first: FakeTable, clock: Clock) -> None:
        self.first = first
        self.codes: dict[str, str] = {}
        """The join codes of private tables, by their names."""
        self.rematches: dict[str, str] = {}
        """Names of rematches, by the tables that are played again."""
        self.on_change: Callable[[], None] = lambda: None
        self._clock = clock
        self._tables = {NAME: first}
        self._reserved_until: dict[str, float] = {}
        self._codes_drawn = 0
        self._matched: set[str] = set()
        first.on_change = self._changed

    def __iter__(self) -> Iterator[FakeTable]:
        """All tables, the newest first."""
        return reversed(self._tables.values())

    def get(self, name: str) -> FakeTable:
        """Return a table. Raises `Refusal`."""
        self._end_reservations()
        if name not in self._tables:
            raise not_found()
        return self._tables[name]

    def shown(self, name: str, account: str, code: str = "") -> FakeTable:
        """Return a table to who may know of it. Raises `Refusal`."""
        table = self.get(name)
        known = account == table.info.owner or any(
            account in (player.account, player.reserved_for) for player in table.info.players
        )
        if name in self.codes and not known and code_of(code) != self.codes[name]:
            raise not_found()
        return table

    def open(self, rules: gr.RuleSet, deals: int) -> FakeTable:
        """Make a table with six free seats."""
        number = len(self._tables) + 1
        first = self.first.setting
        setting = replace(
            first, name=f"{NAME}-{number}", seats=tuple(range(6)), deals=deals, seed=first.seed + number, rules=rules
        )
        table = FakeTable(replace(setting, hands=None, lead=0))
        table.on_change = self._changed
        self._tables[table.name] = table
        return table

    def reserve(self, table: FakeTable, seats: Mapping[int, str], seconds: float, *, matched: bool = False) -> None:
        """Keep free seats for their players, for so long; one that was `matched` has to begin until then."""
        until = self._clock.time() + seconds
        if matched:
            self._matched.add(table.name)
        self._reserved_until[table.name] = until
        for seat, account in seats.items():
            table.info.players[seat].CopyFrom(lobby_pb2.Player(seat=seat, reserved_for=account))
        table.info.reserved_until.FromNanoseconds(round(until * 1e9))
        table.tell_info()

    def draw_code(self, table: FakeTable) -> str:
        """Draw a join code for a table, another one each time; the one before opens nothing any more."""
        code = self.codes[table.name] = self.new_code()
        return code

    def new_code(self) -> str:
        """Draw a join code."""
        drawn = hashlib.sha256(f"{self.first.setting.seed}/{self._codes_drawn}".encode()).digest()
        self._codes_drawn += 1
        return "".join(_SYMBOLS[byte % len(_SYMBOLS)] for byte in drawn[:6])

    def find(self, code: str) -> FakeTable:
        """Return the open table that a join code opens. Raises `Refusal`."""
        name = next((name for name, known in self.codes.items() if known == code_of(code)), "")
        table = self.get(name)
        if table.over:
            raise not_found()
        return table

    def _end_reservations(self) -> None:
        now = self._clock.time()
        for name in [name for name, until in self._reserved_until.items() if now >= until]:
            del self._reserved_until[name]
            table = self._tables[name]
            if name not in self._matched:
                table.unreserve()
            elif table.info.state == lobby_pb2.TABLE_STATE_WAITING:
                table.close(events_pb2.CLOSE_REASON_NOT_READY)

    def _changed(self) -> None:
        self.on_change()


def code_of(said: str) -> str:
    """Return a join code as it is written: spaces, hyphens and small letters do not matter."""
    return said.upper().replace(" ", "").replace("-", "")


def is_code(said: str) -> bool:
    """Whether there can be such a join code."""
    code = code_of(said)
    return len(code) == 6 and set(code) <= set(_SYMBOLS)


def not_found() -> Refusal:
    """Return the refusal of a table that is not there, or not for the caller to know."""
    return Refusal(grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND", "there is no such table", "没有这张桌子")
