"""The tables there are, for lists and limits: lobby facts alone, kept from the journal's summaries."""

from __future__ import annotations

import base64
import binascii
from bisect import bisect_left, bisect_right, insort
from itertools import islice
from typing import TYPE_CHECKING

from gouji.lobby.v1 import lobby_pb2
from gouji_server.tables import refusals
from gouji_server.tables.table import FINISHED, FROZEN

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.tables.limits import Limits

PAGE_SIZE = 50
MOST_LOOKED_AT = 1000
"""Tables looked at for one page: the event loop serves nobody else meanwhile."""
MOST_PAGE_SIZE = 100

_CLOSED = frozenset({FINISHED, FROZEN})
_Key = tuple[int, str]


class Directory:
    """Lobby facts by name, newest table first. Those long over leave the lists."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._infos: dict[str, lobby_pb2.Table] = {}
        self._shown: dict[str, lobby_pb2.Table] = {}
        self._order: list[_Key] = []
        self._closed: list[_Key] = []
        self._open_of: dict[str, int] = {}
        self._listeners: list[Callable[[str], None]] = []
        self._by_code: dict[str, str] = {}
        self._code_of: dict[str, str] = {}

    def get(self, name: str) -> lobby_pb2.Table | None:
        """Return a table's lobby facts, None if it is not listed; shared, so not to be changed."""
        return self._infos.get(name)

    def shown(self, name: str, account: str = "") -> lobby_pb2.Table | None:
        """Return what somebody may know of a table's lobby facts: who does not sit there may be told later."""
        info = self._infos.get(name)
        later = self._shown.get(name)
        if info is None or later is None or (account and any(player.account == account for player in info.players)):
            return info
        return later

    def find(self, code: str) -> str:
        """Return the name of the table that a join code opens, empty for none."""
        return self._by_code.get(code, "")

    def _note_code(self, name: str, code: str) -> None:
        """Take a table's join code, empty for none."""
        before = self._code_of.pop(name, "")
        if self._by_code.get(before) == name:
            del self._by_code[before]
        if code and self._by_code.setdefault(code, name) == name:
            self._code_of[name] = code

    def note(self, info: lobby_pb2.Table, code: str = "", shown: lobby_pb2.Table | None = None) -> None:
        """Take a table's new lobby facts and join code. The code of a table that is over opens nothing.

        `shown`: what those without a seat may know of the facts, where they are told later.
        """
        self._note_code(info.name, code if (shown or info).state not in _CLOSED else "")
        before = self._infos.get(info.name)
        key = place_of(info)
        if before is None:
            insort(self._order, key)
        self._infos[info.name] = info
        was_open = before is not None and before.state not in _CLOSED
        is_open = info.state not in _CLOSED
        if was_open and before is not None:
            self._count_open(before.owner, -1)
        if is_open:
            self._count_open(info.owner, 1)
        if not is_open and (was_open or before is None):
            insort(self._closed, key)
            self._forget_oldest()
        if self._show(info.name, shown):
            self._tell(info.name)

    def _show(self, name: str, shown: lobby_pb2.Table | None) -> bool:
        """Keep what may be known; return whether that may have changed: listeners are told of nothing else."""
        if shown is None or name not in self._infos:
            self._shown.pop(name, None)
            return True
        same = self._shown.get(name) == shown
        if not same:
            self._shown[name] = lobby_pb2.Table()
            self._shown[name].CopyFrom(shown)
        return not same

    def listen(self, listener: Callable[[str], None]) -> None:
        """Have a listener told the name of each table whose lobby facts change."""
        self._listeners.append(listener)

    def unlisten(self, listener: Callable[[str], None]) -> None:
        """Have it told no more."""
        self._listeners.remove(listener)

    def _tell(self, name: str) -> None:
        for listener in self._listeners:
            listener(name)

    def newest(
        self, matches: Callable[[lobby_pb2.Table], bool], most: int, after: tuple[int, str] | None = None
    ) -> tuple[list[lobby_pb2.Table], bool]:
        """Return the newest tables that match, newest first, and whether there are more.

        `after`: only those beyond this place, see :func:`place_of`.
        """
        found: list[lobby_pb2.Table] = []
        for _, name in islice(self._order, 0 if after is None else bisect_right(self._order, after), None):
            info = self._shown.get(name) or self._infos[name]
            if matches(info):
                if len(found) == most:
                    return found, True
                found.append(info)
        return found, False

    def every(
        self, matches: Callable[[lobby_pb2.Table], bool], after: tuple[int, str] | None, most: int
    ) -> list[lobby_pb2.Table]:
        """Return at most so many tables that match, private ones too and as they are now, newest first.

        `after`: the table told last, as :func:`place_of` says it.
        """
        at = 0 if after is None else bisect_right(self._order, after)
        found = (self._infos[name] for _, name in self._order[at:])
        return list(islice((info for info in found if matches(info)), most))

    @property
    def open_tables(self) -> int:
        """How many are not over."""
        return len(self._infos) - len(self._closed)

    def open_of(self, owner: str) -> int:
        """How many of an owner are not over."""
        return self._open_of.get(owner, 0)

    def waiting(self) -> list[lobby_pb2.Table]:
        """Return the tables that wait for players, oldest first."""
        waiting = (self._infos[name] for _, name in reversed(self._order))
        return [info for info in waiting if info.state == lobby_pb2.TABLE_STATE_WAITING]

    def playing(self) -> list[lobby_pb2.Table]:
        """Return the tables at which a match is played."""
        return [info for info in self._infos.values() if info.state == lobby_pb2.TABLE_STATE_PLAYING]

    def page(
        self,
        size: int,
        token: str,
        state: lobby_pb2.TableState.ValueType,
        *,
        with_free_seat: bool,
        matches: Callable[[lobby_pb2.Table], bool] | None = None,
    ) -> tuple[list[lobby_pb2.Table], str]:
        """Return one page, newest table first, and the token of the next. Raises Refused.

        `matches` says which tables are wanted besides; a token does not know it. A page is shorter, and has a token,
        where more than `MOST_LOOKED_AT` tables were looked at.
        """
        if not 0 <= size <= MOST_PAGE_SIZE:
            raise refusals.bad_field("page_size", "0 to 100", "0 到 100")
        filters = f"{state}{'f' if with_free_seat else ''}"
        at = 0 if not token else bisect_left(self._order, _read_token(token, filters))
        found: list[lobby_pb2.Table] = []
        for looked_at, key in enumerate(islice(self._order, at, None)):
            if looked_at >= MOST_LOOKED_AT:
                return found, _write_token(key, filters)
            info = self._shown.get(key[1]) or self._infos[key[1]]
            if not _matches(info, state, with_free_seat=with_free_seat) or (matches is not None and not matches(info)):
                continue
            if len(found) == (size or PAGE_SIZE):
                return found, _write_token(key, filters)
            found.append(info)
        return found, ""

    def _count_open(self, owner: str, by: int) -> None:
        count = self._open_of.get(owner, 0) + by
        if count:
            self._open_of[owner] = count
        else:
            self._open_of.pop(owner, None)

    def _is_over_for_all(self, name: str) -> bool:
        shown = self._shown.get(name)
        return shown is None or shown.state in _CLOSED

    def _forget_oldest(self) -> None:
        # One that is shown as still played stays: that it leaves would tell its end before the delay is over.
        told = (key for key in reversed(self._closed) if self._is_over_for_all(key[1]))
        for key in list(islice(told, max(len(self._closed) - self._limits.closed_tables_listed, 0))):
            self._closed.remove(key)
            self._order.remove(key)
            del self._infos[key[1]]
            self._shown.pop(key[1], None)
            self._tell(key[1])


def place_of(info: lobby_pb2.Table) -> _Key:
    """Return where a table stands in lists: sorted so, the newest is first."""
    return -info.create_time.ToMilliseconds(), info.name


def _matches(info: lobby_pb2.Table, state: lobby_pb2.TableState.ValueType, *, with_free_seat: bool) -> bool:
    if info.private:
        return False
    wanted = info.state == state if state else info.state not in _CLOSED
    return wanted and (not with_free_seat or any(not (p.account or p.bot or p.reserved_for) for p in info.players))


def _write_token(key: _Key, filters: str) -> str:
    return base64.urlsafe_b64encode(f"{filters}|{key[0]}|{key[1]}".encode()).decode()


def _read_token(token: str, filters: str) -> _Key:
    try:
        said, time, name = base64.b64decode(token.encode(), b"-_", validate=True).decode().split("|")
        key = int(time), name
    except (ValueError, binascii.Error):
        raise refusals.bad_field("page_token", "not a token of this list", "不是此列表的页标") from None
    if said != filters:
        raise refusals.bad_field("page_token", "of a list with other filters", "属于另一种筛选的列表")
    return key
