"""The share links of the client without `async`; see `gouji_client.sync`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from gouji.sharing.v1 import sharing_pb2
    from gouji_client import sharing as _sharing
    from gouji_client.background import BackgroundLoop
    from gouji_client.sharing import NewShareLink


class Sharing:
    """The share links of tables and matches; see `gouji_client.Sharing`."""

    def __init__(self, sharing: _sharing.Sharing, loop: BackgroundLoop) -> None:
        self._sharing = sharing
        self._loop = loop

    def create(self, shared: str, *, expires: datetime | None = None) -> NewShareLink:
        """Make a link that is good until `expires` (with its zone), a week where nothing is said, 90 days at most."""
        return self._loop.run(self._sharing.create(shared, expires=expires))

    def links(self, shared: str) -> list[sharing_pb2.ShareLink]:
        """Return the good links, the newest first: one's own, and of one's own table everybody's."""
        return self._loop.run(self._sharing.links(shared))

    def revoke(self, link: str) -> None:
        """Make a link void, by its name; streams that it opened end at once."""
        self._loop.run(self._sharing.revoke(link))
