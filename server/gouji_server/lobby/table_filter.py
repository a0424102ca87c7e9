"""Which tables somebody wants to see in a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji.lobby.v1 import lobby_pb2 as pb

if TYPE_CHECKING:
    from gouji.lobby.v1.lobby_pb2 import ListTablesRequest, WatchTablesRequest

_OVER = frozenset({pb.TABLE_STATE_FINISHED, pb.TABLE_STATE_FROZEN})


@dataclass(frozen=True, slots=True)
class TableFilter:
    """What a table has to be like; what is left at its default asks for nothing. `text` is looked for in titles.

    Tables of owners in `shunned` are left out.
    """

    state: pb.TableState.ValueType = pb.TABLE_STATE_UNSPECIFIED
    with_free_seat: bool = False
    rule_set: str = ""
    text: str = ""
    without_bots: bool = False
    shunned: frozenset[str] = frozenset()

    @classmethod
    def of(cls, request: ListTablesRequest | WatchTablesRequest, shunned: frozenset[str] = frozenset()) -> TableFilter:
        """Return what a request asks for."""
        return cls(
            request.state,
            request.with_free_seat,
            request.rule_set,
            request.title_text.strip().casefold(),
            request.without_bots,
            shunned,
        )

    def question(self) -> tuple[str | int, ...]:
        """Return what a page token depends on."""
        return self.state, self.with_free_seat, self.rule_set, self.text, self.without_bots

    def matches(self, info: pb.Table) -> bool:
        """Whether a table is to be seen. A private one never is."""
        if info.private or info.owner in self.shunned:
            return False
        if info.state != self.state if self.state else info.state in _OVER:
            return False
        if self.rule_set and info.rule_set != self.rule_set:
            return False
        if self.text and self.text not in info.title.casefold():
            return False
        if self.with_free_seat and not any(_free(player) for player in info.players):
            return False
        return not self.without_bots or not any(player.bot or player.is_bot_account for player in info.players)


def _free(player: pb.Player) -> bool:
    return not (player.account or player.bot or player.reserved_for)
