"""What happened, told in a record's words: one event as one step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji_rules.cards import SUIT_NAMES, format_cards, rank_of, suit_of
from gouji_rules.events import (
    BurnEnded,
    BurnSucceeded,
    Busted,
    Called,
    CardBought,
    CardReturned,
    CardsShown,
    CountTold,
    DealEnded,
    DealVoided,
    Felt,
    Finished,
    HeadChosen,
    LeadFixed,
    MatchDissolved,
    MeleeBegan,
    ObligationsRecorded,
    Opened,
    Passed,
    PlacesSwapped,
    Played,
    ReturnRefused,
    RevolutionSettled,
    SlamMade,
    Stifled,
    TributePaid,
    TributeRefused,
    TributeWaived,
    WindAsked,
    Yielded,
)
from gouji_rules.plays import format_play

if TYPE_CHECKING:
    from gouji_rules.events import Event


@dataclass(frozen=True, slots=True)
class ShownStep:
    """One thing that happened.

    ``seat`` -1 for none; ``what`` a word such as ``lead``, ``follow``, ``burn``, ``pass``, ``finished``; ``play`` in
    R-notation or empty; ``notes`` such as ``gouji``, ``dead``, ``last``, ``headless``, ``place 1``.
    """

    seat: int
    what: str
    play: str = ""
    notes: tuple[str, ...] = ()


WORDS = (
    "lead|follow|burn|kill|pass|yield|wind|burn over|burn succeeded|busted|finished|show|first lead|revolt|head keep"
    "|head drop|void|melee|deal over|swaps|call blind|call open|buy|pay|refuse tribute|waived|return|refuse|owed|opened"
    "|stifled|slam|ask|feel|dissolved"
)
"""Everything that :attr:`ShownStep.what` may be, as a pattern."""


def step_of(event: Event) -> ShownStep | None:
    """One event as a step; None for those that say nothing to a reader."""
    step = _step_of_play(event) or _step_of_tribute(event) or _step_out_of_turn(event)
    if step is not None:
        return step
    match event:
        case CardsShown(seat, cards):
            suit = SUIT_NAMES[suit_of(cards[0])]
            return ShownStep(seat, "show", "3" * len(cards) if rank_of(cards[0]) == 0 else "", (suit,))
        case LeadFixed(seat, reason):
            return ShownStep(seat, "first lead", notes=(reason.name.lower(),))
        case RevolutionSettled(seats) if seats:
            return ShownStep(seats[0], "revolt", notes=tuple(f"seat {seat}" for seat in seats[1:]))
        case HeadChosen(seat, keep):
            return ShownStep(seat, "head keep" if keep else "head drop")
        case DealVoided():
            return ShownStep(-1, "void")
        case MeleeBegan():
            return ShownStep(-1, "melee")
        case DealEnded(places, scores, sweep):
            notes = (f"places {' '.join(map(str, places))}", f"scores {' '.join(map(str, scores))}")
            return ShownStep(-1, "deal over", notes=(*notes, "sweep") if sweep else notes)
    return None


def _step_of_tribute(event: Event) -> ShownStep | None:
    """Calls, buying, tribute and what is owed (R42, R49, R70-R74)."""
    match event:
        case PlacesSwapped((sixth, fifth)):
            return ShownStep(sixth, "swaps", notes=(f"with seat {fifth}",))
        case Called(seat, blind):
            return ShownStep(seat, "call blind" if blind else "call open")
        case CardBought(buyer, seller, card, paid):
            price = "given" if paid is None else f"paid {format_cards([paid])}"
            return ShownStep(buyer, "buy", format_cards([card]), (f"from seat {seller}", price))
        case TributePaid(payer, receiver, kind, owed, cards):
            return ShownStep(payer, "pay", format_cards(cards), (f"to seat {receiver}", f"{kind} {owed}"))
        case TributeRefused(receiver, payer, kind, owed):
            return ShownStep(receiver, "refuse tribute", notes=(f"of seat {payer}", f"{kind} {owed}"))
        case TributeWaived(payer, receiver, shown):
            cards_shown = "" if shown is None else format_cards([shown])
            return ShownStep(payer, "waived", cards_shown, (f"to seat {receiver}",))
        case CardReturned(receiver, payer, card):
            return ShownStep(receiver, "return", format_cards([card]), (f"to seat {payer}",))
        case ReturnRefused(payer, receiver, card):
            return ShownStep(payer, "refuse", format_cards([card]), (f"of seat {receiver}",))
        case ObligationsRecorded(owed_next) if owed_next:
            return ShownStep(-1, "owed", notes=tuple(map(str, owed_next)))
    return None


def _step_out_of_turn(event: Event) -> ShownStep | None:
    """Opening, stifling, what is asked out of turn and the end of a match (R17, R40, R46, R64, R66, R80, R82)."""
    match event:
        case Opened(seat):
            return ShownStep(seat, "opened")
        case Stifled(seat, by, busted):
            return ShownStep(seat, "stifled", notes=(f"by seat {by}", "busted") if busted else (f"by seat {by}",))
        case SlamMade(seat):
            return ShownStep(seat, "slam")
        case CountTold(asker, of, count):
            told = "more than ten" if count < 0 else str(count)
            return ShownStep(asker, "ask", notes=(f"seat {of}", told))
        case Felt(asker, of):
            return ShownStep(asker, "feel", notes=(f"seat {of}",))
        case MatchDissolved():
            return ShownStep(-1, "dissolved")
    return None


def _step_of_play(event: Event) -> ShownStep | None:
    match event:
        case Played():
            flags = (("gouji", event.gouji), ("dead", event.dead), ("last", event.last), ("headless", event.headless))
            notes = tuple(name for name, holds in flags if holds)
            return ShownStep(event.seat, event.manner.name.lower(), format_play(event.play), notes)
        case Passed(seat):
            return ShownStep(seat, "pass")
        case Yielded(seat):
            return ShownStep(seat, "yield")
        case WindAsked(seat):
            return ShownStep(seat, "wind")
        case BurnEnded(seat, reason):
            return ShownStep(seat, "burn over", notes=(reason.name.lower().replace("_", " "),))
        case BurnSucceeded(seat, burned):
            return ShownStep(seat, "burn succeeded", notes=(f"burned seat {burned}",))
        case Busted(seat, place):
            return ShownStep(seat, "busted", notes=(f"place {place}",))
        case Finished(seat, place):
            return ShownStep(seat, "finished", notes=(f"place {place}",))
    return None
