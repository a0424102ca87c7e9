"""Access tokens: who made them, for whom, until when."""

from __future__ import annotations

from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji_server.accounts import AccessTokens, TokenError
from gouji_server.accounts.tokens import AUDIENCE, ISSUER, MAX_TOKEN_LENGTH
from gouji_server.tables import Caller
from tests.server.virtual_time import VirtualClock

KEY = b"k" * 64
CALLER = Caller("accounts/a", "张三")


def claims(clock: VirtualClock, **changes: Any) -> dict[str, Any]:
    whole = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": CALLER.account,
        "name": CALLER.display_name,
        "sid": "s",
        "exp": clock.now() + 60,
    }
    whole |= changes
    return {name: value for name, value in whole.items() if value is not None}


def test_a_token_says_who_and_until_when() -> None:
    """A token is good up to its last moment, by the injected clock, and then not."""
    clock = VirtualClock()
    tokens = AccessTokens(KEY, clock, 900)
    token, expires = tokens.issue(CALLER, "s")
    assert expires == clock.now() + 900
    clock.advance(899.9)
    identity = tokens.check(token)
    assert identity.caller == CALLER
    assert identity.expires == pytest.approx(expires)
    clock.advance(0.1)
    with pytest.raises(TokenError):
        tokens.check(token)


def test_a_good_token_made_by_hand_passes() -> None:
    """The forgeries below are refused for what is wrong with them: the same claims, well signed, are taken."""
    clock = VirtualClock()
    token = jwt.encode(claims(clock), KEY, "HS256")
    assert AccessTokens(KEY, clock, 900).check(token).caller == CALLER


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "another"},
        {"aud": None},
        {"iss": "another"},
        {"exp": None},
        {"exp": "soon"},
        {"exp": 0},
        {"sub": None},
        {"sub": 7},
        {"name": None},
        {"sid": None},
    ],
    ids=str,
)
def test_claims_that_do_not_fit(changes: dict[str, Any]) -> None:
    """A well-signed token that lacks a claim, or has another one, is refused."""
    clock = VirtualClock()
    token = (
        jwt.encode(claims(clock, **changes), KEY, "HS256")
        if "sub" not in changes or changes["sub"] is None
        else (jwt.api_jws.encode(repr(claims(clock, **changes)).replace("'", '"').encode(), KEY, "HS256"))
    )
    with pytest.raises(TokenError):
        AccessTokens(KEY, clock, 900).check(token)


@pytest.mark.parametrize(("key", "algorithm"), [(b"x" * 64, "HS256"), (KEY, "HS384"), (None, "none")])
def test_signatures_that_are_not_ours(key: bytes | None, algorithm: str) -> None:
    """Another key, another algorithm, and none at all are refused."""
    clock = VirtualClock()
    token = jwt.encode(claims(clock), key, algorithm)
    with pytest.raises(TokenError):
        AccessTokens(KEY, clock, 900).check(token)


@given(st.one_of(st.text(max_size=200), st.integers(MAX_TOKEN_LENGTH, MAX_TOKEN_LENGTH * 4).map("a".__mul__)))
def test_any_text_is_refused_calmly(text: str) -> None:
    """Whatever stands in the metadata, the answer is TokenError and nothing else."""
    with pytest.raises(TokenError):
        AccessTokens(KEY, VirtualClock(), 900).check(text)
