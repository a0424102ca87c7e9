"""The six seats of a table: who sits there, and who may change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji.lobby.v1 import lobby_pb2
from gouji_server.tables.refusals import FAILED_PRECONDITION, INVALID_ARGUMENT, PERMISSION_DENIED, Refused

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

SEATS = 6


def opposite(seat: int) -> int:
    """Return the seat opposite (对头)."""
    return (seat + 3) % SEATS


@dataclass(slots=True)
class Player:
    """A seat: free, an account's (``account``) or a built-in bot's (``bot``, its policy).

    ``bot_account``: the account is a bot's own, played by a program from outside.
    ``reserved``: the account for which a free seat is kept; ``since`` when its account sat down (milliseconds).
    ``chosen``: this seat and its opposite are a pair because one of them chose the other (R9).
    """

    seat: int
    account: str = ""
    name: str = ""
    bot: str = ""
    ready: bool = False
    chosen: bool = False
    bot_account: bool = False
    reserved: str = ""
    since: int = 0

    @property
    def free(self) -> bool:
        """Whether nobody sits here."""
        return not self.account and not self.bot

    def to_proto(self) -> lobby_pb2.Player:
        """The seat as everybody may see it."""
        return lobby_pb2.Player(
            seat=self.seat,
            account=self.account,
            display_name=self.name,
            bot=self.bot,
            ready=self.ready,
            opposite_chosen=self.chosen,
            is_bot_account=self.bot_account,
            reserved_for=self.reserved,
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

    @property
    def accounts(self) -> Collection[str]:
        """Who sits here."""
        return self._of_account

    def longest_but(self, account: str) -> str:
        """Return which other person has sat here longest, empty for none."""
        people = [player for player in self.players if player.account not in ("", account)]
        return min(people, key=lambda player: (player.since, player.seat)).account if people else ""

    def kept_for(self, account: str) -> int:
        """Return the seat that is reserved for somebody, -1 for none."""
        return next((player.seat for player in self.players if account and player.reserved == account), -1)

    def reserve(self, seat: int, account: str) -> None:
        """Keep a free seat for somebody."""
        self.players[seat] = Player(seat, reserved=account)

    def let_go(self) -> tuple[Player, ...]:
        """End all reservations; return the seats that this changes."""
        changed = [player.seat for player in self.players if player.reserved]
        for seat in changed:
            self.players[seat] = Player(seat)
        return tuple(self.players[seat] for seat in changed)

    def pick(self, wanted: int, account: str = "") -> int:
        """Return the free seat for somebody who wants `wanted` (-1: any). Raises Refused.

        Somebody for whom a seat is reserved gets that one and no other.
        """
        kept = self.kept_for(account)
        if kept >= 0:
            if wanted not in (-1, kept):
                raise _kept(kept)
            return kept
        if wanted >= 0:
            if not self.players[wanted].free:
                raise _taken(wanted)
            if self.players[wanted].reserved:
                raise _reserved(wanted)
            return wanted
        for player in self.players:
            if player.free and not player.reserved:
                return player.seat
        raise Refused(FAILED_PRECONDITION, "TABLE_FULL", "all six seats are taken", "六个座位都有人了")

    def sit(self, seat: int, account: str, name: str, bot_account: bool = False, since: int = 0) -> Player:
        """Seat an account."""
        self._of_account[account] = seat
        self.players[seat] = Player(seat, account=account, name=name, bot_account=bot_account, since=since)
        return self.players[seat]

    def rise(self, account: str) -> tuple[Player, ...]:
        """Free a person's seat; return the seats that this changes, its own first."""
        seat = self._of_account.pop(account)
        parted = self._part(seat)
        self.players[seat] = Player(seat)
        return self.players[seat], *parted

    def _part(self, seat: int) -> tuple[Player, ...]:
        """A seat and its opposite are no chosen pair any more; return the opposite if they were one."""
        player, other = self.players[seat], self.players[opposite(seat)]
        if not player.chosen:
            return ()
        player.chosen = other.chosen = False
        return (other,)

    def set_ready(self, account: str, ready: bool) -> Player:
        """Note that a person is ready, or is not."""
        player = self.players[self._of_account[account]]
        player.ready = ready
        return player

    def check_choice(self, seat: int, wanted: int) -> None:
        """Raise Refused if who sits at ``seat`` cannot have the one at ``wanted`` as its opposite (R9)."""
        if wanted == seat:
            raise Refused(
                FAILED_PRECONDITION, "CHOOSE_ANOTHER", "one chooses another seat", "只能选其他座位", rule="R9"
            )
        if self.players[wanted].free:
            text_en, text_zh = f"nobody sits at seat {wanted}", f"{wanted}号座位没有人"
            raise Refused(FAILED_PRECONDITION, "NOBODY_THERE", text_en, text_zh, rule="R9")
        if self.players[wanted].chosen and opposite(wanted) != seat:
            text_en, text_zh = f"seat {wanted} has a chosen opposite already", f"{wanted}号座位已有选定的对头"
            raise Refused(FAILED_PRECONDITION, "OPPOSITE_TAKEN", text_en, text_zh, rule="R9")

    def choose(self, seat: int, wanted: int) -> int:
        """Seat who sits at ``seat`` opposite of ``wanted``; return where that is.

        Who sits there takes ``seat``. The people have to be ready anew.
        """
        self.check_choice(seat, wanted)
        to = opposite(wanted)
        if to != seat:
            self._part(seat)
            order = list(range(SEATS))
            order[seat], order[to] = to, seat
            self.move(order)
        self.players[to].chosen = self.players[wanted].chosen = True
        for player in self.players:
            player.ready = bool(player.bot)
        return to

    def move(self, order: Sequence[int]) -> None:
        """Move everybody: who sits at seat i goes to seat ``order[i]``. Raises ValueError if that is no such order."""
        if sorted(order) != list(range(SEATS)):
            raise ValueError(f"{order} is no order of six seats")
        for player, seat in zip(self.players, order, strict=True):
            player.seat = seat
            if player.bot:
                player.name = _bot_name(player.bot, seat)
        self.players.sort(key=lambda player: player.seat)
        self._of_account = {player.account: player.seat for player in self.players if player.account}
        self.bots = sum(1 << player.seat for player in self.players if player.bot)

    def add_bot(self, seat: int, policy: str) -> Player:
        """Seat a built-in bot, which is always ready."""
        self.players[seat] = Player(seat, name=_bot_name(policy, seat), bot=policy, ready=True)
        self.bots |= 1 << seat
        return self.players[seat]

    def remove_bot(self, seat: int) -> tuple[Player, ...]:
        """Free a built-in bot's seat; return the seats that this changes, its own first."""
        parted = self._part(seat)
        self.players[seat] = Player(seat)
        self.bots &= ~(1 << seat)
        return self.players[seat], *parted

    def not_ready(self) -> tuple[Player, ...]:
        """Have all people be ready anew; return the seats that this changes."""
        changed = tuple(player for player in self.players if player.ready and not player.bot)
        for player in changed:
            player.ready = False
        return changed

    def part_all(self) -> tuple[Player, ...]:
        """Have nobody be half of a chosen pair; return the seats that this changes."""
        changed = tuple(player for player in self.players if player.chosen)
        for player in changed:
            player.chosen = False
        return changed


