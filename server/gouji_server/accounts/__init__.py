"""Accounts: signing in, keeping a session, and knowing who is calling."""

from gouji_server.accounts.accounts import Account, Accounts, CredentialError, Session, SignedIn, SignInLimited
from gouji_server.accounts.tokens import AccessTokens, Identity, TokenError

__all__ = [
    "AccessTokens",
    "Account",
    "Accounts",
    "CredentialError",
    "Identity",
    "Session",
    "SignInLimited",
    "SignedIn",
    "TokenError",
]
