"""Accounts: signing in, keeping a session, and knowing who is calling."""

from gouji_server.accounts.account import Account
from gouji_server.accounts.accounts import Accounts, SignedIn, SignInLimited
from gouji_server.accounts.sessions import CredentialError, OpenSession, Origin, Session
from gouji_server.accounts.tokens import AccessTokens, Identity, TokenError

__all__ = [
    "AccessTokens",
    "Account",
    "Accounts",
    "CredentialError",
    "Identity",
    "OpenSession",
    "Origin",
    "Session",
    "SignInLimited",
    "SignedIn",
    "TokenError",
]
