"""Brings finished matches from the journal into the records: each once, and none is lost.

The journal says that a match is over before anyone is told, and is what is read here, so a process that ends between
the two finds the match again at its next start: tables that are over and not noted as kept are looked at then.
"""

from __future__ import annotations

import asyncio
import base64
from contextvars import Context
from typing import TYPE_CHECKING

import structlog

from gouji_server.journal import JournalFailed
from gouji_server.records import RecordsFailed
from gouji_server.replays.retelling import retold

if TYPE_CHECKING:
    from gouji_server.journal import Journal
    from gouji_server.records import MatchRecords
    from gouji_server.tables import Clock, Entropy, Limits, Metrics

ID_BYTES = 20
"""Random bytes of a match's name: nobody guesses one."""
RETRY_SECONDS = 5.0
"""Between attempts while the journal cannot be read or the records cannot be written."""


class MatchKeeper:
    """See the module. Tell it by :meth:`note` of every table that is over; :meth:`start` it once the old ones are."""

    def __init__(
        self, journal: Journal, records: MatchRecords, clock: Clock, entropy: Entropy, limits: Limits, metrics: Metrics
    ) -> None:
        self._journal = journal
        self._records = records
        self._clock = clock
        self._entropy = entropy
        self._limits = limits
        self._metrics = metrics
        self._due: dict[str, None] = {}
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._log = structlog.get_logger(__name__)

    def note(self, table: str) -> None:
        """A table is over: its match is to be kept, unless it is already."""
        self._due[table] = None
        self._settled.clear()
        self._wake.set()

    async def start(self) -> None:
        """Forget the tables noted whose matches are kept, and begin with the others. Raises RecordsFailed."""
        for table in await self._records.kept_tables():
            self._due.pop(table, None)
        self._task = asyncio.get_running_loop().create_task(self._run(), name="match-keeper", context=Context())

    async def settled(self) -> None:
        """Wait until nothing is due."""
        await self._settled.wait()

    @property
    def waiting(self) -> int:
        """How many tables are still to be looked at."""
        return len(self._due)

    async def close(self) -> None:
        """Stop; what is still due is found at the next start."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while True:
            if not self._due:
                self._settled.set()
                self._wake.clear()
                await self._wake.wait()
                continue
            table = next(iter(self._due))
            try:
                await self._keep(table)
            except (JournalFailed, RecordsFailed) as error:
                self._log.warning("match_waits", table=table, error=type(error).__name__, waiting=len(self._due))
                await self._pause()
                continue
            except Exception:  # noqa: BLE001 - left as it is: the journal has it, and a later version may read it
                self._log.exception("match_not_kept", table=table)
                self._metrics.fault()
            self._due.pop(table, None)

    async def _keep(self, table: str) -> None:
        if await self._records.is_kept(table):
            return
        match_id = base64.b32encode(self._entropy.token_bytes(ID_BYTES)).decode().lower()
        match = await retold(table, await self._journal.read(table), self._limits, match_id)
        if match is None:
            await self._records.keep_nothing(table)
            return
        await self._records.keep(match)
        self._log.info("match_kept", table=table, deals=len(match.parts) - 1)

    async def _pause(self) -> None:
        passed = asyncio.Event()
        timer = self._clock.call_at(self._clock.now() + RETRY_SECONDS, passed.set)
        try:
            await passed.wait()
        finally:
            timer.cancel()
