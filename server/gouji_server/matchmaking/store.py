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
    """Writes tickets that are not over, and forgets those that are."""

    def __init__(self, records: TicketRecords) -> None:
        self._records = records

    async def save(self, tickets: Collection[Ticket]) -> None:
        """Write tickets, all or none. Raises RecordsFailed."""
        await self._records.save({ticket.id: None if ticket.state.over else encode(ticket) for ticket in tickets})

    async def load(self) -> list[Ticket]:
        """Return the tickets that are not over. Raises RecordsFailed."""
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
