"""Matches that are over: finding them, their records, and watching them step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import grpc
import grpc.aio

from gouji.replay.v1 import replay_pb2
from gouji_client import wire
from gouji_client.arguments import in_utc, seat_number, table_name, well_formed
from gouji_client.backoff import Waits
from gouji_client.calls import authorization
from gouji_client.errors import BadInput, ClientClosed, ProtocolBroken
from gouji_client.status import error_of_call, retry_delay
from gouji_client.story import Update
from gouji_client.view import view_of_snapshot

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from datetime import datetime

    import gouji_rules as gr
    from gouji.replay.v1.replay_pb2_grpc import ReplayServiceAsyncStub
    from gouji_client.arguments import TableLike
    from gouji_client.calls import Calls
    from gouji_client.session import Session
    from gouji_client.view import TableView

SEATS = 6

_EYES = {"open": replay_pb2.PERSPECTIVE_OPEN, "spectator": replay_pb2.PERSPECTIVE_SPECTATOR}
_AWAY = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED})


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """A step of a match: its number, what was told and the table after it, and all six hands in an open replay.

    Of the first step of a replay, and of one that begins later, `update.restart` is set: it is the table to start from.
    """

    number: int
    update: Update
    hands: tuple[tuple[gr.Card, ...], ...] = ()

    @property
    def view(self) -> TableView:
        """The table after the step."""
        return self.update.view


class Replays:
    """The finished matches of a server that the account may see: its own, and those that could be watched.

    Matches are told as the wire's `gouji.replay.v1.Match`, and given by their name `matches/{match}`. Every call raises
    `Refused` with the server's reason (`MATCH_NOT_FOUND`), `BadInput`, `ServerUnreachable`, `NotSignedIn`,
    `SignInFailed` or `ClientClosed`.
    """

    def __init__(self, stub: ReplayServiceAsyncStub, session: Session, calls: Calls) -> None:
        self._stub = stub
        self._session = session
        self._calls = calls

    async def matches(
        self,
        *,
        player: str = "",
        rule_set: str = "",
        table: TableLike = "",
        ended_from: datetime | None = None,
        ended_before: datetime | None = None,
    ) -> AsyncGenerator[replay_pb2.Match, None]:
        """Iterate over finished matches, the last finished first: `async for match in client.replays.matches()`.

        `player` is an account `accounts/{account}`, `rule_set` a preset's name; the times have to know their zone.
        """
        with well_formed("a list of matches"):
            request = replay_pb2.ListMatchesRequest(
                player=player,
                rule_set=rule_set if not rule_set or rule_set.startswith("ruleSets/") else f"ruleSets/{rule_set}",
                table=table_name(table) if table else "",
            )
            for time, field in ((ended_from, request.ended_from), (ended_before, request.ended_before)):
                if time is not None:
                    field.FromDatetime(in_utc(time))
        while True:
            answer = await self._calls.signed(self._session, self._stub.ListMatches, request)
            for match in answer.matches:
                yield match
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token

    async def get(self, match: str, *, share_link: str = "") -> replay_pb2.Match:
        """Return a match with its deals; one that is not open to all wants the token of a share link."""
        with well_formed("a share link"):
            request = replay_pb2.GetMatchRequest(name=_match_name(match), share_link=share_link)
        return (await self._calls.signed(self._session, self._stub.GetMatch, request)).match

    async def record(self, match: str, *, share_link: str = "") -> str:
        """Return a match's record, the text of a file."""
        with well_formed("a share link"):
            request = replay_pb2.GetMatchRecordRequest(name=_match_name(match), share_link=share_link)
        return (await self._calls.signed(self._session, self._stub.GetMatchRecord, request)).record

    async def steps(
        self,
        match: str,
        *,
        eyes: int | Literal["open", "spectator"] = "open",
        first: int = 1,
        last: int = 0,
        share_link: str = "",
    ) -> AsyncGenerator[ReplayStep, None]:
        """Iterate over a match step by step, as fast as it is read: `async for step in client.replays.steps(name)`.

        `eyes` are those it is seen with: all six hands, a spectator's, or a seat's by its number. `first` and `last`
        bound the steps (last 0: to the end); the iteration begins with the table before them. A lost connection is made
        good.
        """
        request = _request(match, eyes, first, last)
        with well_formed("a share link"):
            request.share_link = share_link
        told = 0
        view: TableView | None = None
        hands: list[tuple[gr.Card, ...]] = [()] * SEATS
        async for step in self._told(request):
            if step.update.HasField("snapshot"):
                if view is not None:
                    continue  # begun anew after a lost connection
                view = view_of_snapshot(step.update)
                update = Update(step.update.table, (), view, step.update.snapshot.reason)
            elif view is None or step.step <= told:
                raise ProtocolBroken(f"{request.name}: step {step.step} does not follow")
            else:
                view = view.after(step.update)
                update = Update(step.update.table, tuple(step.update.events), view)
            for part in step.seats:
                hands[part.seat] = wire.cards_from_wire(part.hand)
            told = step.step
            yield ReplayStep(told, update, tuple(hands) if eyes == "open" else ())

    async def _told(self, request: replay_pb2.WatchReplayRequest) -> AsyncGenerator[replay_pb2.ReplayStep, None]:
        """Give the steps of a stream, opened again after the last one where it breaks."""
        waits = Waits(self._calls.backoff, self._calls.clock, self._calls.rng)
        renewed = ""
        while True:
            if self._calls.is_closed():
                raise ClientClosed
            token = await self._session.access_token()
            try:
                async for message in self._stub.WatchReplay(request, metadata=authorization(token)):
                    for step in message.steps:
                        yield step
                        request.first_step = step.step + 1
                    waits.succeeded()
                return
            except grpc.aio.AioRpcError as error:
                if self._calls.is_closed():
                    raise ClientClosed from error
                if error.code() is grpc.StatusCode.UNAUTHENTICATED and token != renewed:
                    renewed = await self._session.renew(lapsed=token)
                elif error.code() not in _AWAY or not await waits.pause(at_least=retry_delay(error)):
                    raise error_of_call(error, self._calls.address) from error


def _request(match: str, eyes: int | str, first: int, last: int) -> replay_pb2.WatchReplayRequest:
    with well_formed("a replay"):
        if isinstance(eyes, str):
            if eyes not in _EYES:
                raise BadInput(f"a replay is seen with the eyes of {', '.join(_EYES)} or a seat, not {eyes!r}")
            perspective, seat = _EYES[eyes], 0
        else:
            perspective, seat = replay_pb2.PERSPECTIVE_SEAT, seat_number(eyes)
        return replay_pb2.WatchReplayRequest(
            name=_match_name(match), perspective=perspective, seat=seat, first_step=first, last_step=last
        )


def _match_name(match: object) -> str:
    if not isinstance(match, str) or not match:
        raise BadInput(f"{match!r} is no match: expected its name, such as matches/abc")
    return match if match.startswith("matches/") else f"matches/{match}"
