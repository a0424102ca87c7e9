"""SessionService."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.rpc import code_pb2

from gouji.session.v1 import session_pb2 as pb
from gouji_server.accounts import CredentialError, SignInLimited
from gouji_server.api.errors import limited, unauthenticated, wrong_credential
from gouji_server.api.timestamps import timestamp
from gouji_server.api.validation import Shape
from gouji_server.tables import Refused

if TYPE_CHECKING:
    import grpc

    from gouji_server.accounts import Account, Accounts, Session
    from gouji_server.api.calls import Call, Calls

SERVICE = "gouji.session.v1.SessionService"


class SessionService:
    """Signs callers in and keeps their sessions."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        # The request id of a sign-in is left out of the logs: for ten minutes it opens the account it made.
        return {
            "SignIn": calls.unary("SignIn", pb.SignInRequest, self.sign_in, open_to_all=True),
            "RefreshSession": calls.unary("RefreshSession", pb.RefreshSessionRequest, self.refresh, open_to_all=True),
            "SignOut": calls.unary("SignOut", pb.SignOutRequest, self.sign_out, open_to_all=True),
            "GetAccount": calls.unary("GetAccount", pb.GetAccountRequest, self.get_account),
        }

    async def sign_in(self, request: pb.SignInRequest, call: Call) -> pb.SignInResponse:
        """Make a guest, or come back with a device secret."""
        guest, device = request.HasField("new_guest"), request.HasField("device")
        name = request.new_guest.display_name.strip()
        shape = Shape().sign_in_id(request.request_id)
        if guest == device:
            shape.bad("new_guest", "wanted: exactly one of new_guest and device", "new_guest 与 device 须恰好给出一个")
        elif guest:
            shape.display_name(name, "new_guest.display_name")
        else:
            shape.name(request.device.account, "accounts", "device.account")
            shape.secret(request.device.device_secret, "device.device_secret")
        shape.settle()
        try:
            if guest:
                signed_in = await self._accounts.sign_in_guest(name, request.request_id, call.address)
            else:
                signed_in = await self._accounts.sign_in_device(
                    request.device.account, request.device.device_secret, call.address
                )
        except CredentialError as error:
            raise wrong_credential() from error
        except SignInLimited as error:
            raise _too_many(error) from error
        return pb.SignInResponse(session=_session(signed_in.session), device_secret=signed_in.device_secret)

    async def refresh(self, request: pb.RefreshSessionRequest, call: Call) -> pb.RefreshSessionResponse:
        """Trade a refresh token."""
        Shape().secret(request.refresh_token, "refresh_token").settle()
        try:
            session = await self._accounts.refresh(request.refresh_token, call.address)
        except CredentialError as error:
            raise wrong_credential() from error
        except SignInLimited as error:
            raise _too_many(error) from error
        return pb.RefreshSessionResponse(session=_session(session))

    async def sign_out(self, request: pb.SignOutRequest, _call: Call) -> pb.SignOutResponse:
        """End a session."""
        Shape().secret(request.refresh_token, "refresh_token").settle()
        await self._accounts.sign_out(request.refresh_token)
        return pb.SignOutResponse()

    async def get_account(self, request: pb.GetAccountRequest, call: Call) -> pb.GetAccountResponse:
        """Tell the caller who it is."""
        Shape().name(request.name, "accounts").settle()
        if request.name not in ("accounts/me", call.caller.account):
            raise _not_yours()
        account = await self._accounts.get(call.caller.account)
        if account is None:
            # The token outlived its account.
            raise unauthenticated()
        return pb.GetAccountResponse(account=_account(account))


def _too_many(error: SignInLimited) -> Refused:
    return limited(
        "TOO_MANY_SIGN_INS",
        "too many sign-ins from this address: try again in a moment",
        "来自此地址的登录过多：请稍后再试",
        error.wait,
    )


def _not_yours() -> Refused:
    return Refused(
        code_pb2.PERMISSION_DENIED, "NOT_YOUR_ACCOUNT", "only your own account may be read", "只能读取自己的账号"
    )


def _session(session: Session) -> pb.Session:
    return pb.Session(
        account=_account(session.account),
        access_token=session.access_token,
        access_expire_time=timestamp(session.access_expires),
        refresh_token=session.refresh_token,
        refresh_expire_time=timestamp(session.refresh_expires),
    )


def _account(account: Account) -> pb.Account:
    return pb.Account(name=account.name, display_name=account.display_name, create_time=timestamp(account.created))
