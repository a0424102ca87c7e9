"""Shapes of requests, checked before anything else is done with them. Meaning is the business of tables and rules."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Self

from gouji_server.accounts.login_names import canonical
from gouji_server.api.errors import invalid

if TYPE_CHECKING:
    from google.protobuf.duration_pb2 import Duration

SEATS = 6
MAX_DISPLAY_NAME = 24
MAX_TITLE = 60
MIN_PASSWORD = 8
MAX_PASSWORD = 128
MAX_SECRET = 256
"""Characters. Ours are shorter."""
MIN_SIGN_IN_ID = 16
"""Characters of a sign-in's request id: whoever guesses it, from the same address, is given the same account."""

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_POLICY = re.compile(r"[a-z0-9_-]{0,32}")
_NAMES = {
    "tables": re.compile(r"tables/[A-Za-z0-9_-]{1,64}"),
    "matches": re.compile(r"matches/[A-Za-z0-9_-]{1,64}"),
    "accounts": re.compile(r"accounts/[A-Za-z0-9_-]{1,64}"),
    "tokens": re.compile(r"accounts/[A-Za-z0-9_-]{1,64}/tokens/[A-Za-z0-9_-]{1,64}"),
    "sessions": re.compile(r"sessions/[A-Za-z0-9_-]{1,64}"),
    "shared": re.compile(r"(tables|matches)/[A-Za-z0-9_-]{1,64}"),
    "shareLinks": re.compile(r"(tables|matches)/[A-Za-z0-9_-]{1,64}/shareLinks/[A-Za-z0-9_-]{1,64}"),
    "ruleSets": re.compile(r"ruleSets/[A-Za-z0-9_-]{1,64}"),
}
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"
"""Zero-width (non-)joiners are part of some scripts' spelling and of emoji."""


