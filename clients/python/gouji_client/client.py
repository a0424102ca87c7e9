"""The client: one server, one account, any number of tables."""

from __future__ import annotations

import asyncio
import os
import random
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import grpc

from gouji.lobby.v1 import lobby_pb2_grpc
from gouji.matchmaking.v1 import matchmaking_pb2_grpc
from gouji.replay.v1 import replay_pb2_grpc
from gouji.session.v1 import session_pb2, session_pb2_grpc
from gouji.sharing.v1 import sharing_pb2_grpc
from gouji.table.v1 import table_pb2, table_pb2_grpc
from gouji_client.accounts import Accounts
from gouji_client.arguments import table_name, well_formed
from gouji_client.backoff import Backoff
from gouji_client.calls import Calls
from gouji_client.channel import Address, is_known, open_channel
from gouji_client.clock import SystemClock
from gouji_client.credentials import Credentials
from gouji_client.entropy import EntropyGiver
from gouji_client.errors import BadInput, ClientClosed, CredentialsError, ServerUnreachable, SignInFailed
from gouji_client.lobby import Lobby
from gouji_client.matchmaking import Matchmaking
from gouji_client.replays import Replays
from gouji_client.session import Session
from gouji_client.sharing import Sharing
from gouji_client.stream import PlayStream
from gouji_client.table import Table
from gouji_rules.errors import Wording

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import TracebackType
    from typing import Self

    import grpc.aio

    from gouji_client.arguments import TableLike
    from gouji_client.channel import TLS
    from gouji_client.clock import Clock

SILENCE = 60.0
"""Seconds without a word from the server, heartbeats included, after which a stream is taken for broken."""


