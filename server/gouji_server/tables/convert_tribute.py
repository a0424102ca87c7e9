"""From the engine's words to the wire's, for what happens around play: calls, buying, tribute, opening, ends.

Everything here reads public facts alone: events and :class:`gouji_rules.PublicState`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gouji_rules as gr
from gouji.table.v1 import events_pb2, state_pb2
from gouji_rules import events as rules_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gouji_rules.obligations import Obligation

KINDS = {
    "stifle": state_pb2.TRIBUTE_KIND_STIFLE,
    "burn": state_pb2.TRIBUTE_KIND_BURN,
    "point": state_pb2.TRIBUTE_KIND_POINT,
    "loser": state_pb2.TRIBUTE_KIND_LOSER,
}
REASONS = {
    "buy": state_pb2.MOVE_REASON_BUY,
    "pay": state_pb2.MOVE_REASON_PAY,
    "tribute": state_pb2.MOVE_REASON_TRIBUTE,
    "return": state_pb2.MOVE_REASON_RETURN,
}


def obligation_message(owed: Obligation) -> state_pb2.Obligation:
    """Write what is owed."""
    return state_pb2.Obligation(payer=owed.payer, receiver=owed.receiver, kind=KINDS[owed.kind], count=owed.count)


def moves_messages(public: gr.PublicState) -> list[state_pb2.CardMove]:
    """Write the cards that went from hand to hand."""
    return [
        state_pb2.CardMove(
            giver=move.giver,
            taker=move.taker,
            reason=REASONS[move.why],
            cards=move.cards,  # type: ignore[arg-type]
        )
        for move in public.moves
    ]


def ranks_of_mask(mask: int) -> Iterable[int]:
    """Return the ranks of a mask, as numbered on the wire."""
    return [rank + 1 for rank in range(15) if mask >> rank & 1]


# ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _places_swapped(event: events_pb2.TableEvent, said: rules_events.PlacesSwapped) -> None:
    event.places_swapped.seats.extend(said.seats)


def _called(event: events_pb2.TableEvent, said: rules_events.Called) -> None:
    event.called.seat = said.seat
    event.called.blind = said.blind


def _card_bought(event: events_pb2.TableEvent, said: rules_events.CardBought) -> None:
    told = event.card_bought
    told.buyer, told.seller = said.buyer, said.seller
    told.card = said.card.value  # type: ignore[assignment]
    if said.paid is not None:
        told.paid = said.paid.value  # type: ignore[assignment]


def _tribute_paid(event: events_pb2.TableEvent, said: rules_events.TributePaid) -> None:
    told = event.tribute_paid
    told.payer, told.receiver, told.kind, told.owed = said.payer, said.receiver, KINDS[said.kind], said.owed
    told.cards.extend(said.cards)  # type: ignore[arg-type]


def _tribute_refused(event: events_pb2.TableEvent, said: rules_events.TributeRefused) -> None:
    told = event.tribute_refused
    told.receiver, told.payer, told.kind, told.owed = said.receiver, said.payer, KINDS[said.kind], said.owed


def _tribute_waived(event: events_pb2.TableEvent, said: rules_events.TributeWaived) -> None:
    told = event.tribute_waived
    told.payer, told.receiver = said.payer, said.receiver
    if said.shown is not None:
        told.shown = said.shown.value  # type: ignore[assignment]


def _card_returned(event: events_pb2.TableEvent, said: rules_events.CardReturned) -> None:
    told = event.card_returned
    told.receiver, told.payer = said.receiver, said.payer
    told.card = said.card.value  # type: ignore[assignment]


def _return_refused(event: events_pb2.TableEvent, said: rules_events.ReturnRefused) -> None:
    told = event.return_refused
    told.receiver, told.payer = said.receiver, said.payer
    told.card = said.card.value  # type: ignore[assignment]


def _opened(event: events_pb2.TableEvent, said: rules_events.Opened) -> None:
    event.opened.seat = said.seat


def _stifled(event: events_pb2.TableEvent, said: rules_events.Stifled) -> None:
    event.stifled.seat, event.stifled.by, event.stifled.busted = said.seat, said.by, said.busted


def _slam_made(event: events_pb2.TableEvent, said: rules_events.SlamMade) -> None:
    event.slam_made.seat = said.seat


def _obligations_recorded(event: events_pb2.TableEvent, said: rules_events.ObligationsRecorded) -> None:
    event.obligations_recorded.SetInParent()
    event.obligations_recorded.obligations.extend(map(obligation_message, said.obligations))


def _match_dissolved(event: events_pb2.TableEvent, said: rules_events.MatchDissolved) -> None:
    event.match_dissolved.SetInParent()


def _lot_drawn(event: events_pb2.TableEvent, said: rules_events.LotDrawn) -> None:
    event.lot_drawn.team = said.team


def _count_told(event: events_pb2.TableEvent, said: rules_events.CountTold) -> None:
    event.count_told.asker, event.count_told.seat = said.asker, said.of
    if said.count >= 0:
        event.count_told.count = said.count


def _felt(event: events_pb2.TableEvent, said: rules_events.Felt) -> None:
    event.felt.asker, event.felt.seat = said.asker, said.of


TRIBUTE_WRITERS: dict[type[Any], Callable[[events_pb2.TableEvent, Any], None]] = {
    rules_events.PlacesSwapped: _places_swapped,
    rules_events.Called: _called,
    rules_events.CardBought: _card_bought,
    rules_events.TributePaid: _tribute_paid,
    rules_events.TributeRefused: _tribute_refused,
    rules_events.TributeWaived: _tribute_waived,
    rules_events.CardReturned: _card_returned,
    rules_events.ReturnRefused: _return_refused,
    rules_events.Opened: _opened,
    rules_events.Stifled: _stifled,
    rules_events.SlamMade: _slam_made,
    rules_events.ObligationsRecorded: _obligations_recorded,
    rules_events.MatchDissolved: _match_dissolved,
    rules_events.LotDrawn: _lot_drawn,
    rules_events.CountTold: _count_told,
    rules_events.Felt: _felt,
}
"""How each of these events is written."""
