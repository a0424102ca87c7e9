"""What the server counts, for Prometheus: commands, commits, tables, streams, backlog, resyncs.

Labels hold a method and a status and never a verb, a seat or a table: over a window those could tell who may burn
(R36). The figures are served on a port of their own, bound to loopback unless the configuration says otherwise.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Thread
    from wsgiref.simple_server import WSGIServer

COMMIT_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Seconds. A commit is one fdatasync: well under a millisecond on NVMe, tens of them on a spinning disk."""


class Metrics:
    """The counters of one server, in a registry of their own: two servers in one process do not share figures."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._commands = Counter(
            "gouji_commands_total", "Commands answered", ("method", "status"), registry=self.registry
        )
        self._command: dict[tuple[str, str], Counter] = {}  # looking labels up costs more than counting
        self._commit = Histogram(
            "gouji_commit_seconds", "Time to make a batch durable", buckets=COMMIT_BUCKETS, registry=self.registry
        )
        self._committed = Counter(
            "gouji_committed_entries_total", "Journal entries made durable", registry=self.registry
        )
        self._resyncs = Counter(
            "gouji_resyncs_total", "Snapshots sent in place of events", ("reason",), registry=self.registry
        )
        self._faults = Counter("gouji_faults_total", "Faults of the server itself", registry=self.registry)
        self._frozen = Counter("gouji_tables_frozen_total", "Tables frozen after a fault", registry=self.registry)
        self._tables = Gauge("gouji_tables", "Tables held in memory", registry=self.registry)
        self._streams = Gauge("gouji_streams", "Open Play and WatchTable streams", registry=self.registry)
        self._backlog = Gauge("gouji_backlog_bytes", "Bytes waiting to be read by clients", registry=self.registry)

    def command(self, method: str, status: str) -> None:
        """Count one command answered: `method` such as `SubmitAction` or `Play.act`, `status` a code's name."""
        counter = self._command.get((method, status))
        if counter is None:
            counter = self._command[method, status] = self._commands.labels(method, status)
        counter.inc()

    def commit(self, seconds: float, entries: int) -> None:
        """Count one commit of the journal that made `entries` entries durable."""
        self._commit.observe(seconds)
        self._committed.inc(entries)

    def resync(self, reason: str) -> None:
        """Count one snapshot sent where events would have gone, by the SnapshotReason's short name."""
        self._resyncs.labels(reason).inc()

    def fault(self) -> None:
        """Count one fault of the server itself (an answer INTERNAL)."""
        self._faults.inc()

    def frozen(self) -> None:
        """Count one table frozen."""
        self._frozen.inc()

    def watch_tables(self, count: Callable[[], int]) -> None:
        """Read the number of tables in memory from `count` whenever the figures are asked for."""
        self._tables.set_function(count)

    def watch_streams(self, count: Callable[[], int]) -> None:
        """Read the number of open streams from `count`."""
        self._streams.set_function(count)

    def watch_backlog(self, size: Callable[[], int]) -> None:
        """Read the bytes waiting in all outboxes from `size`."""
        self._backlog.set_function(size)


class MetricsServer:
    """Serves the figures over HTTP, in a thread of its own so that a scrape never waits for a table."""

    def __init__(self, httpd: WSGIServer, thread: Thread) -> None:
        self._httpd = httpd
        self._thread = thread

    @classmethod
    def start(cls, metrics: Metrics, host: str, port: int) -> Self:
        """Listen on `host`:`port` (0 picks a port). Raises OSError when that cannot be had."""
        httpd, thread = start_http_server(port, host, metrics.registry)
        return cls(httpd, thread)

    @property
    def port(self) -> int:
        """The port that was had."""
        return self._httpd.server_port

    async def stop(self) -> None:
        """Stop listening; returns when the thread has ended, up to half a second later."""
        await asyncio.to_thread(self._httpd.shutdown)
        self._httpd.server_close()
        await asyncio.to_thread(self._thread.join)
