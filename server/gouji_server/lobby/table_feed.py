"""A live list of tables: what changed since a reader was told last, however slow it is."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, insort
from typing import TYPE_CHECKING

from gouji.lobby.v1 import lobby_pb2 as pb
from gouji_server.tables.directory import place_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gouji_server.lobby.table_filter import TableFilter
    from gouji_server.tables import Tables

MOST_TABLES = 500
"""Tables that one reader is told of at once, the newest ones; `more` says that there are others."""
MOST_CHANGED = 1000
"""Names of changed tables that wait for one reader. Beyond: they are dropped, and it gets the whole list anew."""
FEWEST_TABLES = 450
"""Where there are others, older ones are looked for when fewer than these are left: not for every table that goes."""


class EncodedTables:
    """What is told of tables, encoded once for all readers: each entry is a WatchTablesResponse with one table."""

    def __init__(self, tables: Tables) -> None:
        self._by_name: dict[str, bytes] = {}
        tables.listen(self._forget)

    def _forget(self, name: str) -> None:
        self._by_name.pop(name, None)

    def of(self, info: pb.Table) -> bytes:
        """Return a table's entry. `info` is what people without a seat may know now."""
        encoded = self._by_name.get(info.name)
        if encoded is None:
            encoded = self._by_name[info.name] = pb.WatchTablesResponse(tables=[info]).SerializeToString()
        return encoded

    def __len__(self) -> int:
        """Return how many are kept: no more than are listed."""
        return len(self._by_name)


class TableFeed:
    """One reader's list. It holds names alone; what is told of a table is as it is when it is told.

    A table that comes or goes is told by itself, however many others there are: whole lists to every reader at every
    change would be more than a full server can do.
    """

    def __init__(self, tables: Tables, wanted: TableFilter, encoded: EncodedTables) -> None:
        self._tables = tables
        self._wanted = wanted
        self._encoded = encoded
        self._known: dict[str, tuple[int, str]] = {}
        """What the reader has been told of, and where it stands in the list."""
        self._places: list[tuple[int, str]] = []
        """The same places, the newest table's first."""
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

    def take(self) -> bytes | None:
        """Return what is to be told now, a WatchTablesResponse without its time, None for nothing."""
        if self._anew:
            return self._whole()
        names, self._changed = self._changed, {}
        told: dict[str, pb.Table] = {}
        removed: list[str] = []
        came: set[str] = set()
        for name in names:
            info = self._tables.shown(name)
            if info is not None and self._wanted.matches(info):
                if name in self._known:
                    told[name] = info
                elif self._enter(info):
                    told[name] = info
                    came.add(name)
            elif name in self._known:
                self._drop(name)
                removed.append(name)
        for name in self._too_many():
            told.pop(name, None)
            if name not in came:
                removed.append(name)
        told |= self._older()
        if not told and not removed:
            return None
        return self._message(told.values(), pb.WatchTablesResponse(removed=removed, more=self._more))

    def _whole(self) -> bytes:
        self._anew = False
        self._changed.clear()
        found, self._more = self._tables.newest(self._wanted.matches, MOST_TABLES)
        self._places, self._known = [], {}
        self._append(found)
        return self._message(found, pb.WatchTablesResponse(snapshot=True, more=self._more))

    def _enter(self, info: pb.Table) -> bool:
        """Take a table into the list, unless it is older than some that are not told."""
        place = place_of(info)
        if self._more and (not self._places or place > self._places[-1]):
            return False
        insort(self._places, place)
        self._known[info.name] = place
        return True

    def _drop(self, name: str) -> None:
        del self._places[bisect_left(self._places, self._known.pop(name))]

    def _too_many(self) -> list[str]:
        """Let the oldest go that are too many; return their names."""
        gone = [name for _, name in self._places[MOST_TABLES:]]
        if gone:
            self._more = True
            del self._places[MOST_TABLES:]
            for name in gone:
                del self._known[name]
        return gone

    def _older(self) -> dict[str, pb.Table]:
        """Take older ones into the list where few are left."""
        if not self._more or len(self._places) >= FEWEST_TABLES:
            return {}
        last = self._places[-1] if self._places else None
        found, self._more = self._tables.newest(self._wanted.matches, MOST_TABLES - len(self._places), last)
        self._append(found)
        return {info.name: info for info in found}

    def _append(self, older: list[pb.Table]) -> None:
        for info in older:
            place = self._known[info.name] = place_of(info)
            self._places.append(place)

    def _message(self, told: Iterable[pb.Table], rest: pb.WatchTablesResponse) -> bytes:
        return b"".join((*map(self._encoded.of, told), rest.SerializeToString()))
