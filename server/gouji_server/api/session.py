"""SessionService."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from google.rpc import code_pb2

from gouji.session.v1 import session_pb2 as pb
from gouji_server.accounts import CredentialError, SignInLimited
from gouji_server.accounts.password_hashing import HashingBusy
from gouji_server.accounts.passwords import TooManyTries
from gouji_server.api.account_messages import open_session, tokens
from gouji_server.api.bot_accounts import BotMethods
from gouji_server.api.errors import limited, wrong_credential
from gouji_server.api.pages import DEFAULT_PAGE, MAX_PAGE
from gouji_server.api.passwords import PasswordMethods, password_refused
from gouji_server.api.profiles import ProfileMethods
from gouji_server.api.timestamps import timestamp
from gouji_server.api.validation import Shape
from gouji_server.tables import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    import grpc

    from gouji_server.accounts import Accounts, SignedIn
    from gouji_server.api.calls import Call, Calls
    from gouji_server.api.pages import Pages
    from gouji_server.tables import Clock

SERVICE = "gouji.session.v1.SessionService"

PROTOCOL_VERSION = 1
"""Of the protos: it grows with what a client could not know of before."""
WAYS = ("new_guest", "device", "password", "bot")
"""The ways to sign in, by the field that asks for one."""


class SessionService:
    """Signs callers in and keeps their sessions."""

    def __init__(self, accounts: Accounts, pages: Pages, minimums: Mapping[str, str], clock: Clock) -> None:
        self._accounts = accounts
        self._pages = pages
        self._minimums = minimums
        self._clock = clock
        self._profiles = ProfileMethods(accounts, pages)
        self._passwords = PasswordMethods(accounts.passwords)
        self._bots = BotMethods(accounts.bots, pages, clock)
        self._ways: dict[str, Callable[[pb.SignInRequest, Shape, Call], Awaitable[SignedIn]]] = {
            "new_guest": self._as_guest,
            "device": self._by_device,
            "password": self._by_password,
            "bot": self._as_bot,
        }

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        # The request id of a sign-in is left out of the logs: for ten minutes it opens the account it made.
        return (
            {
                "GetServerInfo": calls.unary(
                    "GetServerInfo", pb.GetServerInfoRequest, self.get_server_info, any_client=True
                ),
                "SignIn": calls.unary("SignIn", pb.SignInRequest, self.sign_in),
                "RefreshSession": calls.unary("RefreshSession", pb.RefreshSessionRequest, self.refresh),
                "SignOut": calls.unary("SignOut", pb.SignOutRequest, self.sign_out),
                "ListSessions": calls.unary("ListSessions", pb.ListSessionsRequest, self.list_sessions),
                "RevokeSession": calls.unary("RevokeSession", pb.RevokeSessionRequest, self.revoke_session),
                "SignOutEverywhere": calls.unary(
                    "SignOutEverywhere", pb.SignOutEverywhereRequest, self.sign_out_everywhere
                ),
            }
            | self._profiles.handlers(calls)
            | self._passwords.handlers(calls)
            | self._bots.handlers(calls)
        )

    async def get_server_info(self, _request: pb.GetServerInfoRequest, _call: Call) -> pb.GetServerInfoResponse:
        """Tell whoever asks what is spoken here."""
        return pb.GetServerInfoResponse(
            server_version=server_version(),
            protocol_version=PROTOCOL_VERSION,
            minimum_client_versions=self._minimums,
            server_time=timestamp(self._clock.now()),
        )

    async def sign_in(self, request: pb.SignInRequest, call: Call) -> pb.SignInResponse:
        """Make a guest, or come back: with a device secret, or as a bot."""
        shape = Shape().sign_in_id(request.request_id)
        ways = [field.name for field, _ in request.ListFields() if field.name in WAYS]
        if len(ways) != 1:
            shape.bad("new_guest", f"wanted: exactly one of {', '.join(WAYS)}", f"{'、'.join(WAYS)} 须恰好给出一个")
            shape.settle()
        try:
            signed_in = await self._ways[ways[0]](request, shape, call)
        except CredentialError as error:
            raise wrong_credential() from error
        except SignInLimited as error:
            raise _too_many(error) from error
        except (TooManyTries, HashingBusy) as error:
            raise password_refused(error) from error
        return pb.SignInResponse(session=tokens(signed_in.session), device_secret=signed_in.device_secret)

    async def _as_guest(self, request: pb.SignInRequest, shape: Shape, call: Call) -> SignedIn:
        name = request.new_guest.display_name.strip()
        shape.display_name(name, "new_guest.display_name").settle()
        return await self._accounts.sign_in_guest(name, request.request_id, call.origin)

    async def _by_device(self, request: pb.SignInRequest, shape: Shape, call: Call) -> SignedIn:
        device = request.device
        shape.name(device.account, "accounts", "device.account")
        shape.secret(device.device_secret, "device.device_secret").settle()
        return await self._accounts.sign_in_device(device.account, device.device_secret, call.origin)

    async def _by_password(self, request: pb.SignInRequest, shape: Shape, call: Call) -> SignedIn:
        given = request.password
        shape.login_name(given.login_name, "password.login_name").password(given.password, "password.password").settle()
        return await self._accounts.sign_in_password(
            given.login_name, given.password, given.remember_device, call.origin
        )

    async def _as_bot(self, request: pb.SignInRequest, shape: Shape, call: Call) -> SignedIn:
        shape.secret(request.bot.token, "bot.token").settle()
        return await self._accounts.sign_in_bot(request.bot.token, call.origin)

    async def refresh(self, request: pb.RefreshSessionRequest, call: Call) -> pb.RefreshSessionResponse:
        """Trade a refresh token."""
        Shape().secret(request.refresh_token, "refresh_token").settle()
        try:
            session = await self._accounts.refresh(request.refresh_token, call.origin)
        except CredentialError as error:
            raise wrong_credential() from error
        except SignInLimited as error:
            raise _too_many(error) from error
        return pb.RefreshSessionResponse(session=tokens(session))

    async def sign_out(self, request: pb.SignOutRequest, _call: Call) -> pb.SignOutResponse:
        """End a session."""
        Shape().secret(request.refresh_token, "refresh_token").settle()
        await self._accounts.sessions.sign_out(request.refresh_token)
        return pb.SignOutResponse()

    async def list_sessions(self, request: pb.ListSessionsRequest, call: Call) -> pb.ListSessionsResponse:
        """List the caller's open sessions."""
        shape = Shape().page_size(request.page_size, MAX_PAGE, DEFAULT_PAGE)
        question = ("ListSessions", call.caller.account)
        position = self._pages.continued(question, request.page_token, shape)
        shape.settle()
        sessions = await self._accounts.sessions.of(call.identity)
        page, following = self._pages.cut(question, sessions, position, request.page_size)
        return pb.ListSessionsResponse(sessions=[open_session(session) for session in page], next_page_token=following)

    async def revoke_session(self, request: pb.RevokeSessionRequest, call: Call) -> pb.RevokeSessionResponse:
        """End one of the caller's sessions."""
        Shape().name(request.name, "sessions").settle()
        if not await self._accounts.sessions.end_one(call.identity, request.name):
            raise _no_session()
        return pb.RevokeSessionResponse()

    async def sign_out_everywhere(
        self, request: pb.SignOutEverywhereRequest, call: Call
    ) -> pb.SignOutEverywhereResponse:
        """End the caller's sessions."""
        shape = Shape()
        if request.replace_device_secrets and not request.keep_this_session:
            shape.bad(
                "replace_device_secrets",
                "wanted: together with keep_this_session, or a lost answer would lose the account",
                "须与 keep_this_session 同用，否则回答丢失时账号也会丢失",
            )
        shape.settle()
        ended, secret = await self._accounts.sessions.end_all(
            call.identity, keep_this=request.keep_this_session, replace_secrets=request.replace_device_secrets
        )
        return pb.SignOutEverywhereResponse(ended_sessions=ended, device_secret=secret)


def server_version() -> str:
    """Return the version of this server."""
    try:
        return version("gouji")
    except PackageNotFoundError:  # run from its source
        return ""


def _too_many(error: SignInLimited) -> Refused:
    return limited(
        "TOO_MANY_SIGN_INS",
        "too many sign-ins from this address: try again in a moment",
        "来自此地址的登录过多：请稍后再试",
        error.wait,
    )


def _no_session() -> Refused:
    return Refused(code_pb2.NOT_FOUND, "SESSION_NOT_FOUND", "your account has no such session", "你的账号没有此会话")
