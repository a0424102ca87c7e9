"""The live list of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import grpc
import grpc.aio

from gouji.lobby.v1 import lobby_pb2
from gouji_client.arguments import text_of, true_or_false, well_formed
from gouji_client.backoff import Waits
from gouji_client.calls import authorization
from gouji_client.errors import BadInput, ClientClosed, ProtocolBroken
from gouji_client.status import error_of_call, retry_delay

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from gouji.lobby.v1.lobby_pb2_grpc import LobbyServiceAsyncStub
    from gouji_client.calls import Calls
    from gouji_client.session import Session

_AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.RESOURCE_EXHAUSTED)


class TableWishes(TypedDict, total=False):
    """Which tables are wanted; what is left out asks for nothing. `rule_set` is a preset, `text` is in the title."""

    state: lobby_pb2.TableState.ValueType
    with_free_seat: bool
    rule_set: str
    text: str
    without_bots: bool


def list_request(wishes: TableWishes) -> lobby_pb2.ListTablesRequest:
    """Return the request for a page of tables. Raises `BadInput`."""
    unknown = set(wishes) - set(TableWishes.__annotations__)
    if unknown:
        raise BadInput(f"a list of tables knows no {', '.join(sorted(unknown))}")
    for flag in ("with_free_seat", "without_bots"):
        true_or_false(wishes.get(flag, False), flag)
    for text in ("rule_set", "text"):
        text_of(wishes.get(text, ""), f"the {text} of a list of tables")
    with well_formed("a list of tables"):
        rule_set = wishes.get("rule_set", "")
        return lobby_pb2.ListTablesRequest(
            state=wishes.get("state", lobby_pb2.TABLE_STATE_UNSPECIFIED),
            with_free_seat=wishes.get("with_free_seat", False),
            rule_set=f"ruleSets/{rule_set}" if rule_set and not rule_set.startswith("ruleSets/") else rule_set,
            title_text=wishes.get("text", ""),
            without_bots=wishes.get("without_bots", False),
        )


async def watch_tables(
    stub: LobbyServiceAsyncStub, session: Session, calls: Calls, wishes: TableWishes
) -> AsyncGenerator[list[lobby_pb2.Table], None]:
    """Give the list, newest table first, now and whenever it has changed; a lost connection is made good."""
    asked = list_request(wishes)
    request = lobby_pb2.WatchTablesRequest(
        state=asked.state,
        with_free_seat=asked.with_free_seat,
        rule_set=asked.rule_set,
        title_text=asked.title_text,
        without_bots=asked.without_bots,
    )
    waits = Waits(calls.backoff, calls.clock, calls.rng)
    renewed = ""
    while True:
        if calls.is_closed():
            raise ClientClosed
        token = await session.access_token()
        tables: dict[str, lobby_pb2.Table] | None = None
        try:
            async for message in stub.WatchTables(request, metadata=authorization(token)):
                waits.succeeded()
                if message.snapshot:
                    tables = {}
                elif tables is None:
                    raise ProtocolBroken("the list of tables does not begin with a snapshot")
                tables |= {table.name: table for table in message.tables}
                for name in message.removed:
                    tables.pop(name, None)
                if message.snapshot or message.tables or message.removed:
                    yield sorted(tables.values(), key=_newest_first)
            return
        except grpc.aio.AioRpcError as error:
            if calls.is_closed():
                raise ClientClosed from error
            if error.code() is grpc.StatusCode.UNAUTHENTICATED and token != renewed:
                renewed = await session.renew(lapsed=token)
            elif error.code() not in _AWAY or not await waits.pause(at_least=retry_delay(error)):
                raise error_of_call(error, calls.address) from error


def _newest_first(table: lobby_pb2.Table) -> tuple[int, str]:
    return -table.create_time.ToMilliseconds(), table.name
