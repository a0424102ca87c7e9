"""Tickets as the records keep them: JSON."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

from gouji_server.matchmaking.tickets import State, Ticket, Wishes

if TYPE_CHECKING:
    from collections.abc import Collection

    from gouji_server.records.tickets import TicketRecords


class TicketStore:
    """Writes tickets, and forgets those that were over long ago."""

    def __init__(self, records: TicketRecords) -> None:
        self._records = records

    async def save(self, tickets: Collection[Ticket], forgotten: Collection[str] = ()) -> None:
        """Write tickets and forget others, by id; all or none. Raises RecordsFailed."""
        await self._records.save({ticket.id: encode(ticket) for ticket in tickets}, forgotten)

    async def load(self) -> list[Ticket]:
        """Return all tickets that were not forgotten. Raises RecordsFailed."""
        return [decode(body) for body in await self._records.load()]


def encode(ticket: Ticket) -> bytes:
    """Write a ticket."""
    return json.dumps(dataclasses.asdict(ticket) | {"state": ticket.state.value}).encode()


def decode(body: bytes) -> Ticket:
    """Read a ticket back."""
    facts = json.loads(body)
    wishes = facts.pop("wishes")
    wishes["rule_sets"] = tuple(wishes["rule_sets"])
    facts |= {"accounts": tuple(facts["accounts"]), "state": State(facts["state"]), "wishes": Wishes(**wishes)}
    return Ticket(**facts)
