"""The event that opens a deal, from the engine's words to the wire's (R84)."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from gouji_rules.records import record_of_deal, write_record
from gouji_server.tables.promise import write_entropies

if TYPE_CHECKING:
    from gouji.table.v1 import events_pb2
    from gouji_server.tables import happenings


def deal_revealed(event: events_pb2.TableEvent, said: happenings.DealRevealed) -> None:
    """Write everything of a deal that is over."""
    told = event.deal_revealed
    told.deal = said.number
    told.secret = said.proof.secret
    write_entropies(told.entropies.add, said.proof.entropies)
    deal = said.deal
    for hand in deal.dealt:
        told.hands.add().cards.extend(sorted(hand))  # type: ignore[arg-type]
    if deal.over and not deal.result.void:
        told.record = write_record(dataclasses.replace(record_of_deal(deal), proof=said.proof))