class Client:
    """A connection to one server as one account. Made by `connect`; closed by `async with` or `await close()`."""

    def __init__(
        self, channel: grpc.aio.Channel, calls: Calls, silence: float = SILENCE, *, entropy: bool = True
    ) -> None:
        self._channel = channel
        self._calls = calls
        sessions_stub = session_pb2_grpc.SessionServiceStub(channel)
        self._sessions_stub = sessions_stub
        self._session = Session(sessions_stub, calls)
        self._tables_stub = table_pb2_grpc.TableServiceStub(channel)
        giver = EntropyGiver(self._tables_stub, self._session, calls) if entropy else None
        self._stream = PlayStream(self._tables_stub, self._session, calls, silence, giver)
        self._tables: dict[str, Table] = {}
        self.lobby = Lobby(lobby_pb2_grpc.LobbyServiceStub(channel), self._session, calls)
        """Finding, making and filling tables."""
        self.matchmaking = Matchmaking(matchmaking_pb2_grpc.MatchmakingServiceStub(channel), self._session, calls)
        """Finding people to play with."""
        self.replays = Replays(replay_pb2_grpc.ReplayServiceStub(channel), self._session, calls)
        """Matches that are over."""
        self.sharing = Sharing(sharing_pb2_grpc.SharingServiceStub(channel), self._session, calls)
        """Links by which others watch tables, or look at matches."""
        self.accounts = Accounts(sessions_stub, self._session, calls)
        """The account that is signed in, and what belongs to it."""

    @property
    def address(self) -> str:
        """Where the server is."""
        return self._calls.address

    @property
    def account(self) -> session_pb2.Account:
        """The account signed in. Raises `NotSignedIn`."""
        return self._session.account

    @property
    def credentials(self) -> Credentials:
        """What makes a later client come back as this account. Raises `NotSignedIn`."""
        return self._session.credentials

    async def server_info(self) -> session_pb2.GetServerInfoResponse:
        """Ask the server for its version, its time, and the least versions of clients that it takes."""
        return await self._calls.plain(self._sessions_stub.GetServerInfo, session_pb2.GetServerInfoRequest())

    async def sign_in(
        self,
        name: str = "",
        *,
        credentials: Credentials | None = None,
        keep: str | os.PathLike[str] | None = None,
    ) -> Credentials:
        """Sign in, and return what makes a later client come back as the same account.

        With a `name` alone it makes a new guest: names are not unique and prove nothing. With `credentials` it comes
        back as their account. With `keep`, a file, it comes back if the file is there, else it makes a new guest and
        writes the file, readable by its owner alone.

        Raises `Refused` (a bad name, too many sign-ins), `SignInFailed` (the server does not know the credentials),
        `CredentialsError` (the file cannot be used, or the credentials are another server's), `ServerUnreachable`.
        """
        if self._calls.is_closed():
            raise ClientClosed
        known = credentials
        if known is not None and not isinstance(known, Credentials):
            raise BadInput("credentials are the Credentials that sign_in returned; the name of a file goes into keep=…")
        if keep is not None and not isinstance(keep, (str, os.PathLike)):
            raise BadInput(f"keep is the name of a file, not {keep!r}")
        if known is None and keep is not None and await asyncio.to_thread(Path(keep).exists):
            known = await asyncio.to_thread(Credentials.load, keep)
        if known is None:
            made = await self._session.begin_as_guest(name)
            if keep is not None:
                await asyncio.to_thread(made.save, keep)
            return made
        self._refuse_another_server(known)
        try:
            await self._session.begin(known)
        except SignInFailed as error:
            where = f"; {keep} holds them: remove it to begin as a new guest" if keep is not None else ""
            raise SignInFailed(f"{self.address} does not know the credentials of {known.account}{where}") from error
        return known

    async def sign_in_with_password(
        self, login_name: str, password: str, *, keep: str | os.PathLike[str] | None = None
    ) -> Credentials:
        """Come back by name and password, as `client.accounts.set_password` set them.

        Returns credentials with a new device secret, so that the password need not be kept; with `keep` they are
        written to that file. Raises `SignInFailed`, the same for a wrong password and a name that is nobody's,
        `Refused` (too many tries), `BadInput`, `CredentialsError` (the file cannot be written), `ServerUnreachable`.
        """
        if self._calls.is_closed():
            raise ClientClosed
        made = await self._session.begin_with_password(login_name, password)
        if keep is not None:
            await asyncio.to_thread(made.save, keep)
        return made

    async def sign_in_as_bot(self, token: str) -> None:
        """Sign in as the bot's account whose token it is (docs/accounts.md); the token brings it back every time.

        Raises `SignInFailed` if the token is unknown, lapsed or revoked, `ServerUnreachable`, `BadInput`.
        """
        if self._calls.is_closed():
            raise ClientClosed
        known = str(token or "").strip()
        if not known:
            raise BadInput("a bot's token is a text that begins with gouji-bot-")
        try:
            await self._session.begin_as_bot(known)
        except SignInFailed as error:
            raise SignInFailed(f"{self.address} does not take this token: it is unknown, lapsed or revoked") from error

    async def sign_out(self) -> None:
        """End the session on the server. Credentials stay good for coming back."""
        await self._session.end()

    def table(self, name: TableLike, *, join_code: str = "", share_link: str = "") -> Table:
        """Return the table `tables/{table}`; nothing is asked of the server yet.

        Who watches a private table without a seat gives its join code, or the token of a share link.
        """
        full = table_name(name)
        if share_link:
            with well_formed("a share link"):
                table_pb2.Subscribe(share_link=share_link)
            self._stream.share_links[full] = share_link
        if join_code:
            with well_formed("a join code"):
                table_pb2.Subscribe(join_code=join_code)
            self._stream.join_codes[full] = join_code
        if full not in self._tables:
            self._tables[full] = Table(
                full,
                stub=self._tables_stub,
                session=self._session,
                calls=self._calls,
                stream=self._stream,
                lobby=self.lobby,
            )
        return self._tables[full]

    async def pause_between(self, shortest: float, longest: float) -> None:
        """Wait a random time between two bounds in seconds; none at all if both are 0."""
        if longest > 0:
            await self._calls.clock.sleep(self._calls.rng.uniform(shortest, longest))

    async def close(self) -> None:
        """Close the connection; whatever waits for it gets `ClientClosed`. Twice is no error."""
        self._calls.close()
        await self._stream.close()
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _refuse_another_server(self, known: Credentials) -> None:
        """A secret must not be sent to a machine that has no business with it; its port may change."""
        try:
            theirs = Address.parse(known.server)
        except BadInput as error:
            raise CredentialsError(
                f"the credentials of {known.account} name no server: {error}",
                f"{known.account} 的账号文件没有写明服务器：{error}",
            ) from error
        ours = Address.parse(self.address)
        if (theirs.host, theirs.socket) != (ours.host, ours.socket) and not (theirs.loopback and ours.loopback):
            raise CredentialsError(
                f"the credentials of {known.account} belong to {known.server} and are not sent to {self.address}",
                f"{known.account} 的账号属于 {known.server}，不会发给 {self.address}",
            )