class Shape:
    """Collects what is wrong with a request; `settle` raises if anything is."""

    __slots__ = ("_fields", "_first_zh")

    def __init__(self) -> None:
        self._fields: list[tuple[str, str]] = []
        self._first_zh = ""

    def bad(self, field: str, text_en: str, text_zh: str) -> Self:
        """Note what is wrong with a field."""
        self._first_zh = self._first_zh or text_zh
        self._fields.append((field, text_en))
        return self

    def settle(self) -> None:
        """Raise Refused INVALID_ARGUMENT if any field is not as it should be, naming them all."""
        if self._fields:
            raise invalid(self._fields, self._first_zh)

    def request_id(self, value: str, field: str = "request_id") -> Self:
        """Check a request id."""
        if _REQUEST_ID.fullmatch(value):
            return self
        return self.bad(
            field,
            "wanted: 1 to 64 characters of A-Z a-z 0-9 - _ . (a UUID is a good id)",
            "应为 1 至 64 个字符，限 A-Z a-z 0-9 - _ .（建议使用 UUID）",
        )

    def sign_in_id(self, value: str) -> Self:
        """Check the request id of a sign-in: none, or one that nobody guesses."""
        if not value or (len(value) >= MIN_SIGN_IN_ID and _REQUEST_ID.fullmatch(value)):
            return self
        return self.bad(
            "request_id",
            "wanted: none, or 16 to 64 characters of A-Z a-z 0-9 - _ . that nobody can guess (a UUID is a good id)",
            "应为空，或 16 至 64 个不可猜测的字符，限 A-Z a-z 0-9 - _ .（建议使用 UUID）",
        )

    def name(self, value: str, collection: str, field: str = "name") -> Self:
        """Check a resource name of `collection`."""
        if _NAMES[collection].fullmatch(value):
            return self
        return self.bad(field, f"wanted: a resource name {_shown(collection)}", f"应为资源名 {_shown(collection)}")

    def policy(self, value: str) -> Self:
        """Check the shape of a built-in bot's name; whether there is such a bot is the tables' to say."""
        if _POLICY.fullmatch(value):
            return self
        return self.bad("policy", "wanted: the name of a built-in bot, or none", "应为内置机器人的名称，或留空")

    def seat(self, value: int, field: str = "seat") -> Self:
        """Check a seat number."""
        if 0 <= value < SEATS:
            return self
        return self.bad(field, "wanted: a seat, 0 to 5", "应为座位号 0 至 5")

    def within(self, value: int, low: int, high: int, field: str, default: int | None = None) -> Self:
        """Check that a number is from `low` to `high`, or 0 where that stands for a default."""
        if low <= value <= high or (default is not None and value == 0):
            return self
        or_zero_en, or_zero_zh = ("", "") if default is None else (f", or 0 for {default}", f"，或 0 表示 {default}")
        return self.bad(field, f"wanted: {low} to {high}{or_zero_en}", f"应为 {low} 至 {high}{or_zero_zh}")

    def page_size(self, value: int, most: int, default: int) -> Self:
        """Check a page size."""
        return self.within(value, 1, most, "page_size", default)

    def page_token(self, field: str = "page_token") -> Self:
        """Note a page token that is not ours."""
        return self.bad(
            field,
            "not a token of this list: take next_page_token of the answer before, with the same filters",
            "不是此列表的页标记：请用上次回答的 next_page_token，且条件不变",
        )

    def duration(self, value: Duration, low: int, high: int, field: str) -> Self:
        """Check a duration against bounds in seconds; its two parts must have one sign and be in range."""
        if 0 <= value.nanos < 1_000_000_000 and low <= value.seconds and value.seconds + (value.nanos > 0) <= high:
            return self
        return self.bad(field, f"wanted: {low} s to {high} s", f"应为 {low} 秒至 {high} 秒")

    def display_name(self, value: str, field: str) -> Self:
        """Check a display name."""
        if is_line(value) and 1 <= len(value) <= MAX_DISPLAY_NAME and has_ink(value):
            return self
        return self.bad(
            field,
            f"wanted: 1 to {MAX_DISPLAY_NAME} characters, something visible among them, no control characters",
            f"应为 1 至 {MAX_DISPLAY_NAME} 个字符，含可见字符且不含控制字符",
        )

    def line(self, value: str, most: int, field: str) -> Self:
        """Check a line of text that may not be empty."""
        if is_line(value) and 1 <= len(value) <= most and has_ink(value):
            return self
        return self.bad(
            field,
            f"wanted: 1 to {most} characters in one line, something visible among them, no control characters",
            f"应为一行 1 至 {most} 个字符，含可见字符且不含控制字符",
        )

    def title(self, value: str, field: str = "title") -> Self:
        """Check a title; it may be empty."""
        if is_line(value) and len(value) <= MAX_TITLE:
            return self
        return self.bad(
            field,
            f"wanted: at most {MAX_TITLE} characters, no control characters",
            f"最多 {MAX_TITLE} 个字符，不含控制字符",
        )

    def login_name(self, value: str, field: str) -> Self:
        """Check a name to sign in with."""
        if len(value) <= MAX_SECRET and canonical(value):
            return self
        return self.bad(
            field,
            "wanted: 2 to 32 letters, digits and . _ - beginning with a letter or digit",
            "应为 2 至 32 个字母、数字或 . _ - ，以字母或数字开头",
        )

    def new_password(self, value: str, field: str, login_name: str) -> Self:
        """Check a password that is to be set."""
        fits = MIN_PASSWORD <= len(value) <= MAX_PASSWORD and is_line(value) and len(set(value)) > 1
        if fits and value.strip().casefold() != login_name.strip().casefold():
            return self
        return self.bad(
            field,
            f"wanted: {MIN_PASSWORD} to {MAX_PASSWORD} characters, not all the same, and not the name",
            f"应为 {MIN_PASSWORD} 至 {MAX_PASSWORD} 个字符，不能全部相同，也不能与登录名相同",
        )

    def password(self, value: str, field: str) -> Self:
        """Check a password that is to be compared."""
        if 1 <= len(value) <= MAX_PASSWORD:
            return self
        return self.bad(field, f"wanted: 1 to {MAX_PASSWORD} characters", f"应为 1 至 {MAX_PASSWORD} 个字符")

    def secret(self, value: str, field: str) -> Self:
        """Check that a secret is there and of a bearable length."""
        if 1 <= len(value) <= MAX_SECRET:
            return self
        return self.bad(field, f"wanted: 1 to {MAX_SECRET} characters", f"应为 1 至 {MAX_SECRET} 个字符")


def _shown(collection: str) -> str:
    return _SHOWN.get(collection, f"{collection}/…")


_SHOWN = {
    "tokens": "accounts/…/tokens/…",
    "shared": "tables/… or matches/…",
    "shareLinks": "tables/…/shareLinks/… or matches/…/shareLinks/…",
}


def is_line(text: str) -> bool:
    """Tell whether `text` is free of control, format and line-breaking characters."""
    return all(character in _JOINERS or unicodedata.category(character) not in _HIDDEN for character in text)


def has_ink(text: str) -> bool:
    """Tell whether anything of `text` can be seen."""
    return any(unicodedata.category(character)[0] in "LNPS" for character in text)
