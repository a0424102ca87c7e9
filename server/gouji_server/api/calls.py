"""What every call goes through: who is calling, the message's shape, log context, counting, and how it fails.

Methods take and give bytes: a request that cannot be parsed is answered as any other bad request (gRPC itself would
call it INTERNAL), and a response that a table has encoded already goes out as it is.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from gouji_server.accounts import Origin, TokenError
from gouji_server.api.client_versions import CLIENT_HEADER
from gouji_server.api.errors import abort, malformed, told, unauthenticated
from gouji_server.api.peers import address_of
from gouji_server.api.scopes import Scope, check_scope, scope_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from gouji_server.accounts import Accounts, Identity
    from gouji_server.api.client_versions import ClientGate
    from gouji_server.api.limits import CallLimits
    from gouji_server.metrics import Metrics
    from gouji_server.tables import Caller

    Context = grpc.aio.ServicerContext[bytes, bytes]

Request = TypeVar("Request", bound=Message)
Result = TypeVar("Result")

MAX_LOGGED = 64
"""Characters of a request's field in a log line."""

MAX_CLIENT = 64
"""Characters of what a client calls itself."""

log = structlog.get_logger("gouji.api")


@dataclass(frozen=True, slots=True)
class Call:
    """A call being served. `known` is who is calling; None for methods that are open to all."""

    context: Context
    known: Identity | None

    @property
    def identity(self) -> Identity:
        """Who is calling, and until when that is known. Raises Refused UNAUTHENTICATED when nobody says."""
        if self.known is None:
            raise unauthenticated()
        return self.known

    @property
    def caller(self) -> Caller:
        """Who is calling. Raises Refused UNAUTHENTICATED when nobody says."""
        return self.identity.caller

    @property
    def address(self) -> str:
        """Where the call comes from, as limits count it."""
        return address_of(self.context.peer())

    @property
    def origin(self) -> Origin:
        """Where the call comes from, and what the client calls itself."""
        return Origin(self.address, client_of(self.context))


class Calls:
    """Makes gRPC handlers out of plain coroutines."""

    def __init__(
        self,
        accounts: Accounts,
        metrics: Metrics,
        gate: ClientGate,
        limits: CallLimits,
        check_method: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`check_method` raises Refused for methods that are not served now."""
        self._check_method = check_method
        self._accounts = accounts
        self._metrics = metrics
        self._gate = gate
        self._limits = limits

    def unary(
        self,
        method: str,
        request_type: type[Request],
        serve: Callable[[Request, Call], Awaitable[Message | bytes]],
        *,
        logged: Sequence[tuple[str, str]] = (),
        any_client: bool = False,
    ) -> grpc.RpcMethodHandler[bytes, bytes]:
        """Return the handler of a unary method.

        `serve` gets the parsed request and gives the response, as a message or as its bytes. `logged`: request fields
        that go into the log context, with the names they have there. `any_client`: however old the client is.
        Who may call it stands in api/scopes.py.
        """

        scope = scope_of(method)

        async def handle(raw: bytes, context: Context) -> bytes:
            async def run() -> bytes:
                if not any_client:
                    self._gate.check(client_of(context))
                call = self._call(method, context, scope)
                request = parse(request_type, raw)
                _bind(request, logged)
                response = await serve(request, call)
                return response if isinstance(response, bytes) else response.SerializeToString()

            return await self._guarded(method, context, run)

        return grpc.unary_unary_rpc_method_handler(handle)

    def server_stream(
        self,
        method: str,
        request_type: type[Request],
        serve: Callable[[Request, Call], Awaitable[None]],
        *,
        logged: Sequence[tuple[str, str]] = (),
    ) -> grpc.RpcMethodHandler[bytes, bytes]:
        """Return the handler of a method that answers with a stream; `serve` writes it and ends it by returning."""

        scope = scope_of(method)

        async def handle(raw: bytes, context: Context) -> None:
            async def run() -> None:
                self._gate.check(client_of(context))
                call = self._call(method, context, scope)
                request = parse(request_type, raw)
                _bind(request, logged)
                await serve(request, call)

            await self._guarded(method, context, run)

        return grpc.unary_stream_rpc_method_handler(handle)

    def two_way_stream(
        self, method: str, serve: Callable[[AsyncIterator[bytes], Call], Awaitable[None]]
    ) -> grpc.RpcMethodHandler[bytes, bytes]:
        """Return the handler of a method with streams both ways; `serve` reads the one and writes by the context."""

        scope = scope_of(method)

        async def handle(requests: AsyncIterator[bytes], context: Context) -> None:
            async def run() -> None:
                self._gate.check(client_of(context))
                await serve(requests, self._call(method, context, scope))

            await self._guarded(method, context, run)

        return grpc.stream_stream_rpc_method_handler(handle)

    def _call(self, method: str, context: Context, scope: Scope) -> Call:
        """Find out who calls. An address that calls too much is refused before that costs anything."""
        address = address_of(context.peer())
        self._limits.come(address)
        if scope is Scope.PUBLIC:
            return Call(context, None)
        try:
            identity = self._accounts.authenticate(bearer(context))
        except TokenError as error:
            raise unauthenticated() from error
        structlog.contextvars.bind_contextvars(account=identity.caller.account)
        check_scope(identity, scope)
        self._check_method(method)
        self._limits.take(method, identity.caller.account, address)
        return Call(context, identity)

    async def _guarded(self, method: str, context: Context, run: Callable[[], Awaitable[Result]]) -> Result:
        """Run a call: what it returns is returned; what it raises becomes its status."""
        structlog.contextvars.bind_contextvars(method=method)
        try:
            response = await run()
        except asyncio.CancelledError:
            self._metrics.command(method, "CANCELLED")
            raise
        except Exception as error:  # noqa: BLE001 - the last place before gRPC, which would tell the client its text
            refused = told(error, self._metrics)
        else:
            self._metrics.command(method, "OK")
            log.debug("call", status="OK")
            return response
        self._metrics.command(method, refused.status)
        log.debug("call", status=refused.status, reason=refused.reason)
        return await abort(context, refused)


def parse(request_type: type[Request], raw: bytes) -> Request:
    """Parse a message. Raises Refused INVALID_ARGUMENT."""
    try:
        return request_type.FromString(raw)
    except DecodeError as error:
        raise malformed() from error


def bearer(context: Context) -> str:
    """Return the access token of a call, from the metadata `authorization: Bearer …`. Raises TokenError."""
    values = [value for key, value in context.invocation_metadata() or () if key == "authorization"]
    if len(values) != 1 or not isinstance(values[0], str):
        raise TokenError
    scheme, _, token = values[0].partition(" ")
    if scheme.lower() != "bearer":
        raise TokenError
    return token.strip()


def client_of(context: Context) -> str:
    """Return what a client calls itself, from the metadata `gouji-client: NAME/VERSION`; empty if it does not say."""
    values = [value for key, value in context.invocation_metadata() or () if key == CLIENT_HEADER]
    if len(values) != 1 or not isinstance(values[0], str):
        return ""
    return "".join(character for character in values[0] if character.isprintable())[:MAX_CLIENT]


def _bind(request: Message, logged: Sequence[tuple[str, str]]) -> None:
    if logged:
        values = {name: getattr(request, field) for field, name in logged}
        short = {name: value[:MAX_LOGGED] if isinstance(value, str) else value for name, value in values.items()}
        structlog.contextvars.bind_contextvars(**short)
