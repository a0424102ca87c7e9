"""Reports: something said, with what was said around it, kept for the operator for a time."""

from __future__ import annotations

import asyncio
from contextvars import Context
from typing import TYPE_CHECKING

import structlog

from gouji.table.v1 import chat_pb2
from gouji_server.accounts.account import bare
from gouji_server.rate_limits import TokenBuckets
from gouji_server.records import RecordsFailed
from gouji_server.records.reports import Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_server.records.reports import ReportPlace, ReportRecords
    from gouji_server.social.silences import Silences
    from gouji_server.tables import Clock, Entropy, Timer

AROUND = 10
"""Messages before and after the one reported that are kept with it."""
BURST = 10
PER_SECOND = 20 / 86_400
"""Reports that an account makes at once, and a second in the long run: 20 a day."""
SWEEP_SECONDS = 3600.0
"""How often reports past their time are deleted."""
DAY = 86_400.0

log = structlog.get_logger("gouji.social")


class Reports:
    """See the module. What was reported is kept for ``days``."""

    def __init__(self, records: ReportRecords, silences: Silences, clock: Clock, entropy: Entropy, days: float) -> None:
        self.silences = silences
        self._records = records
        self._clock = clock
        self._entropy = entropy
        self._days = days
        self._pace = TokenBuckets(clock, BURST, PER_SECOND)
        self._timer: Timer | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Delete what is past its time, now and every hour. Raises RecordsFailed."""
        await self._forget()
        self._later()

    async def close(self) -> None:
        """Stop."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def take(self, account: str) -> float:
        """Count a report of an account: 0, or the seconds until it may make another."""
        return self._pace.take(account)

    async def add(self, reporter: str, heard: Sequence[chat_pb2.ChatMessage], at: int, reason: str) -> None:
        """Keep a report of message `at` of those that somebody heard."""
        said = heard[at]
        await self._records.add(
            Report(
                id=self._entropy.token_bytes(12).hex(),
                created=self._clock.now(),
                reporter=bare(reporter),
                sender=bare(said.sender),
                table=said.table,
                scope=chat_pb2.ChatScope.Name(said.scope).removeprefix("CHAT_SCOPE_"),
                reason=reason,
                said=line_of(said),
                around=tuple(line_of(one) for one in heard[max(at - AROUND, 0) : at + AROUND + 1] if one is not said),
            )
        )

    async def page(self, after: ReportPlace | None, most: int) -> list[Report]:
        """Return at most so many reports, the newest first."""
        return await self._records.page(after, most)

    async def _forget(self) -> None:
        await self._records.forget_before(self._clock.now() - self._days * DAY)

    def _later(self) -> None:
        self._timer = self._clock.call_at(self._clock.now() + SWEEP_SECONDS, self._sweep)

    def _sweep(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._sweep_now(), name="reports-sweep", context=Context())

    async def _sweep_now(self) -> None:
        try:
            await self._forget()
        except RecordsFailed:
            log.warning("reports_not_swept")
        self._later()


def line_of(said: chat_pb2.ChatMessage) -> dict[str, str]:
    """Write something said as it is kept: sender by bare id, its name then, the time, and what it said."""
    kind = said.WhichOneof("content") or ""
    content = chat_pb2.Emote.Name(said.emote) if kind == "emote" else getattr(said, kind) if kind else ""
    return {
        "sender": bare(said.sender),
        "name": said.display_name,
        "time": said.time.ToJsonString(),
        "kind": kind,
        "content": content,
    }
