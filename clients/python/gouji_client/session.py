"""Who the client is to the server, and the tokens that say so."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from gouji.session.v1 import session_pb2
from gouji_client.arguments import text_of, well_formed
from gouji_client.calls import new_request_id
from gouji_client.credentials import Credentials
from gouji_client.errors import CredentialsError, NotSignedIn, SignInFailed

if TYPE_CHECKING:
    from gouji.session.v1.session_pb2_grpc import SessionServiceAsyncStub
    from gouji_client.calls import Calls

_RENEW_AFTER = 0.7
"""The part of an access token's life after which it is renewed."""
_UNTOLD_LIFE = 60.0
"""Seconds that a token is taken to live when this machine's clock and the server's disagree so much that it seems dead
on arrival. If that is too long, the server says so and the token is renewed then."""


class Session:
    """One account's session with one server; renews its tokens by itself.

    A device secret outlives every token: when the refresh token is not taken any more (it may have been used by a call
    whose answer was lost), the session signs in anew with the secret.
    """

    def __init__(self, stub: SessionServiceAsyncStub, calls: Calls) -> None:
        self._stub = stub
        self._calls = calls
        self._tokens: session_pb2.Session | None = None
        self._credentials: Credentials | None = None
        self._bot_token = ""
        self._renew_at = 0.0
        self._renewing = asyncio.Lock()

    @property
    def signed_in(self) -> bool:
        """Whether there is an account."""
        return self._tokens is not None

    @property
    def account(self) -> session_pb2.Account:
        """The account. Raises `NotSignedIn`."""
        return self._require_tokens().account

    @property
    def credentials(self) -> Credentials:
        """What makes a later client come back as this account. Raises `NotSignedIn`, `CredentialsError` for a bot."""
        if self._bot_token:
            raise CredentialsError("a bot's account has no credentials: its token brings it back")
        if self._credentials is None:
            raise NotSignedIn
        return self._credentials

    async def begin_as_guest(self, display_name: str) -> Credentials:
        """Make a new account and sign in to it. Raises `Refused` for a bad name, `ServerUnreachable`, …"""
        text_of(display_name, "a name")
        with well_formed("a name"):
            guest = session_pb2.NewGuest(display_name=display_name)
        request = session_pb2.SignInRequest(new_guest=guest, request_id=new_request_id())
        answer = await self._calls.plain(self._stub.SignIn, request)
        account = answer.session.account
        self._credentials, self._bot_token = self._new_credentials(account, answer.device_secret), ""
        self._take(answer.session)
        return self._credentials

    async def begin(self, credentials: Credentials) -> None:
        """Come back as the account of `credentials`. Raises `SignInFailed` if the server does not know them."""
        request = session_pb2.SignInRequest(
            device=session_pb2.DeviceCredential(account=credentials.account, device_secret=credentials.device_secret),
            request_id=new_request_id(),
        )
        answer = await self._calls.plain(self._stub.SignIn, request)
        self._credentials, self._bot_token = credentials, ""
        self._take(answer.session)

    async def begin_with_password(self, login_name: str, password: str) -> Credentials:
        """Come back by name and password; return credentials with a new device secret. Raises `SignInFailed`, …"""
        with well_formed("a name or password"):
            given = session_pb2.PasswordCredential(login_name=login_name, password=password, remember_device=True)
        answer = await self._calls.plain(self._stub.SignIn, session_pb2.SignInRequest(password=given))
        self._credentials = self._new_credentials(answer.session.account, answer.device_secret)
        self._bot_token = ""
        self._take(answer.session)
        return self._credentials

    async def begin_as_bot(self, token: str) -> None:
        """Sign in as the bot whose token it is. Raises `SignInFailed` if the token is good no more."""
        with well_formed("a token"):
            request = session_pb2.SignInRequest(bot=session_pb2.BotCredential(token=token))
        answer = await self._calls.plain(self._stub.SignIn, request)
        self._credentials, self._bot_token = None, token
        self._take(answer.session)

    async def access_token(self) -> str:
        """Return a token that is not near its end. Raises `NotSignedIn`, `SignInFailed`, `ServerUnreachable`."""
        tokens = self._require_tokens()
        if self.seconds_to_renewal() > 0:
            return tokens.access_token
        return await self.renew(lapsed=tokens.access_token)

    def seconds_to_renewal(self) -> float:
        """Return how long the access token is still good for use; 0 or less when it should be renewed."""
        return self._renew_at - self._calls.clock.monotonic()

    async def renew(self, lapsed: str) -> str:
        """Return a token other than `lapsed`, the one found wanting; only the first of many callers trades it in."""
        async with self._renewing:
            tokens = self._require_tokens()
            if tokens.access_token != lapsed:
                return tokens.access_token
            request = session_pb2.RefreshSessionRequest(refresh_token=tokens.refresh_token)
            try:
                answer = await self._calls.plain(self._stub.RefreshSession, request)
            except SignInFailed:
                await (self.begin_as_bot(self._bot_token) if self._bot_token else self.begin(self.credentials))
            else:
                self._take(answer.session)
            return self._require_tokens().access_token

    async def end(self) -> None:
        """Sign out: the refresh token is void from now on. Without a session nothing happens."""
        if self._tokens is None:
            return
        request = session_pb2.SignOutRequest(refresh_token=self._tokens.refresh_token)
        self._tokens = None
        await self._calls.plain(self._stub.SignOut, request)

    def forget(self) -> None:
        """Have no session any more: the server has ended it."""
        self._tokens = None

    def replace_secret(self, device_secret: str) -> Credentials:
        """Take a new device secret of the account, and return the credentials that hold it."""
        self._credentials = self._new_credentials(self.account, device_secret)
        return self._credentials

    def _new_credentials(self, account: session_pb2.Account, device_secret: str = "") -> Credentials:
        return Credentials(
            server=self._calls.address,
            account=account.name,
            display_name=account.display_name,
            device_secret=device_secret,
        )

    def _require_tokens(self) -> session_pb2.Session:
        if self._tokens is None:
            raise NotSignedIn
        return self._tokens

    def _take(self, tokens: session_pb2.Session) -> None:
        self._tokens = tokens
        life = tokens.access_expire_time.ToNanoseconds() / 1e9 - self._calls.clock.time()
        self._renew_at = self._calls.clock.monotonic() + (life if life > 0 else _UNTOLD_LIFE) * _RENEW_AFTER
