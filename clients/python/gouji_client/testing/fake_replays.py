"""The fake server's finished matches: the tables' own stories, told again."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc

from gouji.replay.v1 import replay_pb2 as pb
from gouji.table.v1 import state_pb2, table_pb2
from gouji_client.testing.refusals import Refusal, bad_request
from gouji_rules.records import record_of_match, write_record

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from google.protobuf.timestamp_pb2 import Timestamp

    from gouji_client.clock import Clock
    from gouji_client.testing.fake_session import FakeAccounts
    from gouji_client.testing.fake_steps import Step
    from gouji_client.testing.fake_table import FakeTable
    from gouji_client.testing.hall import Hall


@dataclass(slots=True)
class _Kept:
    """A match that is over."""

    table: FakeTable
    facts: pb.Match
    deals: list[pb.MatchDeal]


class FakeReplays:
    """Tells of the matches of the hall that are over. `note` has it look for them."""

    def __init__(self, accounts: FakeAccounts, hall: Hall, clock: Clock) -> None:
        self._accounts = accounts
        self._hall = hall
        self._clock = clock
        self._started: dict[str, float] = {}
        self._kept: dict[str, _Kept] = {}

    def note(self) -> None:
        """Keep the matches that ended since the last time."""
        kept = {match.table.name for match in self._kept.values()}
        for table in self._hall:
            if table.deals and table.name not in kept:
                started = self._started.setdefault(table.name, self._clock.time())
                if table.over:
                    self._keep(table, started)

    def _keep(self, table: FakeTable, started: float) -> None:
        info = table.info
        facts = pb.Match(
            name=f"matches/{secrets.token_hex(16)}",
            table=table.name,
            title=info.title,
            rule_set=info.rule_set,
            options=info.options,
            deals=info.deals,
            players=info.players,
            scores=table.match.scores,
            open_to_all=info.spectators_allowed and not info.private,
            deals_begun=len(table.deals),
            steps=len(_steps(table)),
        )
        facts.start_time.FromMilliseconds(round(started * 1000))
        facts.end_time.FromMilliseconds(round(self._clock.time() * 1000))
        deals: list[pb.MatchDeal] = []
        for number, step in _steps(table):
            for event in step.public.events:
                if event.HasField("deal_started"):
                    deals.append(pb.MatchDeal(deal=event.deal_started.deal, first_step=number, cut_off=True))
                elif event.HasField("deal_ended"):
                    said, deals[-1].cut_off = event.deal_ended, False
                    deals[-1].places.extend(said.places)
                    deals[-1].scores.extend(said.scores)
                    deals[-1].sweep = said.sweep
                elif event.HasField("deal_voided"):
                    deals[-1].void, deals[-1].cut_off = True, False
                elif event.HasField("match_ended"):
                    facts.end_reason = event.match_ended.reason
        if table.match.lot is not None:
            facts.lot = table.match.lot.team
        self._kept[facts.name] = _Kept(table, facts, deals)

    async def list_matches(self, request: pb.ListMatchesRequest, token: str) -> pb.ListMatchesResponse:
        """See `ReplayService.ListMatches`. All are on one page."""
        caller = self._accounts.account_of(token).name
        found = [match for match in reversed(self._kept.values()) if _may_see(match, caller)]
        return pb.ListMatchesResponse(matches=[match.facts for match in found if _is_wanted(match, request)])

    async def get_match(self, request: pb.GetMatchRequest, token: str) -> pb.GetMatchResponse:
        """See `ReplayService.GetMatch`."""
        kept = self._match(request.name, token)
        told = pb.Match()
        told.CopyFrom(kept.facts)
        told.deal_results.extend(kept.deals)
        return pb.GetMatchResponse(match=told)

    async def get_match_record(self, request: pb.GetMatchRecordRequest, token: str) -> pb.GetMatchRecordResponse:
        """See `ReplayService.GetMatchRecord`."""
        table = self._match(request.name, token).table
        return pb.GetMatchRecordResponse(record=write_record(record_of_match(table.match, table.deals)))

    async def watch_replay(self, request: pb.WatchReplayRequest, token: str) -> AsyncIterator[pb.WatchReplayResponse]:
        """See `ReplayService.WatchReplay`."""
        table = self._match(request.name, token).table
        perspective = request.perspective or pb.PERSPECTIVE_OPEN
        if perspective == pb.PERSPECTIVE_SEAT and request.seat not in range(6):
            raise bad_request("seat: wanted: 0 to 5", "seat：应为 0 至 5")
        if 0 < request.last_step < request.first_step:
            raise bad_request("last_step: wanted: no less than first_step, or 0", "last_step：不得小于 first_step")
        steps = _steps(table)
        before = min(max(request.first_step - 1, 1), len(steps))
        yield pb.WatchReplayResponse(steps=[_seen(steps[before - 1], perspective, request.seat, whole=True)])
        for step in steps[before:]:
            if 0 < request.last_step < step[0]:
                return
            seen = _seen(step, perspective, request.seat, whole=False)
            if seen.HasField("update"):
                yield pb.WatchReplayResponse(steps=[seen])

    def _match(self, name: str, token: str) -> _Kept:
        match = self._kept.get(name)
        if match is None or not _may_see(match, self._accounts.account_of(token).name):
            raise Refusal(grpc.StatusCode.NOT_FOUND, "MATCH_NOT_FOUND", "there is no such match", "没有这一局")
        return match


def _may_see(match: _Kept, account: str) -> bool:
    return match.facts.open_to_all or any(player.account == account for player in match.facts.players)


def _is_wanted(match: _Kept, request: pb.ListMatchesRequest) -> bool:
    facts = match.facts
    return (
        (not request.player or any(player.account == request.player for player in facts.players))
        and request.rule_set in ("", facts.rule_set)
        and request.table in ("", facts.table)
        and (not request.HasField("ended_from") or _time(request.ended_from) <= _time(facts.end_time))
        and (not request.HasField("ended_before") or _time(facts.end_time) < _time(request.ended_before))
    )


def _time(told: Timestamp) -> int:
    return told.ToMilliseconds()


def _steps(table: FakeTable) -> list[tuple[int, Step]]:
    """Return the steps of a table in which something was told, numbered from 1."""
    told = (step for step in table.steps if step.public.events or step.public.HasField("table_info") or any(step.told))
    return list(enumerate(told, 1))


def _seen(
    numbered: tuple[int, Step], perspective: pb.Perspective.ValueType, seat: int, *, whole: bool
) -> pb.ReplayStep:
    """Return a step, or the `whole` table after it, as somebody's eyes see it; without an update if it is nothing."""
    number, step = numbered
    eyes = seat if perspective == pb.PERSPECTIVE_SEAT else None
    seen = pb.ReplayStep(step=number)
    if whole:
        seen.update.CopyFrom(step.snapshot_for(eyes, table_pb2.SNAPSHOT_REASON_REQUESTED))
    elif perspective == pb.PERSPECTIVE_OPEN:
        seen.update.CopyFrom(step.public)
    elif (update := step.update_for(eyes)) is not None:
        seen.update.CopyFrom(update)
    if perspective == pb.PERSPECTIVE_OPEN:
        seen.seats.extend(_cards_alone(step, whole=whole))
    elif seen.update.HasField("seat"):
        _without_settings(seen.update.seat)
    return seen


def _cards_alone(step: Step, *, whole: bool) -> Iterator[state_pb2.SeatPart]:
    for part, told in zip(step.parts, step.told, strict=True):
        if whole or told:
            yield _without_settings(state_pb2.SeatPart.FromString(part.SerializeToString()))


def _without_settings(part: state_pb2.SeatPart) -> state_pb2.SeatPart:
    part.ClearField("auto_decline")
    part.ClearField("auto_decline_always")
    return part