def _bot_name(policy: str, seat: int) -> str:
    return f"{policy} {seat}"


def check_seat(seat: int | None, field: str = "seat") -> int:
    """Return a seat asked for, -1 for none. Raises Refused for a number that is no seat."""
    if seat is None:
        return -1
    if not 0 <= seat < SEATS:
        raise Refused(
            INVALID_ARGUMENT,
            "BAD_SEAT",
            f"{seat} is no seat: seats are 0 to 5",
            f"{seat} 不是座位：座位是 0 到 5",
            fields=((field, "0 to 5"),),
        )
    return seat


def no_seat() -> Refused:
    """Refuse somebody who has no seat to give up or to be ready in."""
    return Refused(FAILED_PRECONDITION, "NO_SEAT", "you have no seat at this table", "你不在这张桌上")


def not_owner() -> Refused:
    """Refuse what only the owner may do."""
    return Refused(PERMISSION_DENIED, "NOT_OWNER", "only the table's owner may do this", "只有桌主可以这样做")


def _reserved(seat: int) -> Refused:
    text_en, text_zh = f"seat {seat} is kept for somebody else for now", f"{seat}号座位暂为他人保留"
    return Refused(FAILED_PRECONDITION, "SEAT_RESERVED", text_en, text_zh)


def _kept(seat: int) -> Refused:
    text_en, text_zh = f"seat {seat} is kept for you: take that one", f"{seat}号座位为你保留：请坐那里"
    return Refused(FAILED_PRECONDITION, "SEAT_RESERVED", text_en, text_zh)


def _taken(seat: int) -> Refused:
    return Refused(FAILED_PRECONDITION, "SEAT_TAKEN", f"seat {seat} is taken", f"{seat}号座位有人了")
