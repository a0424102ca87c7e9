"""What a journal keeps and how it is spoken to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Entry(NamedTuple):
    """One input of a table.

    ``seq`` counts from 1 without a gap, ``kind`` and ``body`` are the input as :mod:`gouji_server.tables.inputs` writes
    it, ``digest`` is that of the table's state after it.
    """

    seq: int
    kind: str
    body: bytes
    digest: bytes


class JournalError(Exception):
    """The journal cannot be used; the message says why in one line, for people."""


class JournalFailed(JournalError):
    """An append or a read went wrong. Whether the entries were written is not known before they are read again."""


class JournalDamaged(JournalError):
    """What the disk holds of a table is damaged: `entries` are those before the first that cannot be read."""

    def __init__(self, message: str, entries: Sequence[Entry]) -> None:
        super().__init__(message)
        self.entries = entries


class Fenced(JournalError):
    """The table's last entry is not the one expected: somebody else wrote. Nothing was appended."""


class Journal(Protocol):
    """A log per table, appended to by its owner alone."""

    async def append(
        self, table: str, expected_seq: int, entries: Sequence[Entry], summary: bytes | None = None
    ) -> None:
        """Append `entries` and return once they are durable.

        ``expected_seq`` is the number of the table's last entry, 0 to create the table. ``summary`` replaces the
        table's summary in the same transaction. Raises :class:`Fenced` or :class:`JournalFailed`.
        """

    async def read(self, table: str) -> list[Entry]:
        """Read all entries of a table in order; an unknown table has none.

        Raises :class:`JournalDamaged`, or :class:`JournalFailed` where another try may succeed.
        """

    async def summaries(self) -> list[tuple[str, bytes]]:
        """Read every table's name and newest summary, in the order of creation; without those that are damaged.

        Raises :class:`JournalFailed`.
        """

    async def close(self) -> None:
        """Write what was given, then let go. Appending afterwards raises :class:`JournalFailed`."""
