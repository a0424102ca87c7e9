"""LobbyService, the part that lists tables: in pages, and live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.lobby.v1 import lobby_pb2 as pb
from gouji_rules.rule_set import PRESET_NAMES
from gouji_server.api.table_list_stream import TableListStream
from gouji_server.api.validation import Shape
from gouji_server.lobby.rule_sets import PREFIX as RULE_SETS
from gouji_server.lobby.table_feed import EncodedTables, TableFeed
from gouji_server.lobby.table_filter import TableFilter

if TYPE_CHECKING:
    import grpc

    from gouji_server.accounts.blocks import Blocks
    from gouji_server.api.calls import Call, Calls
    from gouji_server.api.pages import Pages
    from gouji_server.api.streams import Streams
    from gouji_server.tables import Clock, Tables

DEFAULT_PAGE = 50
MAX_PAGE = 100


class TableLists:
    """Lists the tables that are not private; those of owners whom the caller has blocked are left out."""

    def __init__(
        self, tables: Tables, pages: Pages, blocks: Blocks, streams: Streams, clock: Clock, heartbeat_seconds: float
    ) -> None:
        self._tables = tables
        self._encoded = EncodedTables(tables)
        self._pages = pages
        self._blocks = blocks
        self._streams = streams
        self._clock = clock
        self._heartbeat_seconds = heartbeat_seconds

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        return {
            "ListTables": calls.unary("ListTables", pb.ListTablesRequest, self.list_tables),
            "WatchTables": calls.server_stream("WatchTables", pb.WatchTablesRequest, self.watch_tables),
        }

    async def list_tables(self, request: pb.ListTablesRequest, call: Call) -> pb.ListTablesResponse:
        """List tables, newest first."""
        account = call.caller.account
        shape = Shape().page_size(request.page_size, MAX_PAGE, DEFAULT_PAGE)
        _check_filter(shape, request)
        question = ("ListTables", account, *TableFilter.of(request).question())
        position = self._pages.continued(question, request.page_token, shape)
        shape.settle()
        wanted = TableFilter.of(request, await self._blocks.of(account))
        tables, following = self._tables.list(
            page_size=request.page_size or DEFAULT_PAGE,
            page_token=position,
            state=wanted.state,
            with_free_seat=wanted.with_free_seat,
            matches=wanted.matches,
        )
        return pb.ListTablesResponse(tables=tables, next_page_token=self._pages.following(question, following))

    async def watch_tables(self, request: pb.WatchTablesRequest, call: Call) -> None:
        """Write the list of tables, and what changes in it."""
        shape = Shape()
        _check_filter(shape, request)
        shape.settle()
        wanted = TableFilter.of(request, await self._blocks.of(call.caller.account))
        feed = TableFeed(self._tables, wanted, self._encoded)
        stream = TableListStream(call.identity, call.address, self._clock, feed, self._heartbeat_seconds)
        try:
            with self._streams.admit(stream):
                await stream.run(call.context)
        finally:
            stream.close()
            feed.close()


def _check_filter(shape: Shape, request: pb.ListTablesRequest | pb.WatchTablesRequest) -> None:
    if request.state not in pb.TableState.values():
        shape.bad("state", "wanted: a TableState", "应为 TableState 之一")
    preset = request.rule_set.removeprefix(RULE_SETS)
    if request.rule_set and (preset not in PRESET_NAMES or preset == request.rule_set):
        shape.bad("rule_set", "there is no such rule set: ListRuleSets lists them", "没有此规则：见 ListRuleSets")
    shape.title(request.title_text, "title_text")
