"""A journal in memory, whose commits a test may hold back, fail or interrupt."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from gouji_server.journal import Entry, Fenced, JournalFailed

if TYPE_CHECKING:
    from collections.abc import Sequence


class MemoryJournal:
    """Appends are durable at once, unless a test asks otherwise.

    ``hold``: appends wait until :meth:`release` or :meth:`fail`. ``fail_next``: so many appends fail without having
    been written. ``lose_next``: so many are written, and yet fail, as when a connection breaks after the commit.
    """

    def __init__(self) -> None:
        self.tables: dict[str, list[Entry]] = {}
        self.last_summaries: dict[str, bytes] = {}
        self.hold = False
        self.fail_next = 0
        self.lose_next = 0
        self.fail_reads = 0
        self.appends = 0
        self.held: list[tuple[asyncio.Future[None], str, int, Sequence[Entry], bytes | None]] = []

    async def append(
        self, table: str, expected_seq: int, entries: Sequence[Entry], summary: bytes | None = None
    ) -> None:
        for seq, entry in enumerate(entries, expected_seq + 1):
            if entry.seq != seq:
                raise ValueError(f"{table}: entry {entry.seq} where {seq} is due")
        if self.hold:
            waiting = asyncio.get_running_loop().create_future()
            self.held.append((waiting, table, expected_seq, entries, summary))
            await waiting
            return
        await asyncio.sleep(0)
        self._write(table, expected_seq, entries, summary)

    def _write(self, table: str, expected_seq: int, entries: Sequence[Entry], summary: bytes | None) -> None:
        if self.fail_next:
            self.fail_next -= 1
            raise JournalFailed("made to fail")
        log = self.tables.get(table, [])
        if len(log) != expected_seq:
            raise Fenced(f"{table} is at {len(log)}, not at {expected_seq}")
        self.appends += 1
        self.tables[table] = [*log, *entries]
        if summary is not None or expected_seq == 0:
            self.last_summaries[table] = summary or b""
        if self.lose_next:
            self.lose_next -= 1
            raise JournalFailed("made to fail after the commit")

    def release(self) -> None:
        """Write what is held, and hold no more."""
        self.hold = False
        held, self.held = self.held, []
        for waiting, table, expected_seq, entries, summary in held:
            if waiting.done():
                continue
            try:
                self._write(table, expected_seq, entries, summary)
            except (Fenced, JournalFailed) as error:
                waiting.set_exception(error)
            else:
                waiting.set_result(None)

    def write_held(self) -> None:
        """Write what is held without telling anyone, as when the process is killed after the commit."""
        for _, table, expected_seq, entries, summary in self.held:
            self._write(table, expected_seq, entries, summary)

    def drop_held(self) -> None:
        """Forget what is held, and hold no more."""
        self.hold = False
        self.held.clear()

    async def read(self, table: str) -> list[Entry]:
        await asyncio.sleep(0)
        if self.fail_reads:
            self.fail_reads -= 1
            raise JournalFailed("made to fail")
        return list(self.tables.get(table, []))

    async def summaries(self) -> list[tuple[str, bytes]]:
        await asyncio.sleep(0)
        return list(self.last_summaries.items())

    async def close(self) -> None:
        await asyncio.sleep(0)