class Connecting:
    """What `connect` returns: `await` it for a client, or use it in `async with`."""

    def __init__(
        self,
        opening: Callable[[], grpc.aio.Channel],
        calls: Calls,
        wait: float,
        silence: float,
        *,
        entropy: bool = True,
    ) -> None:
        self._entropy = entropy
        self._open = opening
        self._calls = calls
        self._wait = wait
        self._silence = silence
        self._client: Client | None = None

    def __await__(self) -> Generator[object, None, Client]:
        return self._connect().__await__()

    async def __aenter__(self) -> Client:
        self._client = await self._connect()
        return self._client

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            await self._client.close()

    async def _connect(self) -> Client:
        channel = self._open()  # here and not before: a channel belongs to the loop that runs when it is made
        try:
            async with asyncio.timeout(self._wait):
                await channel.channel_ready()
        except TimeoutError:
            await channel.close()
            raise ServerUnreachable(self._calls.address, *await self._why_not()) from None
        except BaseException:
            await channel.close()
            raise
        return Client(channel, self._calls, self._silence, entropy=self._entropy)

    async def _why_not(self) -> Wording:
        """Say what may be wrong with an address at which no connection came about."""
        address = Address.parse(self._calls.address)
        if not await is_known(address):
            return Wording(
                f"no machine by the name of {address.host} is known here; is the address right?",
                f"这里找不到名为 {address.host} 的机器；地址对吗？",
            )
        return Wording(
            f"no connection came about within {self._wait:g} s; check the address, and whether the server wants TLS "
            "(tls=True) or a certificate of yours (TLS(cert_file=…)); `gouji serve` starts a server on this machine",
            f"{self._wait:g} 秒内没有连上；请检查地址，以及服务器是否要求 TLS（tls=True）"
            "或你的证书（TLS(cert_file=…)）；`gouji serve` 在本机启动服务器",
        )


class ConnectOptions(TypedDict, total=False):
    """The options of `connect`, for functions that pass them on."""

    tls: TLS | bool
    insecure: bool
    wait: float
    backoff: Backoff | None
    call_timeout: float
    silence: float
    entropy: bool
    clock: Clock | None
    rng: random.Random | None


def connect(
    address: str,
    *,
    tls: TLS | bool = False,
    insecure: bool = False,
    wait: float = 5.0,
    backoff: Backoff | None = None,
    call_timeout: float = 10.0,
    silence: float = SILENCE,
    entropy: bool = True,
    clock: Clock | None = None,
    rng: random.Random | None = None,
) -> Connecting:
    """Connect to a server: `async with connect("127.0.0.1:50151") as client`, or `client = await connect(…)`.

    `address` is `host:port`; `tls` is True or a `TLS`; cleartext to another machine needs `insecure=True`. `wait` is
    how long to try for the first connection, `backoff` how to try again when it is lost later and for how long,
    `call_timeout` the time for one call, `silence` the time without a heartbeat after which a stream is given up, all
    in seconds. With `entropy` it gives random bytes for the shuffle of every deal that it plays (docs/shuffle.md).
    `clock` and `rng` (jitter, choice of suits) are for tests.

    Raises `ServerUnreachable`, `UnsafeConnection`, `CredentialsError` (TLS files), `BadInput` (a bad address).
    """
    parsed = Address.parse(address)
    calls = Calls(
        address=str(parsed),
        clock=clock or SystemClock(),
        backoff=backoff or Backoff(),
        rng=rng or random.SystemRandom(),
        timeout=call_timeout,
    )
    return Connecting(partial(open_channel, parsed, tls, insecure=insecure), calls, wait, silence, entropy=entropy)
