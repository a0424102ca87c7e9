"""What tables count. `gouji_server.metrics` implements it for Prometheus."""

from __future__ import annotations

from typing import Protocol


class Metrics(Protocol):
    """Counters. No label tells a verb, a seat or a table: over a window those could tell who may burn (R36)."""

    def command(self, method: str, status: str) -> None:
        """Count one command answered: `method` such as `Play.act`, `status` the name of a code."""

    def resync(self, reason: str) -> None:
        """Count one snapshot sent where events would have gone, by the SnapshotReason's short name."""

    def fault(self) -> None:
        """Count one fault of the server itself."""

    def frozen(self) -> None:
        """Count one table frozen."""


class NullMetrics:
    """Counts nothing."""

    def command(self, method: str, status: str) -> None:
        """See :class:`Metrics`."""

    def resync(self, reason: str) -> None:
        """See :class:`Metrics`."""

    def fault(self) -> None:
        """See :class:`Metrics`."""

    def frozen(self) -> None:
        """See :class:`Metrics`."""
