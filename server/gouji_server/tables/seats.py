"""The six seats of a table: who sits there, and who may change it."""

from __future__ import annotations

from dataclasses import dataclass

from gouji.lobby.v1 import lobby_pb2
from gouji_server.tables.refusals import FAILED_PRECONDITION, INVALID_ARGUMENT, PERMISSION_DENIED, Refused

SEATS = 6


@dataclass(slots=True)
class Player:
    """A seat: free, a person's (``account``) or a built-in bot's (``bot``, its policy)."""

    seat: int
    account: str = ""
    name: str = ""
    bot: str = ""
    ready: bool = False

    @property
    def free(self) -> bool:
        """Whether nobody sits here."""
        return not self.account and not self.bot

    def to_proto(self) -> lobby_pb2.Player:
        """The seat as everybody may see it."""
        return lobby_pb2.Player(
            seat=self.seat, account=self.account, display_name=self.name, bot=self.bot, ready=self.ready
        )


class Seats:
    """Six players; ``bots`` is the mask of the seats with built-in bots."""

    __slots__ = ("_of_account", "bots", "players")

    def __init__(self) -> None:
        self.players = [Player(seat) for seat in range(SEATS)]
        self._of_account: dict[str, int] = {}
        self.bots = 0

    def seat_of(self, account: str) -> int:
        """Return the seat of a person, -1 for none."""
        return self._of_account.get(account, -1)

    @property
    def people(self) -> int:
        """How many people sit here."""
        return len(self._of_account)

    @property
    def all_ready(self) -> bool:
        """Whether all six seats are taken and ready."""
        return all(player.ready for player in self.players)

    def pick(self, wanted: int) -> int:
        """Return the free seat for somebody who wants `wanted` (-1: any). Raises Refused."""
        if wanted >= 0:
            if not self.players[wanted].free:
                raise _taken(wanted)
            return wanted
        for player in self.players:
            if player.free:
                return player.seat
        raise Refused(FAILED_PRECONDITION, "TABLE_FULL", "all six seats are taken", "六个座位都有人了")

    def sit(self, seat: int, account: str, name: str) -> Player:
        """Seat a person."""
        self._of_account[account] = seat
        self.players[seat] = Player(seat, account=account, name=name)
        return self.players[seat]

    def rise(self, account: str) -> Player:
        """Free a person's seat."""
        seat = self._of_account.pop(account)
        self.players[seat] = Player(seat)
        return self.players[seat]

    def set_ready(self, account: str, ready: bool) -> Player:
        """Note that a person is ready, or is not."""
        player = self.players[self._of_account[account]]
        player.ready = ready
        return player

    def add_bot(self, seat: int, policy: str) -> Player:
        """Seat a built-in bot, which is always ready."""
        self.players[seat] = Player(seat, name=f"{policy} {seat}", bot=policy, ready=True)
        self.bots |= 1 << seat
        return self.players[seat]


def check_seat(seat: int | None, field: str = "seat") -> int:
    """Return a seat asked for, -1 for none. Raises Refused for a number that is no seat."""
    if seat is None:
        return -1
    if not 0 <= seat < SEATS:
        raise Refused(
            INVALID_ARGUMENT,
            "BAD_SEAT",
            f"{seat} is no seat: seats are 0 to 5",
            f"{seat} 不是座位：座位是0到5",
            fields=((field, "0 to 5"),),
        )
    return seat


def no_seat() -> Refused:
    """Refuse somebody who has no seat to give up or to be ready in."""
    return Refused(FAILED_PRECONDITION, "NO_SEAT", "you have no seat at this table", "你不在这张桌上")


def not_owner() -> Refused:
    """Refuse a bot that somebody but the owner adds."""
    return Refused(PERMISSION_DENIED, "NOT_OWNER", "only the table's owner may add bots", "只有桌主可以加机器人")


def _taken(seat: int) -> Refused:
    return Refused(FAILED_PRECONDITION, "SEAT_TAKEN", f"seat {seat} is taken", f"{seat}号座位有人了")
