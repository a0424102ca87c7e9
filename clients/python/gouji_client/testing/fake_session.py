"""The fake server's accounts and tokens."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import grpc

from gouji.session.v1 import session_pb2
from gouji_client.testing.refusals import Refusal, unauthenticated

if TYPE_CHECKING:
    from gouji_client.clock import Clock


class FakeAccounts:
    """Signs anybody in. Tokens live for `token_seconds` of `clock`, and until a fault makes them lapse."""

    def __init__(self, clock: Clock, token_seconds: float) -> None:
        self._clock = clock
        self._token_seconds = token_seconds
        self._accounts: dict[str, session_pb2.Account] = {}
        self._secrets: dict[str, str] = {}
        self._access: dict[str, tuple[str, float]] = {}
        self._refresh: dict[str, str] = {}
        self._made_by: dict[str, session_pb2.SignInResponse] = {}
        self.refreshes = 0
        """How often a refresh token was traded in."""
        self.sign_ins = 0
        """How often somebody signed in."""

    def account_of(self, token: str) -> session_pb2.Account:
        """Return whose access token it is. Raises `Refusal` (UNAUTHENTICATED)."""
        account, expires = self._access.get(token, ("", 0.0))
        if not account or self._clock.time() >= expires:
            raise unauthenticated()
        return self._accounts[account]

    def expires(self, token: str) -> float:
        """Return when an access token lapses; 0 if it has."""
        return self._access.get(token, ("", 0.0))[1]

    def lapse(self, account: str, *, refresh_too: bool) -> None:
        """Make an account's access tokens lapse now, and its refresh tokens as well if wanted."""
        self._access = {token: held for token, held in self._access.items() if held[0] != account}
        if refresh_too:
            self._refresh = {token: owner for token, owner in self._refresh.items() if owner != account}

    async def sign_in(self, request: session_pb2.SignInRequest, token: str) -> session_pb2.SignInResponse:
        """See `SessionService.SignIn`."""
        if request.HasField("new_guest") == request.HasField("device"):
            raise Refusal(
                grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", "exactly one way in is wanted", "须选一种方式"
            )
        if request.HasField("device"):
            wanted = self._secrets.get(request.device.account, "")
            if not wanted or not secrets.compare_digest(wanted, request.device.device_secret):
                raise Refusal(grpc.StatusCode.UNAUTHENTICATED, "CREDENTIAL_INVALID", "unknown secret", "密钥无效")
            self.sign_ins += 1
            return session_pb2.SignInResponse(session=self._new_session(request.device.account))
        known = self._made_by.get(request.request_id)
        if request.request_id and known is not None:
            return known
        name = request.new_guest.display_name
        if not 1 <= len(name) <= 24 or not name.isprintable():
            raise Refusal(
                grpc.StatusCode.INVALID_ARGUMENT, "BAD_NAME", "a name has 1 to 24 characters", "名字须1到24字"
            )
        self.sign_ins += 1
        account = session_pb2.Account(name=f"accounts/{len(self._accounts) + 1}", display_name=name)
        account.create_time.FromNanoseconds(round(self._clock.time() * 1e9))
        self._accounts[account.name] = account
        self._secrets[account.name] = secrets.token_urlsafe(24)
        answer = session_pb2.SignInResponse(
            session=self._new_session(account.name), device_secret=self._secrets[account.name]
        )
        self._made_by[request.request_id] = answer
        return answer

    async def refresh_session(
        self, request: session_pb2.RefreshSessionRequest, token: str
    ) -> session_pb2.RefreshSessionResponse:
        """See `SessionService.RefreshSession`."""
        account = self._refresh.pop(request.refresh_token, "")
        if not account:
            raise Refusal(grpc.StatusCode.UNAUTHENTICATED, "CREDENTIAL_INVALID", "unknown token", "令牌无效")
        self.refreshes += 1
        return session_pb2.RefreshSessionResponse(session=self._new_session(account))

    async def sign_out(self, request: session_pb2.SignOutRequest, token: str) -> session_pb2.SignOutResponse:
        """See `SessionService.SignOut`."""
        self._refresh.pop(request.refresh_token, None)
        return session_pb2.SignOutResponse()

    async def get_account(self, request: session_pb2.GetAccountRequest, token: str) -> session_pb2.GetAccountResponse:
        """See `SessionService.GetAccount`."""
        account = self.account_of(token)
        if request.name not in ("accounts/me", account.name):
            raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "NOT_YOURS", "another's account", "他人账号")
        return session_pb2.GetAccountResponse(account=account)

    def _new_session(self, account: str) -> session_pb2.Session:
        session = session_pb2.Session(
            account=self._accounts[account],
            access_token=secrets.token_urlsafe(24),
            refresh_token=secrets.token_urlsafe(24),
        )
        expires = self._clock.time() + self._token_seconds
        session.access_expire_time.FromNanoseconds(round(expires * 1e9))
        session.refresh_expire_time.FromNanoseconds(round((expires + 86_400) * 1e9))
        self._access[session.access_token] = (account, expires)
        self._refresh[session.refresh_token] = account
        return session
