"""The fake server's profiles and block lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc

from gouji.session.v1 import session_pb2
from gouji_client.testing.refusals import Refusal, check_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gouji_client.clock import Clock


class FakeProfiles:
    """Reads and changes `accounts` by name; `person` tells whose access token it is, and refuses bots'."""

    def __init__(self, accounts: Mapping[str, session_pb2.Account], person: Callable[[str], str], clock: Clock) -> None:
        self._accounts = accounts
        self._person = person
        self._clock = clock
        self._blocked: dict[str, dict[str, float]] = {}

    def get(self, reader: str, name: str) -> session_pb2.Account:
        """Return what an account may know of another."""
        account = self._found(name)
        if reader in (account.name, account.owner):
            return account
        public = session_pb2.Account()
        public.CopyFrom(account)
        for hidden in ("owner", "login_name", "locale"):
            public.ClearField(hidden)
        return public

    def update(self, token: str, request: session_pb2.UpdateAccountRequest) -> session_pb2.Account:
        """See `SessionService.UpdateAccount`."""
        caller = self._person(token)
        account = self._found(caller if request.account.name == "accounts/me" else request.account.name)
        if caller not in (account.name, account.owner):
            raise _no_account()
        if "display_name" in request.update_mask.paths:
            check_name(request.account.display_name)
        for path in request.update_mask.paths:
            if path not in ("display_name", "locale"):
                raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", "update_mask", "update_mask")
            setattr(account, path, getattr(request.account, path))
        return account

    def block(self, token: str, name: str) -> None:
        """See `SessionService.BlockAccount`."""
        caller, account = self._person(token), self._found(name)
        if account.name == caller:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", "another account", "不能是自己")
        self._blocked.setdefault(caller, {}).setdefault(name, self._clock.time())

    def unblock(self, token: str, name: str) -> None:
        """See `SessionService.UnblockAccount`."""
        self._blocked.get(self._person(token), {}).pop(name, None)

    def blocked(self, token: str) -> session_pb2.ListBlockedAccountsResponse:
        """See `SessionService.ListBlockedAccounts`."""
        caller = self._person(token)
        answer = session_pb2.ListBlockedAccountsResponse()
        for name, since in reversed(self._blocked.get(caller, {}).items()):
            told = answer.blocked_accounts.add(account=self.get(caller, name))
            told.block_time.FromNanoseconds(round(since * 1e9))
        return answer

    def blocked_by(self, account: str) -> frozenset[str]:
        """Return whom an account has blocked."""
        return frozenset(self._blocked.get(account, ()))

    def _found(self, name: str) -> session_pb2.Account:
        if name not in self._accounts:
            raise _no_account()
        return self._accounts[name]


def _no_account() -> Refusal:
    return Refusal(grpc.StatusCode.NOT_FOUND, "ACCOUNT_NOT_FOUND", "there is no such account", "没有此账号")
