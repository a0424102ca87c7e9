"""Accounts and sessions as messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.session.v1 import session_pb2 as pb
from gouji_server.api.timestamps import timestamp

if TYPE_CHECKING:
    from gouji_server.accounts import Account, OpenSession, Session


def own_account(account: Account) -> pb.Account:
    """Tell of an account what it may know itself, and its owner of a bot's."""
    return pb.Account(
        name=account.name,
        display_name=account.display_name,
        create_time=timestamp(account.created),
        bot=bool(account.owner),
        owner=account.owner,
        login_name=account.login_name,
        locale=account.locale,
        deleted=account.deleted,
    )


def public_account(account: Account) -> pb.Account:
    """Tell of an account what everybody may know."""
    return pb.Account(
        name=account.name,
        display_name=account.display_name,
        create_time=timestamp(account.created),
        bot=bool(account.owner),
        deleted=account.deleted,
    )


def account_for(reader: str, account: Account) -> pb.Account:
    """Tell of an account what the account `reader` may know."""
    return own_account(account) if reader in (account.name, account.owner) else public_account(account)


def open_session(session: OpenSession) -> pb.OpenSession:
    """Tell of a session where and since when it is."""
    return pb.OpenSession(
        name=session.name,
        create_time=timestamp(session.created),
        last_use_time=timestamp(session.used),
        expire_time=timestamp(session.expires),
        client=session.client,
        current=session.current,
    )


def tokens(session: Session) -> pb.Session:
    """Give a session's tokens to whoever signed in."""
    return pb.Session(
        account=own_account(session.account),
        access_token=session.access_token,
        access_expire_time=timestamp(session.access_expires),
        refresh_token=session.refresh_token,
        refresh_expire_time=timestamp(session.refresh_expires),
    )
