"""A client made of the bare stubs: what a program in any language would do, with nothing of the SDK."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeVar

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from gouji.lobby.v1 import lobby_pb2, lobby_pb2_grpc
from gouji.matchmaking.v1 import matchmaking_pb2, matchmaking_pb2_grpc
from gouji.replay.v1 import replay_pb2, replay_pb2_grpc
from gouji.session.v1 import session_pb2, session_pb2_grpc
from gouji.sharing.v1 import sharing_pb2, sharing_pb2_grpc
from gouji.table.v1 import table_pb2, table_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

Detail = TypeVar("Detail", bound=Message)

SERVICES = {
    "SessionService": (session_pb2, "gouji.session.v1.SessionService"),
    "LobbyService": (lobby_pb2, "gouji.lobby.v1.LobbyService"),
    "TableService": (table_pb2, "gouji.table.v1.TableService"),
    "MatchmakingService": (matchmaking_pb2, "gouji.matchmaking.v1.MatchmakingService"),
    "ReplayService": (replay_pb2, "gouji.replay.v1.ReplayService"),
    "SharingService": (sharing_pb2, "gouji.sharing.v1.SharingService"),
}


@dataclass(frozen=True)
class Refusal:
    """A failed call, unpacked. `texts`: by locale; `retry`: seconds, None without RetryInfo; `raw`: all bytes of it."""

    code: grpc.StatusCode
    reason: str = ""
    domain: str = ""
    message: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    retry: float | None = None
    texts: dict[str, str] = field(default_factory=dict)
    raw: bytes = b""


def unpack(error: grpc.aio.AioRpcError) -> Refusal:
    """Read the status of a failed call with its details."""
    status = rpc_status.from_call(error)  # type: ignore[arg-type]
    if status is None:
        return Refusal(error.code(), message=error.details() or "")

    def all_of(kind: type[Detail]) -> list[Detail]:
        found = []
        for packed in status.details:
            detail = kind()
            if packed.Unpack(detail):
                found.append(detail)
        return found

    info = (*all_of(error_details_pb2.ErrorInfo), error_details_pb2.ErrorInfo())[0]
    retries = all_of(error_details_pb2.RetryInfo)
    return Refusal(
        code=error.code(),
        reason=info.reason,
        domain=info.domain,
        message=status.message,
        metadata=dict(info.metadata),
        fields=tuple(v.field for bad in all_of(error_details_pb2.BadRequest) for v in bad.field_violations),
        retry=retries[0].retry_delay.ToNanoseconds() / 1e9 if retries else None,
        texts={text.locale: text.message for text in all_of(error_details_pb2.LocalizedMessage)},
        raw=status.SerializeToString(),
    )


async def refusal(call: Awaitable[object]) -> Refusal:
    """Return how a call fails; it is an error of the test if it does not."""
    try:
        answer = await call
    except grpc.aio.AioRpcError as error:
        return unpack(error)
    raise AssertionError(f"not refused: {answer}")


def new_id() -> str:
    """Return a request id never used before."""
    return uuid.uuid4().hex


class RawClient:
    """A connection, and the session of one account once it has signed in."""

    def __init__(self, address: str, credentials: grpc.ChannelCredentials | None = None) -> None:
        self.channel = (
            grpc.aio.insecure_channel(address) if credentials is None else grpc.aio.secure_channel(address, credentials)
        )
        self.sessions = session_pb2_grpc.SessionServiceStub(self.channel)
        self.lobby = lobby_pb2_grpc.LobbyServiceStub(self.channel)
        self.matchmaking = matchmaking_pb2_grpc.MatchmakingServiceStub(self.channel)
        self.tables = table_pb2_grpc.TableServiceStub(self.channel)
        self.replays = replay_pb2_grpc.ReplayServiceStub(self.channel)
        self.sharing = sharing_pb2_grpc.SharingServiceStub(self.channel)
        self.session = session_pb2.Session()
        self.device_secret = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.channel.close()

    @property
    def account(self) -> str:
        """The account's resource name."""
        return self.session.account.name

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What says who is calling; empty before signing in."""
        token = self.session.access_token
        return (("authorization", f"Bearer {token}"),) if token else ()

    async def sign_in(self, name: str = "player", request_id: str = "") -> session_pb2.SignInResponse:
        """Become a new guest."""
        request = session_pb2.SignInRequest(new_guest=session_pb2.NewGuest(display_name=name), request_id=request_id)
        answer: session_pb2.SignInResponse = await self.sessions.SignIn(request)
        self.session, self.device_secret = answer.session, answer.device_secret
        return answer

    async def come_back(self, account: str, secret: str) -> session_pb2.SignInResponse:
        """Sign in with a device secret."""
        request = session_pb2.SignInRequest(device=session_pb2.DeviceCredential(account=account, device_secret=secret))
        answer: session_pb2.SignInResponse = await self.sessions.SignIn(request)
        self.session = answer.session
        return answer

    async def refresh(self) -> session_pb2.Session:
        """Trade the refresh token."""
        request = session_pb2.RefreshSessionRequest(refresh_token=self.session.refresh_token)
        answer = await self.sessions.RefreshSession(request)
        self.session = answer.session
        return self.session

    async def call(self, request: Message, metadata: Sequence[tuple[str, str]] | None = None) -> Any:
        """Call the unary method that takes this kind of request."""
        name = type(request).__name__.removesuffix("Request")
        stub: Any = next(
            stub
            for stub in (self.sessions, self.lobby, self.tables, self.replays, self.matchmaking, self.sharing)
            if getattr(stub, name, None) is not None
        )
        return await getattr(stub, name)(request, metadata=self.metadata if metadata is None else metadata)

    def watch(self, table: str, after: table_pb2.Place | None = None, share_link: str = "") -> Any:
        """Open a WatchTable stream."""
        request = table_pb2.WatchTableRequest(table=table, after=after, share_link=share_link)
        return self.tables.WatchTable(request, metadata=self.metadata)

    def replay(self, match: str, **wanted: Any) -> Any:
        """Open a WatchReplay stream."""
        return self.replays.WatchReplay(replay_pb2.WatchReplayRequest(name=match, **wanted), metadata=self.metadata)

    async def send(self, service: str, method: str, raw: bytes, metadata: Sequence[tuple[str, str]] = ()) -> bytes:
        """Call a unary method with bytes."""
        full = SERVICES[service][1]
        call: Any = self.channel.unary_unary(f"/{full}/{method}")
        answer: bytes = await call(raw, metadata=metadata)
        return answer
