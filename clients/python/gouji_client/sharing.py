"""Share links: by which others watch a table, or look at a match that is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji.sharing.v1 import sharing_pb2
from gouji_client.arguments import in_utc, well_formed
from gouji_client.calls import new_request_id
from gouji_client.errors import BadInput

if TYPE_CHECKING:
    from datetime import datetime

    from gouji.sharing.v1.sharing_pb2_grpc import SharingServiceAsyncStub
    from gouji_client.calls import Calls
    from gouji_client.session import Session


@dataclass(frozen=True, slots=True)
class NewShareLink:
    """A link just made. ``token`` is what opens it: the server tells it once."""

    link: sharing_pb2.ShareLink
    token: str


class Sharing:
    """The share links of tables where one sits, and of matches that one played.

    Tables and matches are given by their names, `tables/{table}` and `matches/{match}`. Who holds a token passes it on
    as `share_link` to `client.table`, `client.lobby.get` or `client.replays`. Every call raises `Refused` with the
    server's reason, `BadInput`, `ServerUnreachable`, `NotSignedIn`, `SignInFailed` or `ClientClosed`.
    """

    def __init__(self, stub: SharingServiceAsyncStub, session: Session, calls: Calls) -> None:
        self._stub = stub
        self._session = session
        self._calls = calls

    async def create(self, shared: str, *, expires: datetime | None = None) -> NewShareLink:
        """Make a link that is good until `expires` (with its zone), a week where nothing is said, 90 days at most."""
        with well_formed("a share link"):
            request = sharing_pb2.CreateShareLinkRequest(request_id=new_request_id(), parent=_name(shared))
            if expires is not None:
                request.expire_time.FromDatetime(in_utc(expires))
        made = await self._calls.signed(self._session, self._stub.CreateShareLink, request)
        return NewShareLink(made.share_link, made.token)

    async def links(self, shared: str) -> list[sharing_pb2.ShareLink]:
        """Return the good links, the newest first: one's own, and of one's own table everybody's."""
        found: list[sharing_pb2.ShareLink] = []
        with well_formed("a list of share links"):
            request = sharing_pb2.ListShareLinksRequest(parent=_name(shared))
        while True:
            answer = await self._calls.signed(self._session, self._stub.ListShareLinks, request)
            found.extend(answer.share_links)
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    async def revoke(self, link: str) -> None:
        """Make a link void, by its name `tables/…/shareLinks/…`; streams that it opened end at once."""
        with well_formed("a share link"):
            request = sharing_pb2.RevokeShareLinkRequest(name=_name(link))
        await self._calls.signed(self._session, self._stub.RevokeShareLink, request)


def _name(said: object) -> str:
    if not isinstance(said, str) or not said:
        raise BadInput(f"{said!r} is no name: expected one such as tables/abc or matches/abc")
    return said
