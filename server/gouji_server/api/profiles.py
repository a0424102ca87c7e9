"""The methods of SessionService about an account's profile, its end, and whom it has blocked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from google.rpc import code_pb2

from gouji.session.v1 import session_pb2 as pb
from gouji_server.accounts.blocks import NoSuchAccount, TooManyBlocked
from gouji_server.accounts.password_hashing import HashingBusy
from gouji_server.accounts.passwords import TooManyTries, WrongPassword
from gouji_server.accounts.profiles import NotYours
from gouji_server.api.account_messages import account_for, public_account
from gouji_server.api.errors import limited
from gouji_server.api.pages import DEFAULT_PAGE, MAX_PAGE
from gouji_server.api.passwords import password_refused
from gouji_server.api.timestamps import timestamp
from gouji_server.api.validation import Shape
from gouji_server.tables import Refused

if TYPE_CHECKING:
    import grpc

    from gouji_server.accounts import Accounts
    from gouji_server.accounts.blocks import Blocks
    from gouji_server.api.calls import Call, Calls
    from gouji_server.api.pages import Pages

ME = "accounts/me"
MAX_LOCALE = 35
_LOCALE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_CHANGEABLE = ("display_name", "locale")


class ProfileMethods:
    """Reads, changes and deletes accounts, and keeps block lists."""

    def __init__(self, accounts: Accounts, pages: Pages) -> None:
        self._accounts = accounts
        self._pages = pages

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        return {
            "GetAccount": calls.unary("GetAccount", pb.GetAccountRequest, self.get),
            "UpdateAccount": calls.unary("UpdateAccount", pb.UpdateAccountRequest, self.update),
            "DeleteAccount": calls.unary("DeleteAccount", pb.DeleteAccountRequest, self.delete),
            "BlockAccount": calls.unary("BlockAccount", pb.BlockAccountRequest, self.block),
            "UnblockAccount": calls.unary("UnblockAccount", pb.UnblockAccountRequest, self.unblock),
            "ListBlockedAccounts": calls.unary("ListBlockedAccounts", pb.ListBlockedAccountsRequest, self.list_blocked),
            "MuteAccount": calls.unary("MuteAccount", pb.MuteAccountRequest, self.mute),
            "UnmuteAccount": calls.unary("UnmuteAccount", pb.UnmuteAccountRequest, self.unmute),
            "ListMutedAccounts": calls.unary("ListMutedAccounts", pb.ListMutedAccountsRequest, self.list_muted),
        }

    async def get(self, request: pb.GetAccountRequest, call: Call) -> pb.GetAccountResponse:
        """Tell of an account what the caller may know."""
        Shape().name(request.name, "accounts").settle()
        account = await self._accounts.get(_meant(request.name, call))
        if account is None:
            raise _no_account()
        return pb.GetAccountResponse(account=account_for(call.caller.account, account))

    async def update(self, request: pb.UpdateAccountRequest, call: Call) -> pb.UpdateAccountResponse:
        """Change the caller's account or a bot of its."""
        given = request.account
        shape = Shape().name(given.name, "accounts", "account.name")
        wanted = set(request.update_mask.paths) or {field for field in _CHANGEABLE if getattr(given, field)}
        if not wanted or not wanted <= set(_CHANGEABLE):
            shape.bad(
                "update_mask", f"wanted: some of {', '.join(_CHANGEABLE)}", f"应为 {'、'.join(_CHANGEABLE)} 中的若干"
            )
        name = given.display_name.strip() if "display_name" in wanted else None
        locale = given.locale if "locale" in wanted else None
        if name is not None:
            shape.display_name(name, "account.display_name")
        if locale and not (len(locale) <= MAX_LOCALE and _LOCALE.fullmatch(locale)):
            shape.bad(
                "account.locale", "wanted: a language tag such as zh-CN, or none", "应为 zh-CN 之类的语言标记，或留空"
            )
        shape.settle()
        try:
            changed = await self._accounts.profiles.change(
                call.caller.account, _meant(given.name, call), display_name=name, locale=locale
            )
        except NotYours as error:
            raise _no_account() from error
        return pb.UpdateAccountResponse(account=account_for(call.caller.account, changed))

    async def delete(self, request: pb.DeleteAccountRequest, call: Call) -> pb.DeleteAccountResponse:
        """Delete the caller's account."""
        shape = Shape()
        if request.name != call.caller.account:
            shape.bad("name", "wanted: your own account by its full name", "应为你自己账号的完整资源名")
        if request.current_password:
            shape.password(request.current_password, "current_password")
        shape.settle()
        try:
            await self._accounts.profiles.delete(call.caller.account, request.current_password)
        except (TooManyTries, HashingBusy, WrongPassword) as error:
            raise password_refused(error) from error
        return pb.DeleteAccountResponse()

    async def block(self, request: pb.BlockAccountRequest, call: Call) -> pb.BlockAccountResponse:
        """Block an account."""
        text_en, text_zh = "you have blocked as many accounts as you may", "屏蔽的账号已达上限"
        await _add(self._accounts.blocks, request.name, call, limited("TOO_MANY_BLOCKED", text_en, text_zh))
        return pb.BlockAccountResponse()

    async def unblock(self, request: pb.UnblockAccountRequest, call: Call) -> pb.UnblockAccountResponse:
        """Block an account no more."""
        Shape().name(request.name, "accounts").settle()
        await self._accounts.blocks.remove(call.caller.account, request.name)
        return pb.UnblockAccountResponse()

    async def list_blocked(self, request: pb.ListBlockedAccountsRequest, call: Call) -> pb.ListBlockedAccountsResponse:
        """List whom the caller has blocked."""
        found, following = await self._page("ListBlockedAccounts", self._accounts.blocks, request, call)
        return pb.ListBlockedAccountsResponse(blocked_accounts=found, next_page_token=following)

    async def mute(self, request: pb.MuteAccountRequest, call: Call) -> pb.MuteAccountResponse:
        """Mute an account."""
        text_en, text_zh = "you have muted as many accounts as you may", "静音的账号已达上限"
        await _add(self._accounts.mutes, request.name, call, limited("TOO_MANY_MUTED", text_en, text_zh))
        return pb.MuteAccountResponse()

    async def unmute(self, request: pb.UnmuteAccountRequest, call: Call) -> pb.UnmuteAccountResponse:
        """Mute an account no more."""
        Shape().name(request.name, "accounts").settle()
        await self._accounts.mutes.remove(call.caller.account, request.name)
        return pb.UnmuteAccountResponse()

    async def list_muted(self, request: pb.ListMutedAccountsRequest, call: Call) -> pb.ListMutedAccountsResponse:
        """List whom the caller has muted."""
        found, following = await self._page("ListMutedAccounts", self._accounts.mutes, request, call)
        return pb.ListMutedAccountsResponse(muted_accounts=found, next_page_token=following)

    async def _page(
        self, method: str, of: Blocks, request: pb.ListBlockedAccountsRequest | pb.ListMutedAccountsRequest, call: Call
    ) -> tuple[list[pb.BlockedAccount], str]:
        shape = Shape().page_size(request.page_size, MAX_PAGE, DEFAULT_PAGE)
        question = (method, call.caller.account)
        position = self._pages.continued(question, request.page_token, shape)
        shape.settle()
        found = await of.listed(call.caller.account)
        page, following = self._pages.cut(question, found, position, request.page_size)
        told = [
            pb.BlockedAccount(account=public_account(account), block_time=timestamp(since)) for account, since in page
        ]
        return told, following


async def _add(to: Blocks, name: str, call: Call, too_many: Refused) -> None:
    """Put an account on a list of the caller's."""
    shape = Shape().name(name, "accounts")
    if name in (ME, call.caller.account):
        shape.bad("name", "wanted: another account than your own", "不能是你自己的账号")
    shape.settle()
    try:
        await to.add(call.caller.account, name)
    except NoSuchAccount as error:
        raise _no_account() from error
    except TooManyBlocked as error:
        raise too_many from error


def _meant(name: str, call: Call) -> str:
    return call.caller.account if name == ME else name


def _no_account() -> Refused:
    return Refused(code_pb2.NOT_FOUND, "ACCOUNT_NOT_FOUND", "there is no such account", "没有此账号")
