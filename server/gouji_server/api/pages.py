"""Lists in pages: the tokens that clients hold are signed, and good for the caller, list and filters they came with."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from gouji_server.lobby import PageTokenError, PageTokens

DEFAULT_PAGE = 50
MAX_PAGE = 100

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_server.api.validation import Shape

T = TypeVar("T")


class Pages:
    """Turns positions of lists into tokens and back. `question`: method, account and everything that filters."""

    def __init__(self, key: bytes) -> None:
        self._tokens = PageTokens(key)

    def continued(self, question: Sequence[str | int], token: str, shape: Shape) -> str:
        """Return the position that a request's `page_token` stands for; empty for the first page or a bad token.

        A bad token is noted in `shape`.
        """
        if not token:
            return ""
        try:
            return self._tokens.read(question, token)
        except PageTokenError:
            shape.page_token()
            return ""

    def following(self, question: Sequence[str | int], position: str) -> str:
        """Return the `next_page_token` of a position; empty for none."""
        return self._tokens.make(question, position) if position else ""

    def cut(
        self, question: Sequence[str | int], whole: Sequence[T], position: str, page_size: int
    ) -> tuple[Sequence[T], str]:
        """Return a page of a short list, beginning at `position`, and the token of the next one."""
        start = int(position or 0)
        stop = start + (page_size or DEFAULT_PAGE)
        return whole[start:stop], self.following(question, str(stop) if stop < len(whole) else "")
