"""Page tokens."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji_server.lobby.page_tokens import MAX_TOKEN_LENGTH, PageTokenError, PageTokens

TOKENS = PageTokens(bytes(32))
QUESTION = ("ListTables", "accounts/a", 1, True)


@given(st.text(max_size=100))
def test_a_token_leads_back(position: str) -> None:
    """What was put into a token comes out of it."""
    assert TOKENS.read(QUESTION, TOKENS.make(QUESTION, position)) == position


@pytest.mark.parametrize(
    "other",
    [
        ("ListTables", "accounts/b", 1, True),
        ("ListTables", "accounts/a", 2, True),
        ("ListRuleSets", "accounts/a", 1, True),
    ],
)
def test_a_token_is_for_one_question(other: tuple[str | int, ...]) -> None:
    """A token is refused for another account, filter or method."""
    token = TOKENS.make(QUESTION, "5")
    with pytest.raises(PageTokenError):
        TOKENS.read(other, token)


def test_a_token_is_for_one_server() -> None:
    """A token signed with another key is refused."""
    with pytest.raises(PageTokenError):
        PageTokens(b"x" * 32).read(QUESTION, TOKENS.make(QUESTION, "5"))


@given(st.data())
def test_a_changed_token_is_refused(data: st.DataObject) -> None:
    """A token with any bit changed leads nowhere."""
    token = TOKENS.make(QUESTION, "7|tables/abc")
    raw = bytearray(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    at = data.draw(st.integers(0, len(raw) * 8 - 1))
    raw[at // 8] ^= 1 << at % 8
    with pytest.raises(PageTokenError):
        TOKENS.read(QUESTION, base64.urlsafe_b64encode(bytes(raw)).decode().rstrip("="))


@given(st.text(max_size=MAX_TOKEN_LENGTH + 10))
def test_any_text_is_refused_calmly(text: str) -> None:
    """Whatever a client sends, the answer is PageTokenError and nothing else."""
    with pytest.raises(PageTokenError):
        TOKENS.read(QUESTION, text)
