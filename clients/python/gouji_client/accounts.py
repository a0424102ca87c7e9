"""The account that is signed in, and what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.session.v1 import session_pb2
from gouji_client.arguments import resource_name, well_formed
from gouji_client.calls import new_request_id
from gouji_client.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from gouji.session.v1.session_pb2_grpc import SessionServiceAsyncStub
    from gouji_client.calls import Calls
    from gouji_client.credentials import Credentials
    from gouji_client.session import Session


class Accounts:
    """What an account may do about itself: `client.accounts`.

    Every call raises `Refused` with the server's reason, `BadInput`, `ServerUnreachable`, `NotSignedIn`, `SignInFailed`
    or `ClientClosed`.
    """

    def __init__(self, stub: SessionServiceAsyncStub, session: Session, calls: Calls) -> None:
        self._stub = stub
        self._session = session
        self._calls = calls

    async def me(self) -> session_pb2.Account:
        """Return the account that is signed in, as the server knows it now."""
        request = session_pb2.GetAccountRequest(name="accounts/me")
        return (await self._calls.signed(self._session, self._stub.GetAccount, request)).account

    async def get(self, account: str) -> session_pb2.Account:
        """Return what may be known of an account, `accounts/…`."""
        request = session_pb2.GetAccountRequest(name=resource_name(account, "accounts"))
        return (await self._calls.signed(self._session, self._stub.GetAccount, request)).account

    async def update(
        self, *, display_name: str | None = None, locale: str | None = None, bot: str = ""
    ) -> session_pb2.Account:
        """Change what is given of this account, or of a bot of its, `accounts/…`; return the account."""
        changes = {"display_name": display_name, "locale": locale}
        request = session_pb2.UpdateAccountRequest()
        with well_formed("an account"):
            request.account.name = resource_name(bot, "accounts") if bot else "accounts/me"
            for field, value in changes.items():
                if value is not None:
                    setattr(request.account, field, value)
                    request.update_mask.paths.append(field)
        if not request.update_mask.paths:
            raise BadInput("nothing is to change: give display_name=… or locale=…")
        return (await self._calls.signed(self._session, self._stub.UpdateAccount, request)).account

    async def delete(self, current_password: str = "") -> None:
        """Delete this account and its bots for good; with a password set, it wants that."""
        with well_formed("a password"):
            request = session_pb2.DeleteAccountRequest(
                name=self._session.account.name, current_password=current_password
            )
        await self._calls.signed(self._session, self._stub.DeleteAccount, request)
        self._session.forget()

    # ── whom one wants nothing to do with ──

    async def block(self, account: str) -> None:
        """Block an account, `accounts/…`: it cannot sit down at waiting tables of this one's. Nobody is told."""
        request = session_pb2.BlockAccountRequest(name=resource_name(account, "accounts"))
        await self._calls.signed(self._session, self._stub.BlockAccount, request)

    async def unblock(self, account: str) -> None:
        """Block an account no more."""
        request = session_pb2.UnblockAccountRequest(name=resource_name(account, "accounts"))
        await self._calls.signed(self._session, self._stub.UnblockAccount, request)

    async def blocked(self) -> list[session_pb2.BlockedAccount]:
        """Return whom this account has blocked, the last one first."""
        found: list[session_pb2.BlockedAccount] = []
        request = session_pb2.ListBlockedAccountsRequest()
        while True:
            answer = await self._calls.signed(self._session, self._stub.ListBlockedAccounts, request)
            found.extend(answer.blocked_accounts)
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    async def mute(self, account: str) -> None:
        """Hear nothing any more of what an account says at tables. Nobody is told."""
        request = session_pb2.MuteAccountRequest(name=resource_name(account, "accounts"))
        await self._calls.signed(self._session, self._stub.MuteAccount, request)

    async def unmute(self, account: str) -> None:
        """Hear an account again."""
        request = session_pb2.UnmuteAccountRequest(name=resource_name(account, "accounts"))
        await self._calls.signed(self._session, self._stub.UnmuteAccount, request)

    async def muted(self) -> list[session_pb2.BlockedAccount]:
        """Return whom this account has muted, the last one first."""
        found: list[session_pb2.BlockedAccount] = []
        request = session_pb2.ListMutedAccountsRequest()
        while True:
            answer = await self._calls.signed(self._session, self._stub.ListMutedAccounts, request)
            found.extend(answer.muted_accounts)
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    # ── sessions ──

    async def sessions(self) -> list[session_pb2.OpenSession]:
        """Return where the account is signed in, the session that was used last first."""
        found: list[session_pb2.OpenSession] = []
        request = session_pb2.ListSessionsRequest()
        while True:
            answer = await self._calls.signed(self._session, self._stub.ListSessions, request)
            found.extend(answer.sessions)
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    async def revoke_session(self, session: str) -> None:
        """End a session, `sessions/…`, at once. A device that it was on cannot come back by its secret."""
        request = session_pb2.RevokeSessionRequest(name=resource_name(session, "sessions"))
        await self._calls.signed(self._session, self._stub.RevokeSession, request)

    async def sign_out_everywhere(self, *, keep_this: bool = True) -> int:
        """End all other sessions, or this one too; return how many. Devices may come back by their secret."""
        request = session_pb2.SignOutEverywhereRequest(keep_this_session=keep_this)
        answer = await self._calls.signed(self._session, self._stub.SignOutEverywhere, request)
        if not keep_this:
            self._session.forget()
        return answer.ended_sessions

    async def replace_device_secret(self) -> Credentials:
        """End all other sessions and make every device secret void; return credentials with the only one that is good.

        For when a device, or a file of credentials, was lost. Keep what is returned: nothing else comes back.
        """
        request = session_pb2.SignOutEverywhereRequest(keep_this_session=True, replace_device_secrets=True)
        answer = await self._calls.signed(self._session, self._stub.SignOutEverywhere, request)
        return self._session.replace_secret(answer.device_secret)

    async def set_password(self, login_name: str, new_password: str, current_password: str = "") -> session_pb2.Account:
        """Set the name and the password by which the account signs in, or change them; an empty name stays as it is.

        A change wants the current password. It ends all other sessions, and other devices do not come back.
        """
        with well_formed("a name or password"):
            request = session_pb2.SetPasswordRequest(
                login_name=login_name, new_password=new_password, current_password=current_password
            )
        return (await self._calls.signed(self._session, self._stub.SetPassword, request)).account

    # ── bots ──

    async def create_bot(self, display_name: str) -> session_pb2.Account:
        """Make an account for a bot, which belongs to this one."""
        with well_formed("a bot"):
            request = session_pb2.CreateBotAccountRequest(display_name=display_name, request_id=new_request_id())
        return (await self._calls.signed(self._session, self._stub.CreateBotAccount, request)).account

    async def bots(self) -> list[session_pb2.Account]:
        """Return the bots of this account, the newest first."""
        found: list[session_pb2.Account] = []
        request = session_pb2.ListBotAccountsRequest()
        while True:
            answer = await self._calls.signed(self._session, self._stub.ListBotAccounts, request)
            found.extend(answer.accounts)
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    async def delete_bot(self, bot: str) -> None:
        """Delete a bot's account, `accounts/…`: its tokens are void and its sessions end at once."""
        request = session_pb2.DeleteBotAccountRequest(name=resource_name(bot, "accounts"))
        await self._calls.signed(self._session, self._stub.DeleteBotAccount, request)

    async def create_bot_token(
        self, bot: str, *, scopes: Iterable[str] = (), description: str = "", expires: datetime | None = None
    ) -> tuple[session_pb2.BotToken, str]:
        """Make a token of a bot; return what is told of it later, and the secret by which a program signs in.

        `scopes` are some of play, lobby, watch and chat; none: the first three. `expires` is a time with its zone.
        """
        with well_formed("a token"):
            request = session_pb2.CreateBotTokenRequest(
                parent=resource_name(bot, "accounts"),
                scopes=[_scope(scope) for scope in scopes],
                description=description,
                request_id=new_request_id(),
            )
            if expires is not None:
                if expires.tzinfo is None:
                    raise BadInput(f"{expires} has no time zone: datetime.now(UTC) has one")
                request.expire_time.FromDatetime(expires)
        answer = await self._calls.signed(self._session, self._stub.CreateBotToken, request)
        return answer.bot_token, answer.token

    async def bot_tokens(self, bot: str) -> list[session_pb2.BotToken]:
        """Return the tokens of a bot that are good, the newest first."""
        found: list[session_pb2.BotToken] = []
        request = session_pb2.ListBotTokensRequest(parent=resource_name(bot, "accounts"))
        while True:
            answer = await self._calls.signed(self._session, self._stub.ListBotTokens, request)
            found.extend(answer.bot_tokens)
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    async def revoke_bot_token(self, token: str) -> None:
        """Make a token, `accounts/…/tokens/…`, void at once: whoever signed in with it is out."""
        request = session_pb2.RevokeBotTokenRequest(name=resource_name(token, "accounts"))
        await self._calls.signed(self._session, self._stub.RevokeBotToken, request)


def _scope(word: str) -> session_pb2.BotScope.ValueType:
    try:
        return session_pb2.BotScope.Value(f"BOT_SCOPE_{word.upper()}")
    except ValueError:
        raise BadInput(f"{word!r} is no scope: expected some of play, lobby, watch and chat") from None
