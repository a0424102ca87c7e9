"""The Play stream: commands of one client in, updates and results of all its tables out."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError
from google.rpc import code_pb2

from gouji.table.v1 import table_pb2 as pb
from gouji_server.accounts import TokenError
from gouji_server.api.errors import invalid, limited, malformed, unauthenticated
from gouji_server.api.scopes import Scope, check_scope
from gouji_server.api.streams import Stream
from gouji_server.api.validation import Shape
from gouji_server.tables import Refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine

    from gouji.table.v1.chat_pb2 import SendChatRequest
    from gouji_server.accounts import Accounts
    from gouji_server.api.calls import Call
    from gouji_server.api.table import TableRoom
    from gouji_server.tables import TableHandle

MAX_ECHO = 64
"""Characters of a request id that a result repeats; a longer one is refused anyway."""


class PlayStream:
    """One Play stream.

    Commands are taken in order, and none is read while as many as `max_commands_in_flight` wait for their result. Every
    command gets one result; one that cannot be read gets it with an empty request id, and the stream goes on. When the
    client ends its side, updates go on until nothing is followed any more.
    """

    def __init__(self, room: TableRoom, accounts: Accounts, call: Call) -> None:
        self._room = room
        self._accounts = accounts
        self._context = call.context
        self._call = call
        self._identity = call.identity
        self._outbox = room.tables.outbox()
        self._stream = Stream(call.identity, call.address, self._outbox, room.clock)
        self._handles: dict[str, TableHandle] = {}
        self._account = call.identity.caller.account
        self._address = call.address

    async def run(self, requests: AsyncIterator[bytes]) -> None:
        """Serve the stream to its end; raises what it ends with."""
        try:
            with self._room.streams.admit(self._stream):
                reader = asyncio.create_task(self._read(requests))
                # A task of its own: every wake-up would else pass through all the coroutines that wait here.
                writer = asyncio.create_task(
                    self._stream.write(self._context, self._room.heartbeat_seconds, pb.PlayResponse)
                )
                try:
                    await writer
                finally:
                    reader.cancel()
                    await asyncio.gather(reader, writer, return_exceptions=True)
        finally:
            self._stream.close()

    async def _read(self, requests: AsyncIterator[bytes]) -> None:
        try:
            async for raw in requests:
                if self._outbox.ended:  # its caller may do nothing more, though what waits is still being sent
                    return
                await self._serve(raw)
                await self._outbox.room()
            self._outbox.finish_when_idle()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, a stream that reads no more has to end
            if not self._context.done():
                self._stream.end(self._room.told(error))

    async def _serve(self, raw: bytes) -> None:
        try:
            request = pb.PlayRequest.FromString(raw)
        except DecodeError:
            self._refuse("Play.malformed", "", malformed())
            return
        match request.WhichOneof("command"):
            case "act":
                await self._act(request.act)
            case "subscribe":
                await self._answer("Play.subscribe", request.subscribe.request_id, self._subscribe(request.subscribe))
            case "unsubscribe":
                command = request.unsubscribe
                await self._answer("Play.unsubscribe", command.request_id, self._unsubscribe(command))
            case "chat":
                await self._answer("Play.chat", request.chat.request_id, self._chat(request.chat))
            case "renew":
                await self._answer("Play.renew", request.renew.request_id, self._renew(request.renew))
            case _:
                fields = [("command", "wanted: one of subscribe, unsubscribe, act, renew, chat")]
                refused = invalid(fields, "应为 subscribe、unsubscribe、act、renew、chat 之一")
                self._refuse("Play.malformed", "", refused)

    async def _act(self, command: pb.SubmitActionRequest) -> None:
        try:
            self._count("Play.act")
            if len(command.request_id) > MAX_ECHO:
                Shape().request_id(command.request_id).settle()
            table = self._handles.get(command.table) or await self._open(command.table)
        except Exception as error:  # noqa: BLE001 - every command gets a result
            self._refuse("Play.act", command.request_id, error)
            return
        # The table answers, and counts.
        table.act_on_stream(self._identity.caller, command, self._outbox)

    def _count(self, method: str) -> None:
        self._room.limits.take(method, self._account, self._address)

    async def _answer(self, method: str, request_id: str, command: Coroutine[Any, Any, int | None]) -> None:
        """Carry a command out and put its result into the outbox, unless it did so itself (None)."""
        try:
            self._count(method)
        except Refused as refused:
            command.close()
            self._refuse(method, request_id, refused)
            return
        try:
            version = await command
        except Exception as error:  # noqa: BLE001 - every command gets a result
            self._refuse(method, request_id, error)
            return
        self._room.metrics.command(method, "OK")
        if version is not None:
            self._outbox.put_result(request_id, version)

    async def _subscribe(self, command: pb.Subscribe) -> None:
        Shape().request_id(command.request_id).name(command.table, "tables", "table").settle()
        most = self._room.max_tables_per_stream
        if self._outbox.follower(command.table) is None and self._outbox.followed >= most:
            raise limited(
                "TOO_MANY_TABLES_ON_STREAM",
                f"a stream follows at most {most} tables",
                f"一条数据流最多关注 {most} 张牌桌",
            )
        after = command.after if command.HasField("after") else None
        caller = self._identity.caller
        code = self._room.code_tries.take(caller.account, self._call, command.join_code)
        grant = await self._room.links.grant(self._call, command.table, command.share_link)
        table = await self._open(command.table)
        hidden = await self._room.silences.of(caller.account)
        await table.subscribe(caller, after, self._outbox, command.request_id, code, hidden, grant)

    async def _chat(self, command: SendChatRequest) -> int:
        check_scope(self._identity, Scope.CHAT)
        await self._room.chat.say(command, replace(self._call, known=self._identity))
        return 0

    async def _unsubscribe(self, command: pb.Unsubscribe) -> int:
        Shape().request_id(command.request_id).name(command.table, "tables", "table").settle()
        table = self._handles.get(command.table) or await self._open(command.table)
        table.unsubscribe(self._outbox)
        return 0

    async def _renew(self, command: pb.RenewToken) -> int:
        Shape().request_id(command.request_id).settle()
        try:
            identity = self._accounts.authenticate(command.access_token)
        except TokenError as error:
            raise unauthenticated() from error
        if identity.caller.account != self._identity.caller.account:
            raise Refused(
                code_pb2.PERMISSION_DENIED,
                "OTHER_ACCOUNT",
                "the token is another account's: a stream stays with the account that opened it",
                "令牌属于其他账号：数据流只属于打开它的账号",
            )
        check_scope(identity, Scope.PLAY)
        self._identity = identity
        self._stream.renew(identity)
        return 0

    async def _open(self, name: str) -> TableHandle:
        table = await self._room.tables.open(name)
        if len(self._handles) >= self._room.max_tables_per_stream:
            self._handles.clear()
        self._handles[name] = table
        return table

    def _refuse(self, method: str, request_id: str, error: Exception) -> None:
        refused = self._room.told(error)
        self._room.metrics.command(method, refused.status)
        self._outbox.put_refusal(request_id[:MAX_ECHO], refused)
