"""Who sits where at the fake table: opposites chosen, seats drawn (R9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2
from gouji_client.testing.refusals import Refusal

if TYPE_CHECKING:
    from collections.abc import MutableSequence, Sequence

    import gouji_rules as gr

SEATS = 6


def pick(players: Sequence[lobby_pb2.Player], wanted: int | None, account: str = "") -> int:
    """Return the free seat for who wants `wanted` (None: any). Raises `Refusal`."""
    kept = next((player.seat for player in players if account and player.reserved_for == account), None)
    if kept is not None:
        if wanted not in (None, kept):
            raise _no_seat("SEAT_RESERVED", f"seat {kept} is kept for you", f"{kept}号座位为你保留")
        return kept
    free = [player.seat for player in players if not player.account and not player.bot]
    if wanted is None:
        open_to_all = [seat for seat in free if not players[seat].reserved_for]
        if not open_to_all:
            raise _no_seat("TABLE_FULL", "all six seats are taken", "六个座位都有人了")
        return open_to_all[0]
    if wanted not in free:
        raise _no_seat("SEAT_TAKEN", "the seat is taken", "座位已有人")
    if players[wanted].reserved_for:
        raise _no_seat("SEAT_RESERVED", "the seat is kept for somebody", "座位为他人保留")
    return wanted


def not_welcome() -> Refusal:
    """Return the refusal of who is banned or blocked; which, nobody is told."""
    text = "the table's owner does not let you in"
    return Refusal(grpc.StatusCode.PERMISSION_DENIED, "NOT_WELCOME", text, "桌主不让你入座")


def _no_seat(reason: str, text_en: str, text_zh: str) -> Refusal:
    return Refusal(grpc.StatusCode.FAILED_PRECONDITION, reason, text_en, text_zh)


def order_of_choice(
    rules: gr.RuleSet, players: MutableSequence[lobby_pb2.Player], seat: int, wanted: int
) -> list[int] | None:
    """Mark `seat` and `wanted` as a chosen pair and return where everybody goes; None where they are one already.

    Raises `Refusal`.
    """
    to = (wanted + 3) % SEATS
    if rules.seating != "choose_opposite":
        raise _refusal("NO_CHOOSING", "nobody chooses an opposite here", "本桌不选对头")
    if wanted == seat:
        raise _refusal("CHOOSE_ANOTHER", "one chooses another seat", "只能选其他座位")
    if not 0 <= wanted < SEATS or not (players[wanted].account or players[wanted].bot):
        raise _refusal("NOBODY_THERE", "nobody sits there", "那里没有人")
    if players[wanted].opposite_chosen and to != seat:
        raise _refusal("OPPOSITE_TAKEN", "that seat has a chosen opposite already", "对方已有选定的对头")
    if players[seat].opposite_chosen and to == seat:
        return None
    players[(seat + 3) % SEATS].opposite_chosen = False
    players[wanted].opposite_chosen = players[seat].opposite_chosen = True
    for player in players:
        player.ready = bool(player.bot)
    order = list(range(SEATS))
    order[seat], order[to] = to, seat
    return order


def move(
    players: MutableSequence[lobby_pb2.Player], order: Sequence[int], chooser: int | None
) -> events_pb2.TableEvent:
    """Move everybody, from seat i to seat `order[i]`, and return the event that tells it."""
    before = [lobby_pb2.Player.FromString(player.SerializeToString()) for player in players]
    for seat, player in zip(order, before, strict=True):
        player.seat = seat
        if player.bot:
            player.display_name = f"{player.bot} {seat}"
        players[seat].CopyFrom(player)
    event = events_pb2.TableEvent()
    moved = event.seats_moved
    moved.players.extend(players)
    if chooser is None:
        moved.reason = events_pb2.SEATS_MOVED_REASON_DRAWN
    else:
        moved.reason = events_pb2.SEATS_MOVED_REASON_OPPOSITE_CHOSEN
        moved.chooser = chooser
    return event


def _refusal(reason: str, text_en: str, text_zh: str) -> Refusal:
    return Refusal(grpc.StatusCode.FAILED_PRECONDITION, reason, text_en, text_zh, rule="R9")
