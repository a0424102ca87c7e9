"""What the engine tells, in the words in which the second machine tells it; of each event all that it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gouji_rules as gr
from tests.rules.reference_plays import RANKS, canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

# How the first lead was fixed, who revolted, what a deal leaves: compared as public facts and results instead.
ELSEWHERE = (
    gr.CardsShown,
    gr.LeadFixed,
    gr.RevolutionSettled,
    gr.DealVoided,
    gr.DealEnded,
    gr.ObligationsRecorded,
    gr.CardBought,
)


def rank(card: gr.Card | None) -> str:
    return "" if card is None else RANKS[gr.rank_of(card)]


def words(event: gr.Event) -> tuple[object, ...]:
    """One event."""
    match event:
        case gr.Played(seat, trick, manner, play, _, _, dead, last, headless):
            cards = canonical(gr.format_play(play))
            return ("played", seat, trick, manner.name.lower(), cards, dead, last, headless)
        case gr.Passed(seat):
            return ("passed", seat)
        case gr.Yielded(seat):
            return ("yielded", seat)
        case gr.WindAsked(seat):
            return ("asked for the wind", seat)
        case gr.WindowClosed():
            return ("nobody burned",)
        case gr.BurnEnded(burner, reason):
            return ("burn ended", burner, reason.name.lower().replace("_", " "))
        case gr.BurnSucceeded(burner, burned):
            return ("burn succeeded", burner, burned)
        case gr.Busted(seat, place):
            return ("busted", seat, place)
        case gr.Finished(seat, place):
            return ("finished", seat, place)
        case gr.MeleeBegan():
            return ("melee",)
        case gr.TrickEnded(owner, leader):
            return ("trick ended", owner, leader)
        case gr.HeadChosen(seat, keep):
            return ("head", seat, keep)
        case gr.Opened(seat):
            return ("opened", seat)
        case gr.Stifled(seat, by, busted):
            return ("stifled", seat, by, busted)
        case gr.SlamMade(seat):
            return ("slam", seat)
        case gr.Called(seat, blind):
            return ("called", seat, blind)
        case gr.PlacesSwapped(seats):
            return ("places swapped", *seats)
        case gr.TributePaid(payer, receiver, kind, owed, paid):
            return ("tribute paid", payer, receiver, kind, owed, "".join(rank(card) for card in paid))
        case gr.TributeRefused(receiver, payer, kind, owed):
            return ("tribute refused", payer, receiver, kind, owed)
        case gr.TributeWaived(payer, receiver, shown):
            return ("tribute waived", payer, receiver, rank(shown))
        case gr.CardReturned(receiver, payer, card):
            return ("returned", receiver, payer, rank(card))
        case gr.ReturnRefused(payer, receiver, card):
            return ("return refused", payer, receiver, rank(card))
        case _:
            return ("?", event)


def told_by_the_engine(events: Iterable[gr.Event]) -> list[tuple[object, ...]]:
    """Everything that happened, sorted: in which order it is told is the engine's choice."""
    return in_any_order(words(event) for event in events if not isinstance(event, ELSEWHERE))


def in_any_order(told: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return sorted(told, key=repr)
