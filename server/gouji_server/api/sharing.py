"""SharingService, and what share links open in the other services."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.sharing.v1 import sharing_pb2 as pb
from gouji_server.api.timestamps import timestamp
from gouji_server.api.validation import Shape
from gouji_server.sharing.links import DAY_SECONDS, MOST_DAYS
from gouji_server.tables import refusals

if TYPE_CHECKING:
    import grpc
    from google.protobuf.timestamp_pb2 import Timestamp

    from gouji_server.api.calls import Call, Calls
    from gouji_server.api.join_codes import CodeTries
    from gouji_server.api.pages import Pages
    from gouji_server.records.share_links import ShareLinkRecord
    from gouji_server.replays import Replays
    from gouji_server.sharing import ShareLinks
    from gouji_server.tables import Clock, Tables
    from gouji_server.tables.grants import Grant

SERVICE = "gouji.sharing.v1.SharingService"

MAX_PAGE = 100
DEFAULT_PAGE = 50
_PARENT = (("parent", "parent"),)


class SharedBy:
    """What share links open, for the services where they are given."""

    def __init__(self, links: ShareLinks, tries: CodeTries) -> None:
        self._links = links
        self._tries = tries

    async def grant(self, call: Call, target: str, token: str) -> Grant | None:
        """Return what a token opens of a table or match, None for none. Every try counts. Raises Refused."""
        if not token:
            return None
        self._tries.count(call.caller.account, call)
        return await self._links.grant(target, token)


class SharingService:
    """Makes and revokes share links."""

    def __init__(self, links: ShareLinks, tables: Tables, replays: Replays, pages: Pages, clock: Clock) -> None:
        self._links = links
        self._tables = tables
        self._replays = replays
        self._pages = pages
        self._clock = clock

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        return {
            "CreateShareLink": calls.unary("CreateShareLink", pb.CreateShareLinkRequest, self.create, logged=_PARENT),
            "ListShareLinks": calls.unary("ListShareLinks", pb.ListShareLinksRequest, self.list_links, logged=_PARENT),
            "RevokeShareLink": calls.unary(
                "RevokeShareLink", pb.RevokeShareLinkRequest, self.revoke, logged=(("name", "share_link"),)
            ),
        }

    async def create(self, request: pb.CreateShareLinkRequest, call: Call) -> pb.CreateShareLinkResponse:
        """Make a link."""
        shape = Shape().request_id(request.request_id).name(request.parent, "shared", "parent")
        expires = self._expiry(shape, request.expire_time) if request.HasField("expire_time") else None
        shape.settle()
        await self._whose(call, request.parent)
        if request.parent.startswith("tables/"):
            table = await (await self._tables.open(request.parent)).shown(call.caller)
            if table.end_time.ToMilliseconds():
                raise refusals.match_over()
            if not table.spectators_allowed:
                raise refusals.no_spectators()
        link, token = await self._links.create(call.caller.account, request.parent, expires, request.request_id)
        return pb.CreateShareLinkResponse(share_link=_told(link), token=token)

    async def list_links(self, request: pb.ListShareLinksRequest, call: Call) -> pb.ListShareLinksResponse:
        """List links."""
        question = ("ListShareLinks", call.caller.account, request.parent)
        shape = Shape().name(request.parent, "shared", "parent")
        shape.page_size(request.page_size, MAX_PAGE, DEFAULT_PAGE)
        position = self._pages.continued(question, request.page_token, shape)
        shape.settle()
        links = await self._links.of(request.parent, await self._whose(call, request.parent))
        first = int(position or 0)
        size = request.page_size or DEFAULT_PAGE
        following = str(first + size) if len(links) > first + size else ""
        return pb.ListShareLinksResponse(
            share_links=map(_told, links[first : first + size]),
            next_page_token=self._pages.following(question, following),
        )

    async def revoke(self, request: pb.RevokeShareLinkRequest, call: Call) -> pb.RevokeShareLinkResponse:
        """Make a link void."""
        Shape().name(request.name, "shareLinks").settle()
        parent, _, link_id = request.name.partition("/shareLinks/")
        try:
            whose = await self._whose(call, parent)
        except refusals.Refused as refused:
            if refused.code != refusals.PERMISSION_DENIED:
                raise
            whose = call.caller.account  # who has left a table may still take back what it gave away
        await self._links.revoke(parent, link_id, whose)
        return pb.RevokeShareLinkResponse()

    async def _whose(self, call: Call, parent: str) -> str | None:
        """Return whose links to a table or match the caller rules over: its own, None for all. Raises Refused for who
        may not share it."""
        if parent.startswith("matches/"):
            await self._replays.may_share(call.caller.account, parent)
            return call.caller.account
        owns = await (await self._tables.open(parent)).may_share(call.caller)
        return None if owns else call.caller.account

    def _expiry(self, shape: Shape, wanted: Timestamp) -> float | None:
        now = self._clock.now()
        seconds = wanted.seconds + wanted.nanos / 1e9
        if not 0 <= wanted.nanos < 1_000_000_000 or not now < seconds <= now + MOST_DAYS * DAY_SECONDS:
            text_en, text_zh = f"wanted: a time within {MOST_DAYS} days", f"应为 {MOST_DAYS} 天之内的时间"
            shape.bad("expire_time", text_en, text_zh)
        return seconds


def _told(link: ShareLinkRecord) -> pb.ShareLink:
    return pb.ShareLink(
        name=f"{link.target}/shareLinks/{link.id}",
        account=f"accounts/{link.account_id}",
        create_time=timestamp(link.created),
        expire_time=timestamp(link.expires),
    )
