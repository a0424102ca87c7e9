"""The method of SessionService about passwords, and how all that has to do with them is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.rpc import code_pb2

from gouji.session.v1 import session_pb2 as pb
from gouji_server.accounts.password_hashing import HashingBusy
from gouji_server.accounts.passwords import NameMissing, NameTaken, TooManyTries, WrongPassword
from gouji_server.api.account_messages import own_account
from gouji_server.api.errors import limited
from gouji_server.api.validation import Shape
from gouji_server.tables import Refused

if TYPE_CHECKING:
    import grpc

    from gouji_server.accounts.passwords import Passwords
    from gouji_server.api.calls import Call, Calls

BUSY_SECONDS = 1.0


class PasswordMethods:
    """Sets passwords."""

    def __init__(self, passwords: Passwords) -> None:
        self._passwords = passwords

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        return {"SetPassword": calls.unary("SetPassword", pb.SetPasswordRequest, self.set_password)}

    async def set_password(self, request: pb.SetPasswordRequest, call: Call) -> pb.SetPasswordResponse:
        """Set or change name and password."""
        shape = Shape()
        if request.login_name:
            shape.login_name(request.login_name, "login_name")
        shape.new_password(request.new_password, "new_password", request.login_name)
        if request.current_password:
            shape.password(request.current_password, "current_password")
        shape.settle()
        try:
            account = await self._passwords.set(
                call.identity, request.login_name, request.new_password, request.current_password
            )
        except NameMissing:
            shape.login_name("", "login_name").settle()
            raise
        except (TooManyTries, HashingBusy, WrongPassword, NameTaken) as error:
            raise password_refused(error) from error
        return pb.SetPasswordResponse(account=own_account(account))


def password_refused(error: Exception) -> Refused:
    """Return what to tell when a password was not taken, or not even looked at."""
    if isinstance(error, TooManyTries):
        text_en, text_zh = "too many passwords were tried: try again in a moment", "尝试密码次数过多：请稍后再试"
        return limited("TOO_MANY_TRIES", text_en, text_zh, error.wait)
    if isinstance(error, HashingBusy):
        text_en, text_zh = "too many are signing in right now: try again in a moment", "登录人数过多：请稍后再试"
        return limited("SIGN_IN_BUSY", text_en, text_zh, BUSY_SECONDS)
    if isinstance(error, NameTaken):
        return Refused(
            code_pb2.ALREADY_EXISTS,
            "LOGIN_NAME_TAKEN",
            "another account signs in with this name: choose another one",
            "此登录名已被使用：请换一个",
        )
    return Refused(
        code_pb2.PERMISSION_DENIED, "WRONG_PASSWORD", "the current password is another one", "当前密码不正确"
    )
