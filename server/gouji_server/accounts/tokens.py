"""Access tokens: short-lived JWTs that say who is calling, checked without asking the records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jwt

from gouji_server.tables import Caller

if TYPE_CHECKING:
    from gouji_server.tables import Clock

ALGORITHM = "HS256"
ISSUER = "gouji"
AUDIENCE = "gouji-api"
MAX_TOKEN_LENGTH = 2048
"""Characters. A longer one is not ours and is not decoded."""

_OPTIONS: Any = {
    "require": ["exp", "sub", "name", "sid"],
    # Checked below, against the injected clock.
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
}


class TokenError(Exception):
    """An access token is missing, malformed, forged or lapsed. Which of them is not told."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is calling, in which session (its id), and until when that is known (Unix seconds).

    `scopes` is what a bot's token allows; None for a person, who may do everything.
    """

    caller: Caller
    expires: float
    session: str
    scopes: frozenset[str] | None = None


class AccessTokens:
    """Makes and checks access tokens with one key."""

    def __init__(self, key: bytes, clock: Clock, lifetime: float) -> None:
        self._key = key
        self._clock = clock
        self._lifetime = lifetime

    def issue(
        self, caller: Caller, session: str, *, scopes: str | None = None, until: float = math.inf
    ) -> tuple[str, float]:
        """Return a token for `caller` and when it lapses (Unix seconds), at `until` at the latest.

        `session`: the id of the session it is of. `scopes`: what a bot may do, in words; None for a person.
        """
        now = self._clock.now()
        expires = min(now + self._lifetime, until)
        claims: dict[str, object] = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": caller.account,
            "name": caller.display_name,
            "sid": session,
            "iat": now,
            "exp": expires,
        }
        if scopes is not None:
            claims["scp"] = scopes
        return jwt.encode(claims, self._key, ALGORITHM), expires

    def check(self, token: str) -> Identity:
        """Return whom `token` was made for. Raises TokenError."""
        if len(token) > MAX_TOKEN_LENGTH:
            raise TokenError
        try:
            claims = jwt.decode(token, self._key, [ALGORITHM], options=_OPTIONS, audience=AUDIENCE, issuer=ISSUER)
            words = claims.get("scp")
            caller = Caller(claims["sub"], claims["name"], bot=words is not None)
            scopes = None if words is None else frozenset(words.split())
            expires, session = float(claims["exp"]), str(claims["sid"])
        except (jwt.InvalidTokenError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise TokenError from error
        if expires <= self._clock.now():
            raise TokenError
        return Identity(caller, expires, session, scopes)
