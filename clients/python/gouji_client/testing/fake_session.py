"""The fake server's accounts and tokens."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import grpc

from gouji.session.v1 import session_pb2
from gouji_client.testing.fake_bots import FakeBots
from gouji_client.testing.fake_profiles import FakeProfiles
from gouji_client.testing.refusals import Refusal, check_name, unauthenticated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gouji_client.clock import Clock


_CLIENT = "python"
_REFRESH_SECONDS = 86_400


@dataclass(slots=True)
class _Open:
    """A session: whose it is, when it was begun and last used (Unix seconds), by what, and its tokens."""

    name: str
    account: str
    created: float
    used: float = 0.0
    bot_token: str = ""
    secret: str = ""
    refresh_token: str = ""
    access_tokens: list[str] = field(default_factory=list)


class FakeAccounts:
    """Signs anybody in. Tokens live for `token_seconds` of `clock`, and until a fault makes them lapse.

    `minimums` are told as the least versions of clients.
    """

    def __init__(self, clock: Clock, token_seconds: float, minimums: Mapping[str, str]) -> None:
        self._minimums = minimums
        self._clock = clock
        self._token_seconds = token_seconds
        self._accounts: dict[str, session_pb2.Account] = {}
        self._secrets: dict[str, str] = {}
        self._access: dict[str, tuple[str, float]] = {}
        self._refresh: dict[str, str] = {}
        self._made_by: dict[str, session_pb2.SignInResponse] = {}
        self._open: dict[str, _Open] = {}
        self.on_end: Callable[[], None] = lambda: None
        """Called when a session has been ended: its streams are to look at their tokens."""
        self._passwords: dict[str, str] = {}
        self._profiles = FakeProfiles(self._accounts, self.person, clock)
        self._bots = FakeBots(self._add_account, self._end_of_token)
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

    def scopes_of(self, token: str) -> frozenset[session_pb2.BotScope.ValueType] | None:
        """Return what a bot's access token is good for; None for a person's, which is good for everything."""
        held = next((held for held in self._open.values() if token in held.access_tokens), None)
        return self._bots.scopes_of(held.bot_token) if held is not None and held.bot_token else None

    def blocked_by(self, account: str) -> frozenset[str]:
        """Return whom an account has blocked."""
        return self._profiles.blocked_by(account)

    def expires(self, token: str) -> float:
        """Return when an access token lapses; 0 if it has."""
        return self._access.get(token, ("", 0.0))[1]

    def lapse(self, account: str, *, refresh_too: bool) -> None:
        """Make an account's access tokens lapse now, and its refresh tokens as well if wanted."""
        self._access = {token: held for token, held in self._access.items() if held[0] != account}
        if refresh_too:
            self._refresh = {token: owner for token, owner in self._refresh.items() if owner != account}

    async def get_server_info(
        self, request: session_pb2.GetServerInfoRequest, token: str
    ) -> session_pb2.GetServerInfoResponse:
        """See `SessionService.GetServerInfo`."""
        answer = session_pb2.GetServerInfoResponse(
            server_version="fake", protocol_version=1, minimum_client_versions=self._minimums
        )
        answer.server_time.FromNanoseconds(round(self._clock.time() * 1e9))
        return answer

    async def sign_in(self, request: session_pb2.SignInRequest, token: str) -> session_pb2.SignInResponse:
        """See `SessionService.SignIn`."""
        if sum(field.name != "request_id" for field, _ in request.ListFields()) != 1:
            raise Refusal(
                grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", "exactly one way in is wanted", "须选一种方式"
            )
        if request.HasField("password"):
            return self._by_password(request.password)
        if request.HasField("bot"):
            bot_token = self._bots.by_secret(request.bot.token).name
            self.sign_ins += 1
            bot = bot_token.partition("/tokens/")[0]
            return session_pb2.SignInResponse(session=self._new_session(bot, bot_token))
        if request.HasField("device"):
            secret = request.device.device_secret
            if self._secrets.get(secret) != request.device.account:
                raise Refusal(grpc.StatusCode.UNAUTHENTICATED, "CREDENTIAL_INVALID", "unknown secret", "密钥无效")
            self.sign_ins += 1
            return session_pb2.SignInResponse(session=self._new_session(request.device.account, secret=secret))
        known = self._made_by.get(request.request_id)
        if request.request_id and known is not None:
            return known
        name = request.new_guest.display_name
        check_name(name)
        self.sign_ins += 1
        account = self._add_account(name)
        secret = self._new_secret(account.name)
        session = self._new_session(account.name, secret=secret)
        answer = session_pb2.SignInResponse(session=session, device_secret=secret)
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
        (session,) = [held for held in self._open.values() if held.refresh_token == request.refresh_token]
        return session_pb2.RefreshSessionResponse(session=self._new_tokens(session))

    async def sign_out(self, request: session_pb2.SignOutRequest, token: str) -> session_pb2.SignOutResponse:
        """See `SessionService.SignOut`."""
        self._end([held for held in self._open.values() if held.refresh_token == request.refresh_token])
        return session_pb2.SignOutResponse()

    async def get_account(self, request: session_pb2.GetAccountRequest, token: str) -> session_pb2.GetAccountResponse:
        """See `SessionService.GetAccount`."""
        reader = self.account_of(token).name
        name = reader if request.name == "accounts/me" else request.name
        return session_pb2.GetAccountResponse(account=self._profiles.get(reader, name))

    async def update_account(
        self, request: session_pb2.UpdateAccountRequest, token: str
    ) -> session_pb2.UpdateAccountResponse:
        """See `SessionService.UpdateAccount`."""
        return session_pb2.UpdateAccountResponse(account=self._profiles.update(token, request))

    async def delete_account(
        self, request: session_pb2.DeleteAccountRequest, token: str
    ) -> session_pb2.DeleteAccountResponse:
        """See `SessionService.DeleteAccount`."""
        account = self._accounts[self.person(token)]
        if request.name != account.name:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", "your own account", "须为自己的账号")
        if self._passwords.get(account.login_name, request.current_password) != request.current_password:
            raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "WRONG_PASSWORD", "another password", "密码不正确")
        for bot in self._bots.of(account.name):
            self._bots.delete(account.name, bot.name)
        self._passwords.pop(account.login_name, None)
        self._forget_secrets(account.name)
        self._end([held for held in self._open.values() if held.account == account.name])
        account.CopyFrom(session_pb2.Account(name=account.name, display_name="deleted", deleted=True))
        return session_pb2.DeleteAccountResponse()

    async def block_account(
        self, request: session_pb2.BlockAccountRequest, token: str
    ) -> session_pb2.BlockAccountResponse:
        """See `SessionService.BlockAccount`."""
        self._profiles.block(token, request.name)
        return session_pb2.BlockAccountResponse()

    async def unblock_account(
        self, request: session_pb2.UnblockAccountRequest, token: str
    ) -> session_pb2.UnblockAccountResponse:
        """See `SessionService.UnblockAccount`."""
        self._profiles.unblock(token, request.name)
        return session_pb2.UnblockAccountResponse()

    async def list_blocked_accounts(
        self, request: session_pb2.ListBlockedAccountsRequest, token: str
    ) -> session_pb2.ListBlockedAccountsResponse:
        """See `SessionService.ListBlockedAccounts`."""
        return self._profiles.blocked(token)

    async def list_sessions(
        self, request: session_pb2.ListSessionsRequest, token: str
    ) -> session_pb2.ListSessionsResponse:
        """See `SessionService.ListSessions`. All are on one page."""
        account = self.person(token)
        found = [held for held in reversed(self._open.values()) if held.account == account]
        answer = session_pb2.ListSessionsResponse()
        for held in found:
            told = answer.sessions.add(name=held.name, client=_CLIENT, current=token in held.access_tokens)
            told.create_time.FromNanoseconds(round(held.created * 1e9))
            told.last_use_time.FromNanoseconds(round(held.used * 1e9))
            told.expire_time.FromNanoseconds(round((held.used + _REFRESH_SECONDS) * 1e9))
        return answer

    async def revoke_session(
        self, request: session_pb2.RevokeSessionRequest, token: str
    ) -> session_pb2.RevokeSessionResponse:
        """See `SessionService.RevokeSession`. Its secret is void too, unless the caller's session is by the same."""
        account = self.person(token)
        held = self._open.get(request.name)
        if held is None or held.account != account:
            raise Refusal(grpc.StatusCode.NOT_FOUND, "SESSION_NOT_FOUND", "no such session", "没有此会话")
        if not any(held.secret == mine.secret for mine in self._open.values() if token in mine.access_tokens):
            self._secrets.pop(held.secret, None)
        self._end([held])
        return session_pb2.RevokeSessionResponse()

    async def sign_out_everywhere(
        self, request: session_pb2.SignOutEverywhereRequest, token: str
    ) -> session_pb2.SignOutEverywhereResponse:
        """See `SessionService.SignOutEverywhere`."""
        account = self.person(token)
        if request.replace_device_secrets and not request.keep_this_session:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", "keep this session", "须保留此会话")
        ended = [
            held
            for held in self._open.values()
            if held.account == account and not (request.keep_this_session and token in held.access_tokens)
        ]
        self._end(ended)
        answer = session_pb2.SignOutEverywhereResponse(ended_sessions=len(ended))
        if request.replace_device_secrets:
            self._forget_secrets(account)
            answer.device_secret = self._new_secret(account)
            for mine in self._open.values():
                if token in mine.access_tokens:
                    mine.secret = answer.device_secret
        return answer

    async def set_password(
        self, request: session_pb2.SetPasswordRequest, token: str
    ) -> session_pb2.SetPasswordResponse:
        """See `SessionService.SetPassword`."""
        account = self._accounts[self.person(token)]
        name = request.login_name.casefold() or account.login_name
        known = self._passwords.get(account.login_name) if account.login_name else None
        if known is not None and known not in (request.current_password, request.new_password):
            raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "WRONG_PASSWORD", "another password", "密码不正确")
        if not name or len(request.new_password) < 8:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", "a longer password", "密码太短")
        if name != account.login_name and name in self._passwords:
            raise Refusal(grpc.StatusCode.ALREADY_EXISTS, "LOGIN_NAME_TAKEN", "name taken", "登录名已被使用")
        self._passwords.pop(account.login_name, None)
        self._passwords[name] = request.new_password
        account.login_name = name
        if known is not None:
            others = [held for held in self._open.values() if held.account == account.name]
            self._end([held for held in others if token not in held.access_tokens])
        return session_pb2.SetPasswordResponse(account=account)

    def _by_password(self, given: session_pb2.PasswordCredential) -> session_pb2.SignInResponse:
        name = given.login_name.casefold()
        if self._passwords.get(name) != given.password:
            raise Refusal(grpc.StatusCode.UNAUTHENTICATED, "CREDENTIAL_INVALID", "unknown", "无效")
        self.sign_ins += 1
        (account,) = [found.name for found in self._accounts.values() if found.login_name == name]
        secret = self._new_secret(account) if given.remember_device else ""
        return session_pb2.SignInResponse(session=self._new_session(account, secret=secret), device_secret=secret)

    # ── bots ──

    async def create_bot_account(
        self, request: session_pb2.CreateBotAccountRequest, token: str
    ) -> session_pb2.CreateBotAccountResponse:
        """See `SessionService.CreateBotAccount`."""
        return self._bots.create(self.person(token), request)

    async def list_bot_accounts(
        self, request: session_pb2.ListBotAccountsRequest, token: str
    ) -> session_pb2.ListBotAccountsResponse:
        """See `SessionService.ListBotAccounts`."""
        return session_pb2.ListBotAccountsResponse(accounts=self._bots.of(self.person(token)))

    async def delete_bot_account(
        self, request: session_pb2.DeleteBotAccountRequest, token: str
    ) -> session_pb2.DeleteBotAccountResponse:
        """See `SessionService.DeleteBotAccount`."""
        self._bots.delete(self.person(token), request.name)
        return session_pb2.DeleteBotAccountResponse()

    async def create_bot_token(
        self, request: session_pb2.CreateBotTokenRequest, token: str
    ) -> session_pb2.CreateBotTokenResponse:
        """See `SessionService.CreateBotToken`."""
        return self._bots.create_token(self.person(token), request)

    async def list_bot_tokens(
        self, request: session_pb2.ListBotTokensRequest, token: str
    ) -> session_pb2.ListBotTokensResponse:
        """See `SessionService.ListBotTokens`."""
        found = self._bots.list_tokens(self.person(token), request.parent)
        return session_pb2.ListBotTokensResponse(bot_tokens=found)

    async def revoke_bot_token(
        self, request: session_pb2.RevokeBotTokenRequest, token: str
    ) -> session_pb2.RevokeBotTokenResponse:
        """See `SessionService.RevokeBotToken`."""
        self._bots.revoke_token(self.person(token), request.name)
        return session_pb2.RevokeBotTokenResponse()

    def person(self, token: str) -> str:
        """Return whose access token it is. Raises `Refusal`, also for a bot's: what changes accounts is for people."""
        account = self.account_of(token)
        if account.bot:
            raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING", "this is for people", "仅限真人账号")
        return account.name

    def _add_account(self, display_name: str, owner: str = "") -> session_pb2.Account:
        account = session_pb2.Account(
            name=f"accounts/{len(self._accounts) + 1}", display_name=display_name, bot=bool(owner), owner=owner
        )
        account.create_time.FromNanoseconds(round(self._clock.time() * 1e9))
        self._accounts[account.name] = account
        return account

    def _end_of_token(self, bot_token: str) -> None:
        self._end([held for held in self._open.values() if held.bot_token == bot_token])

    def _end(self, ended: list[_Open]) -> None:
        for held in ended:
            self._open.pop(held.name, None)
            self._refresh.pop(held.refresh_token, None)
            for token in held.access_tokens:
                self._access.pop(token, None)
        if ended:
            self.on_end()

    def _new_secret(self, account: str) -> str:
        secret = secrets.token_urlsafe(24)
        self._secrets[secret] = account
        return secret

    def _forget_secrets(self, account: str) -> None:
        self._secrets = {secret: owner for secret, owner in self._secrets.items() if owner != account}

    def _new_session(self, account: str, bot_token: str = "", secret: str = "") -> session_pb2.Session:
        now = self._clock.time()
        held = _Open(f"sessions/{secrets.token_hex(8)}", account, now, bot_token=bot_token, secret=secret)
        self._open[held.name] = held
        return self._new_tokens(held)

    def _new_tokens(self, held: _Open) -> session_pb2.Session:
        session = session_pb2.Session(
            account=self._accounts[held.account],
            access_token=secrets.token_urlsafe(24),
            refresh_token=secrets.token_urlsafe(24),
        )
        held.used = self._clock.time()
        held.refresh_token = session.refresh_token
        held.access_tokens.append(session.access_token)
        expires = held.used + self._token_seconds
        session.access_expire_time.FromNanoseconds(round(expires * 1e9))
        session.refresh_expire_time.FromNanoseconds(round((held.used + _REFRESH_SECONDS) * 1e9))
        self._access[session.access_token] = (held.account, expires)
        self._refresh[session.refresh_token] = held.account
        return session
