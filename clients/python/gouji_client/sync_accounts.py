"""The account that is signed in, for the client without `async`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from gouji.session.v1 import session_pb2
    from gouji_client.accounts import Accounts as AsyncAccounts
    from gouji_client.background import BackgroundLoop
    from gouji_client.credentials import Credentials


class Accounts:
    """What an account may do about itself; see `gouji_client.Accounts`."""

    def __init__(self, accounts: AsyncAccounts, loop: BackgroundLoop) -> None:
        self._accounts = accounts
        self._loop = loop

    def me(self) -> session_pb2.Account:
        """Return the account that is signed in, as the server knows it now."""
        return self._loop.run(self._accounts.me())

    def get(self, account: str) -> session_pb2.Account:
        """Return what may be known of an account, `accounts/…`."""
        return self._loop.run(self._accounts.get(account))

    def update(
        self, *, display_name: str | None = None, locale: str | None = None, bot: str = ""
    ) -> session_pb2.Account:
        """Change what is given of this account, or of a bot of its; return the account."""
        return self._loop.run(self._accounts.update(display_name=display_name, locale=locale, bot=bot))

    def delete(self, current_password: str = "") -> None:
        """Delete this account and its bots for good."""
        self._loop.run(self._accounts.delete(current_password))

    def block(self, account: str) -> None:
        """Block an account, `accounts/…`."""
        self._loop.run(self._accounts.block(account))

    def unblock(self, account: str) -> None:
        """Block an account no more."""
        self._loop.run(self._accounts.unblock(account))

    def blocked(self) -> list[session_pb2.BlockedAccount]:
        """Return whom this account has blocked, the last one first."""
        return self._loop.run(self._accounts.blocked())

    def mute(self, account: str) -> None:
        """Hear nothing any more of what an account says at tables."""
        self._loop.run(self._accounts.mute(account))

    def unmute(self, account: str) -> None:
        """Hear an account again."""
        self._loop.run(self._accounts.unmute(account))

    def muted(self) -> list[session_pb2.BlockedAccount]:
        """Return whom this account has muted, the last one first."""
        return self._loop.run(self._accounts.muted())

    def sessions(self) -> list[session_pb2.OpenSession]:
        """Return where the account is signed in, the session that was used last first."""
        return self._loop.run(self._accounts.sessions())

    def revoke_session(self, session: str) -> None:
        """End a session, `sessions/…`, at once."""
        self._loop.run(self._accounts.revoke_session(session))

    def sign_out_everywhere(self, *, keep_this: bool = True) -> int:
        """End all other sessions, or this one too; return how many."""
        return self._loop.run(self._accounts.sign_out_everywhere(keep_this=keep_this))

    def replace_device_secret(self) -> Credentials:
        """End all other sessions and make every device secret void; return credentials with a new one."""
        return self._loop.run(self._accounts.replace_device_secret())

    def set_password(self, login_name: str, new_password: str, current_password: str = "") -> session_pb2.Account:
        """Set the name and the password by which the account signs in, or change them."""
        return self._loop.run(self._accounts.set_password(login_name, new_password, current_password))

    def create_bot(self, display_name: str) -> session_pb2.Account:
        """Make an account for a bot, which belongs to this one."""
        return self._loop.run(self._accounts.create_bot(display_name))

    def bots(self) -> list[session_pb2.Account]:
        """Return the bots of this account, the newest first."""
        return self._loop.run(self._accounts.bots())

    def delete_bot(self, bot: str) -> None:
        """Delete a bot's account, `accounts/…`."""
        self._loop.run(self._accounts.delete_bot(bot))

    def create_bot_token(
        self, bot: str, *, scopes: Iterable[str] = (), description: str = "", expires: datetime | None = None
    ) -> tuple[session_pb2.BotToken, str]:
        """Make a token of a bot; return what is told of it later, and the secret by which a program signs in."""
        made = self._accounts.create_bot_token(bot, scopes=scopes, description=description, expires=expires)
        return self._loop.run(made)

    def bot_tokens(self, bot: str) -> list[session_pb2.BotToken]:
        """Return the tokens of a bot that are good, the newest first."""
        return self._loop.run(self._accounts.bot_tokens(bot))

    def revoke_bot_token(self, token: str) -> None:
        """Make a token, `accounts/…/tokens/…`, void at once."""
        self._loop.run(self._accounts.revoke_bot_token(token))
