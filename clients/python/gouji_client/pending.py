"""Actions on their way: sent, and without a result so far."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from gouji.table.v1 import table_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gouji_client.backoff import Waits
    from gouji_client.errors import GoujiError


class Pending:
    """An action without a result: the very message to send again, and who waits for the table's `n` after it."""

    def __init__(self, request: table_pb2.SubmitActionRequest, waits: Waits) -> None:
        self.message = table_pb2.PlayRequest(act=request)
        self.waits = waits
        self.version: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def succeed(self, version: int) -> None:
        """It was carried out. Being told twice is no error."""
        if not self.version.done():
            self.version.set_result(version)

    def fail(self, failure: GoujiError) -> None:
        """It was refused, or nobody can say any more."""
        if not self.version.done():
            self.version.set_exception(failure)


class PendingActions:
    """The actions on their way, in the order in which they were asked for."""

    def __init__(self) -> None:
        self._by_id: dict[str, Pending] = {}

    def __iter__(self) -> Iterator[Pending]:
        return iter(list(self._by_id.values()))

    def add(self, request: table_pb2.SubmitActionRequest, waits: Waits) -> Pending:
        """Take an action on. Raises ValueError if its request id is on its way already."""
        if request.request_id in self._by_id:
            raise ValueError(f"request id {request.request_id} is on its way already")
        pending = self._by_id[request.request_id] = Pending(request, waits)
        return pending

    def get(self, request_id: str) -> Pending | None:
        """Return the action with that id, if it is on its way."""
        return self._by_id.get(request_id)

    def drop(self, request_id: str) -> None:
        """Forget an action: it has its result, or nobody waits for it."""
        self._by_id.pop(request_id, None)

    def fail_all(self, failure: GoujiError) -> None:
        """Fail everything on its way."""
        for pending in self:
            pending.fail(failure)
