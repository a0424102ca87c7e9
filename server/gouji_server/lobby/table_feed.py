"""A live list of tables: what changed since a reader was told last, however slow it is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from gouji.lobby.v1 import lobby_pb2 as pb

if TYPE_CHECKING:
    from gouji_server.lobby.table_filter import TableFilter
    from gouji_server.tables import Tables

MOST_TABLES = 500
"""Tables that one reader is told of at once, the newest ones; `more` says that there are others."""
MOST_CHANGED = 1000
"""Names of changed tables that wait for one reader. Beyond: they are dropped, and it gets the whole list anew."""


class TableFeed:
    """One reader's list. It holds names alone; what is told of a table is as it is when it is told."""

    def __init__(self, tables: Tables, wanted: TableFilter) -> None:
        self._tables = tables
        self._wanted = wanted
        self._known: set[str] = set()
        self._changed: dict[str, None] = {}
        self._anew = True
        self._more = False
        self._waiter: asyncio.Future[None] | None = None
        tables.listen(self._note)

    def close(self) -> None:
        """Be told no more."""
        self._tables.unlisten(self._note)

    def _note(self, name: str) -> None:
        info = self._tables.shown(name)
        if name not in self._known and (info is None or not self._wanted.matches(info)):
            return  # counted among the changes or waking the reader, what it may not see would tell of itself
        if not self._anew:
            self._changed[name] = None
            if len(self._changed) > MOST_CHANGED:
                self._changed.clear()
                self._anew = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def changed(self) -> asyncio.Future[None]:
        """Return what is done once there may be something to tell."""
        self._waiter = waiter = asyncio.get_running_loop().create_future()
        if self._anew or self._changed:
            waiter.set_result(None)
        return waiter

    def take(self) -> pb.WatchTablesResponse | None:
        """Return what is to be told now, None for nothing."""
        if self._anew:
            return self._whole()
        names, self._changed = self._changed, {}
        told = pb.WatchTablesResponse(more=self._more)
        for name in names:
            info = self._tables.shown(name)
            if info is not None and self._wanted.matches(info):
                if name in self._known or len(self._known) < MOST_TABLES:
                    self._known.add(name)
                    told.tables.append(info)
                else:
                    # Newer than some that are told: only the whole list says which.
                    return self._whole()
            elif name in self._known:
                if self._more:
                    return self._whole()
                self._known.remove(name)
                told.removed.append(name)
        return told if told.tables or told.removed else None

    def _whole(self) -> pb.WatchTablesResponse:
        self._anew = False
        self._changed.clear()
        found, self._more = self._tables.newest(self._wanted.matches, MOST_TABLES)
        self._known = {info.name for info in found}
        return pb.WatchTablesResponse(snapshot=True, tables=found, more=self._more)
