"""What somebody without a seat gets by a share link."""

from __future__ import annotations


class Grant:
    """To look at a table, or at a match, as long as it is `live`. ``account``: who shared it, `accounts/{account}`."""

    __slots__ = ("__weakref__", "account", "live")

    def __init__(self, account: str) -> None:
        self.account = account
        self.live = True


def opens(grant: Grant | None) -> bool:
    """Whether there is one that is good."""
    return grant is not None and grant.live
