"""ReplayService."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.replay.v1 import replay_pb2 as pb
from gouji_server.api.errors import limited
from gouji_server.api.replay_stream import ReplayStream
from gouji_server.api.validation import SEATS, Shape
from gouji_server.rate_limits import TokenBuckets
from gouji_server.records.matches import MatchFilter
from gouji_server.replays import Wanted
from gouji_server.replays.replays import read_place

if TYPE_CHECKING:
    import grpc
    from google.protobuf.timestamp_pb2 import Timestamp

    from gouji_server.api.calls import Call, Calls
    from gouji_server.api.pages import Pages
    from gouji_server.api.sharing import SharedBy
    from gouji_server.api.streams import Streams
    from gouji_server.replays import Replays
    from gouji_server.tables import Clock

SERVICE = "gouji.replay.v1.ReplayService"

DEFAULT_PAGE = 50
MAX_PAGE = 100
STEPS_A_MESSAGE = 32
MESSAGE_BYTES = 64 << 10
"""A message of a replay is sent when it holds so many steps, or so many bytes."""
MAX_STEP = 1 << 40
REPLAY_BURST = 120
REPLAYS_PER_MINUTE = 60.0
"""Replays and records that an account gets at once, and a minute in the long run: each is unpacked anew."""

_NAMED = (("name", "match"),)


class ReplayService:
    """Tells of finished matches."""

    def __init__(self, replays: Replays, pages: Pages, streams: Streams, clock: Clock, links: SharedBy) -> None:
        self._replays = replays
        self._pages = pages
        self._streams = streams
        self._clock = clock
        self._links = links
        self._read = TokenBuckets(clock, REPLAY_BURST, REPLAYS_PER_MINUTE / 60)

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        return {
            "ListMatches": calls.unary("ListMatches", pb.ListMatchesRequest, self.list_matches),
            "GetMatch": calls.unary("GetMatch", pb.GetMatchRequest, self.get_match, logged=_NAMED),
            "GetMatchRecord": calls.unary(
                "GetMatchRecord", pb.GetMatchRecordRequest, self.get_match_record, logged=_NAMED
            ),
            "WatchReplay": calls.server_stream("WatchReplay", pb.WatchReplayRequest, self.watch_replay, logged=_NAMED),
        }

    async def list_matches(self, request: pb.ListMatchesRequest, call: Call) -> pb.ListMatchesResponse:
        """List finished matches that the caller may see."""
        shape = Shape().page_size(request.page_size, MAX_PAGE, DEFAULT_PAGE)
        for value, collection, field in (
            (request.player, "accounts", "player"),
            (request.rule_set, "ruleSets", "rule_set"),
            (request.table, "tables", "table"),
        ):
            if value:
                shape.name(value, collection, field)
        since = _time(shape, request.ended_from, "ended_from") if request.HasField("ended_from") else None
        before = _time(shape, request.ended_before, "ended_before") if request.HasField("ended_before") else None
        filters = (request.player, request.rule_set, request.table, str(since), str(before))
        question = ("ListMatches", call.caller.account, *filters)
        position = self._pages.continued(question, request.page_token, shape)
        shape.settle()
        wanted = MatchFilter(
            player=request.player.removeprefix("accounts/"),
            rule_set=request.rule_set,
            table=request.table,
            ended_from=since,
            ended_before=before,
            after=read_place(position),
        )
        matches, following = await self._replays.page(call.caller.account, wanted, request.page_size or DEFAULT_PAGE)
        return pb.ListMatchesResponse(matches=matches, next_page_token=self._pages.following(question, following))

    async def get_match(self, request: pb.GetMatchRequest, call: Call) -> pb.GetMatchResponse:
        """Tell about a match."""
        Shape().name(request.name, "matches").settle()
        eyes = await self._eyes(call, request.name, request.share_link)
        return pb.GetMatchResponse(match=await self._replays.get(eyes, request.name))

    async def get_match_record(self, request: pb.GetMatchRecordRequest, call: Call) -> pb.GetMatchRecordResponse:
        """Give a match's record."""
        Shape().name(request.name, "matches").settle()
        self._take(call)
        eyes = await self._eyes(call, request.name, request.share_link)
        return pb.GetMatchRecordResponse(record=await self._replays.record(eyes, request.name))

    async def watch_replay(self, request: pb.WatchReplayRequest, call: Call) -> None:
        """Write a match's steps."""
        wanted = _wanted(request)
        stream = ReplayStream(call.identity, call.address, self._clock)
        try:
            with self._streams.admit(stream):
                self._take(call)
                eyes = await self._eyes(call, request.name, request.share_link)
                message = pb.WatchReplayResponse()
                size = 0
                async for step in self._replays.steps(eyes, request.name, wanted):
                    message.steps.append(step)
                    size += step.ByteSize()
                    if len(message.steps) >= STEPS_A_MESSAGE or size >= MESSAGE_BYTES:
                        await stream.write(call.context, message.SerializeToString())
                        message.Clear()
                        size = 0
                if message.steps:
                    await stream.write(call.context, message.SerializeToString())
        finally:
            stream.close()

    async def _eyes(self, call: Call, match: str, link: str) -> str:
        """Return with whose rights the caller looks at a match: its own, or by a share link its maker's."""
        grant = await self._links.grant(call, match, link)
        return await self._replays.eyes(call.caller.account, match, grant.account if grant is not None else "")

    def _take(self, call: Call) -> None:
        """Count what is read out. Raises Refused."""
        wait = self._read.take(call.caller.account)
        if wait:
            raise limited(
                "TOO_MANY_REPLAYS",
                "this account watched or fetched too many matches in a short time",
                "此账号短时间内回放或下载的对局太多",
                retry_seconds=wait,
            )


def _wanted(request: pb.WatchReplayRequest) -> Wanted:
    """Check a request to watch. Raises Refused."""
    shape = Shape().name(request.name, "matches")
    if request.perspective not in pb.Perspective.values():
        shape.bad("perspective", "wanted: a Perspective", "应为 Perspective 之一")
    if request.perspective == pb.PERSPECTIVE_SEAT:
        shape.within(request.seat, 0, SEATS - 1, "seat")
    elif request.seat:
        shape.bad("seat", "goes with PERSPECTIVE_SEAT alone", "只与 PERSPECTIVE_SEAT 同用")
    shape.within(request.first_step, 0, MAX_STEP, "first_step").within(request.last_step, 0, MAX_STEP, "last_step")
    if 0 < request.last_step < request.first_step:
        shape.bad("last_step", "wanted: no less than first_step, or 0", "不得小于 first_step，或为 0")
    shape.settle()
    return Wanted(
        perspective=request.perspective or pb.PERSPECTIVE_OPEN,
        seat=request.seat,
        first=request.first_step,
        last=request.last_step,
    )


def _time(shape: Shape, value: Timestamp, field: str) -> int | None:
    """Return a time in milliseconds, None for one that is none."""
    try:
        return value.ToMilliseconds()
    except ValueError:
        shape.bad(field, "wanted: a time from year 1 to 9999", "应为公元 1 年至 9999 年之间的时间")
        return None
