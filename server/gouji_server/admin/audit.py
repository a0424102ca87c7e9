"""The audit log: who did what, and why. It is written before anything is done or told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from gouji_server.records.audit import AuditEntry

if TYPE_CHECKING:
    from gouji_server.records.audit import AuditRecords
    from gouji_server.tables import Clock

log = structlog.get_logger("gouji.admin")


@dataclass(frozen=True, slots=True)
class Errand:
    """Who does something, and why, as they say themselves."""

    operator: str
    reason: str


class AuditLog:
    """See the module."""

    def __init__(self, records: AuditRecords, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def note(self, errand: Errand, action: str, target: str = "", detail: str = "") -> None:
        """Write what is about to be done; it is durable when this returns. Raises RecordsFailed: then do it not."""
        entry = AuditEntry(self._clock.now(), errand.operator, action, target, errand.reason, detail)
        await self._records.add(entry)
        log.warning(
            "operator", operator=entry.operator, action=action, target=target, why=entry.reason, detail=entry.detail
        )

    async def page(self, before: int | None, most: int, target: str) -> list[AuditEntry]:
        """Return at most so many entries, of one target if given, the newest first, from before a number on."""
        return await self._records.page(before, most, target)
