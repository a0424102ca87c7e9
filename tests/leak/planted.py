"""Leaks planted in the engine, one a kind of hidden thing: the gate must find each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_rules import burning, calls, deal, first_lead, hold_three, opening, revolution, tribute, trick
from gouji_rules.cards import BIG, SMALL, TWO
from gouji_rules.returns import rank_given

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pytest

    from gouji_rules.actions import Action
    from gouji_rules.obligations import Obligation
    from gouji_rules.position import Position
    from gouji_rules.state import PublicState

LOSER: dict[str, object] = {"tribute": ("loser",)}
KILLS: dict[str, object] = {"burn": "off", "joker_kill": "full", "kill_anyone": True}


def _mask(pos: Position, holds: Callable[[Sequence[int]], bool]) -> int:
    return sum([1 << seat for seat in range(6) if holds(pos.hands[seat])])


def tell_stifling_early(patch: pytest.MonkeyPatch) -> None:
    """The stifled is public before it is out (R46)."""
    honest = hold_three.cover

    def leak(pos: Position, seat: int, manner: gr.Manner) -> int:
        busted = honest(pos, seat, manner)
        pos.public.stifled = pos.stifles
        return busted

    patch.setattr(hold_three, "cover", leak)


def leave_out_who_cannot_kill(patch: pytest.MonkeyPatch) -> None:
    """A window asks for a kill by ability (R15, R23)."""
    honest = burning.find_window

    def leak(pos: Position, others: int, passed: int) -> tuple[int, int]:
        burners, killers = honest(pos, others, passed)
        return burners, killers & _mask(pos, lambda hand: hand[BIG] > 0)

    patch.setattr(burning, "find_window", leak)


def leave_out_who_cannot_burn(patch: pytest.MonkeyPatch) -> None:
    """A window asks for a burn by ability (R23, R30)."""
    honest = burning.open_window

    def leak(pos: Position, window: int) -> None:
        honest(pos, window & _mask(pos, lambda hand: sum(hand[TWO:]) >= 4) or window)

    patch.setattr(burning, "open_window", leak)


def ask_only_who_may_revolt(patch: pytest.MonkeyPatch) -> None:
    """Who holds a 2 is not asked about revolution (R50)."""
    honest = revolution.ask_all

    def leak(pos: Position) -> None:
        honest(pos)
        without = _mask(pos, lambda hand: not hand[TWO] and not hand[SMALL])
        pos.public.asked = pos.waiting = without or 63

    patch.setattr(revolution, "ask_all", leak)


def ask_only_who_may_refuse(patch: pytest.MonkeyPatch) -> None:
    """Who holds the rank returned is not asked whether it refuses it (R73)."""
    honest = tribute.pick_return

    def leak(pos: Position, seat: int, action: Action) -> None:
        honest(pos, seat, action)
        if pos.public.kind == gr.Kind.REFUSE and pos.hands[pos.back[0].payer][rank_given(action)]:
            tribute.answer_return(pos, gr.ACCEPT)

    patch.setattr(tribute, "pick_return", leak)


def list_what_a_payer_lacks(patch: pytest.MonkeyPatch) -> None:
    """The ranks that a payer does not hold are barred for its return before they are picked (R73)."""
    honest = tribute._ask

    def leak(pos: Position, kind: gr.Kind, seats: int, verbs: int, due: Obligation) -> None:
        honest(pos, kind, seats, verbs, due)
        if kind == gr.Kind.RETURN:
            pos.public.barred = sum(1 << rank for rank in range(3) if not pos.hands[due.payer][rank])

    patch.setattr(tribute, "_ask", leak)


def ask_only_who_may_show(patch: pytest.MonkeyPatch) -> None:
    """Who has nothing to show is not asked (R5)."""
    honest = first_lead.ask_all

    def leak(pos: Position) -> None:
        honest(pos)
        pos.public.asked = pos.waiting = _mask(pos, lambda hand: hand[0] > 2) or 63

    patch.setattr(first_lead, "ask_all", leak)


def tell_who_holds_a_four(patch: pytest.MonkeyPatch) -> None:
    """The duty to lead a 4 shows only where there is one to lead (R43)."""
    honest = opening.owe_four

    def leak(pos: Position, seat: int) -> None:
        honest(pos, seat)
        pos.public.must_hold_four = pos.hands[seat][1] > 1

    patch.setattr(opening, "owe_four", leak)


def skip_who_cannot_follow(patch: pytest.MonkeyPatch) -> None:
    """A seat with nothing that beats is not asked to follow (R23)."""
    honest = trick.ask_next

    def leak(pos: Position, p: PublicState) -> None:
        honest(pos, p)
        seat = p.turn
        if p.kind == gr.Kind.FOLLOW and p.pending and not any(pos.hands[seat][10:]):
            trick.do_pass(pos, seat)

    patch.setattr(trick, "ask_next", leak)


def tell_who_has_answered(patch: pytest.MonkeyPatch) -> None:
    """A seat that has answered a common question is no longer named among those asked (R36)."""
    honest = deal.Deal.apply

    def leak(self: gr.Deal, seat: int, action: Action, cards: bytes | None = None) -> list[gr.Event]:
        events = honest(self, seat, action, cards)
        if self.pending(seat):
            self.public.trick += 1
        return events

    patch.setattr(deal.Deal, "apply", leak)


def tell_how_many_burned(patch: pytest.MonkeyPatch) -> None:
    """The number of those who burned in a window shows, not only the one whose burn stands (R32)."""
    honest = burning.burner_of_window

    def leak(pos: Position) -> int:
        pos.public.live_dead += sum(answer not in (None, gr.DECLINE) for answer in pos.answers)
        return honest(pos)

    patch.setattr(burning, "burner_of_window", leak)


def tell_who_would_waive(patch: pytest.MonkeyPatch) -> None:
    """Who of two allies agreed to waive shows although the other did not (R73)."""
    honest = tribute.settle_waiver

    def leak(pos: Position) -> None:
        agreed = sum(answer == gr.WAIVE for answer in pos.answers)
        honest(pos)
        pos.public.live_dead += agreed

    patch.setattr(tribute, "settle_waiver", leak)


def tell_who_does_not_call(patch: pytest.MonkeyPatch) -> None:
    """That a seat does not call shows before all have answered (R42)."""
    honest = calls.announce

    def leak(pos: Position, seat: int, answer: Action) -> None:
        honest(pos, seat, answer)
        if answer == gr.NO:
            pos.public.live_dead += 1

    patch.setattr(calls, "announce", leak)


PLANTED: list[tuple[Callable[[pytest.MonkeyPatch], None], str, dict[str, object], int]] = [
    (tell_stifling_early, "lianzhong", {}, 4),
    (tell_stifling_early, "chinagames", {"hold_three": True}, 0),
    (leave_out_who_cannot_kill, "competition", {}, 6),
    (leave_out_who_cannot_kill, "qingdao", KILLS, 0),
    (leave_out_who_cannot_burn, "qingdao", {}, 2),
    (leave_out_who_cannot_burn, "hokkaido", {}, 2),
    (leave_out_who_cannot_burn, "chinagames", {}, 5),
    (ask_only_who_may_revolt, "shandong", {}, 1),
    (ask_only_who_may_revolt, "lianzhong", {}, 38),
    (ask_only_who_may_refuse, "hokkaido", LOSER, 1),
    (ask_only_who_may_refuse, "qingdao", LOSER, 1),
    (list_what_a_payer_lacks, "shandong", {}, 2),
    (ask_only_who_may_show, "qingdao", {"show": "ask"}, 1),
    (tell_who_holds_a_four, "shandong", {"open_leads_four": True}, 8),
    (tell_who_holds_a_four, "competition", {"removed": ""}, 52),
    (skip_who_cannot_follow, "chinagames", {}, 0),
    (tell_who_has_answered, "qingdao", {}, 0),
    (tell_how_many_burned, "shandong", {}, 1),
    (tell_how_many_burned, "competition", {}, 2),
    (tell_who_would_waive, "shandong", {}, 1),
    (tell_who_does_not_call, "chinagames", {}, 5),
]
"""Each leak with rules under which there is something to tell, and the number of a deal that told it once."""
