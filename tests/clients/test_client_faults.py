"""The client over every fault that a fake server can be told to have."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gouji.table.v1 import table_pb2
from gouji_client import Client, Update, connect
from gouji_client.testing import (
    Busy,
    Delay,
    Drain,
    DropStream,
    Duplicate,
    EndStream,
    FakeServer,
    Fault,
    GoBack,
    LapseToken,
    LoseResult,
    NewEpoch,
    Resync,
    Skip,
    StaleDecision,
)
from tests.clients.watching import AT_ONCE, assert_no_version_twice_or_skipped, play_to_the_end, sit_down

SEED = 7


async def play(faults: list[Fault], **settings: object) -> tuple[FakeServer, list[Update]]:
    """Play one deal at a server with faults; return the server and all that the client was told."""
    async with (
        FakeServer(seed=SEED, faults=faults, **settings) as server,  # type: ignore[arg-type]
        connect(server.address, backoff=AT_ONCE, rng=random.Random(1)) as client,
    ):
        table = await sit_down(client, server.table)
        seen = await play_to_the_end(table, random.Random(2))
    assert server.over
    assert_no_version_twice_or_skipped(seen)
    assert seen[-1].view.over
    return server, seen


def restarts(seen: list[Update]) -> list[int]:
    """Return why a reader started anew, after the first time."""
    return [update.restart for update in seen[1:] if update.restart is not None]


def events(seen: list[Update]) -> list[bytes]:
    """Return everything that was told to have happened, times aside."""
    return [event.SerializeToString(deterministic=True) for update in seen for event in update.events]


async def test_without_faults_one_stream_carries_the_whole_match() -> None:
    """A quiet match needs one stream and no second snapshot."""
    server, seen = await play([])
    assert server.streams_opened == 1
    assert restarts(seen) == []


@pytest.mark.parametrize(
    ("fault", "streams"),
    [
        (DropStream(at=30), 2),
        (DropStream(at=30, sent=True), 2),
        (EndStream(at=30), 2),
        (LoseResult(at=30), 2),
        (Duplicate(at=30), 1),
        (Busy(at=30, times=3), 1),
        (LapseToken(at=30), 2),
        (LapseToken(at=30, refresh_too=True), 2),
        (Drain(at=30, refusals=0), 2),
        (Drain(at=30, refusals=3), 2),
    ],
    ids=repr,
)
async def test_a_fault_leaves_no_trace_in_what_is_told(fault: Fault, streams: int) -> None:
    """Lost connections, lost results, lapsed tokens and draining change nothing in the story that the client reads."""
    server, seen = await play([fault])
    quiet, same = await play([])
    assert restarts(seen) == []
    assert events(seen) == events(same)
    assert server.answers == quiet.answers
    assert server.streams_opened == streams


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Resync(at=30, steps=2), table_pb2.SNAPSHOT_REASON_SLOW_READER),
        (Skip(at=30), table_pb2.SNAPSHOT_REASON_FIRST),
        (NewEpoch(at=30), table_pb2.SNAPSHOT_REASON_UNKNOWN_PLACE),
    ],
    ids=repr,
)
async def test_where_something_is_missing_the_reader_is_told(
    fault: Fault, reason: table_pb2.SnapshotReason.ValueType
) -> None:
    """What cannot be told step by step comes as one snapshot, marked with the reason, and the match goes on."""
    _, seen = await play([fault])
    assert restarts(seen) == [reason]


async def test_a_server_that_goes_back_is_asked_anew() -> None:
    """A snapshot of the past is not shown: the client asks again, and what it gets is shown once."""
    server, seen = await play([GoBack(at=30, steps=4)])
    assert server.streams_opened == 1
    assert len(restarts(seen)) <= 1


async def test_an_answer_whose_result_was_lost_is_carried_out_once() -> None:
    """The answer is sent again under its request id, and stands in the game once."""
    server, _ = await play([LoseResult(at=at) for at in (10, 30, 50, 70)])
    quiet, _ = await play([])
    assert server.streams_opened == 5
    assert server.answers == quiet.answers


async def test_a_stale_answer_is_told_and_the_game_goes_on() -> None:
    """When the clock was faster the answer is refused as stale, and the next question is answered as ever."""
    server, _ = await play([StaleDecision(at=30)])
    assert server.over


async def test_a_delayed_stream_is_waited_for() -> None:
    """A slow server loses nothing; the wait is the server's own."""
    waited = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    _, seen = await play([Delay(at=30, seconds=600)], sleep=sleep)
    assert waited == [600]
    assert restarts(seen) == []


async def test_a_token_that_lapsed_is_refreshed_once() -> None:
    """A lapsed access token is traded for a new one; only if the refresh token is void too the secret signs in anew."""
    refreshed, _ = await play([LapseToken(at=30)])
    assert (refreshed.refreshes, refreshed.sign_ins) == (1, 1)
    anew, _ = await play([LapseToken(at=30, refresh_too=True)])
    assert (anew.refreshes, anew.sign_ins) == (0, 2)


async def test_a_fault_can_be_ordered_for_one_of_many_clients() -> None:
    """A fault with a seat happens to that seat's client alone."""
    async with FakeServer(seed=SEED, seats=[0, 3], faults=[Resync(at=30, seat=3)]) as server:
        clients: list[Client] = [await connect(server.address, backoff=AT_ONCE) for _ in range(2)]
        tables = [await sit_down(client, server.table) for client in clients]
        first, second = await asyncio.gather(
            *(play_to_the_end(table, random.Random(seat)) for seat, table in enumerate(tables))
        )
        for client in clients:
            await client.close()
    assert restarts(first) == []
    assert restarts(second) == [table_pb2.SNAPSHOT_REASON_SLOW_READER]


at = st.integers(8, 90)
any_fault = st.one_of(
    st.builds(DropStream, at=at, sent=st.booleans()),
    st.builds(EndStream, at=at),
    st.builds(Drain, at=at, refusals=st.integers(0, 3)),
    st.builds(LapseToken, at=at, refresh_too=st.booleans()),
    st.builds(Resync, at=at, steps=st.integers(1, 5)),
    st.builds(Duplicate, at=at),
    st.builds(Skip, at=at),
    st.builds(GoBack, at=at, steps=st.integers(1, 20)),
    st.builds(NewEpoch, at=at),
    st.builds(StaleDecision, at=at),
    st.builds(LoseResult, at=at),
    st.builds(Busy, at=at, times=st.integers(1, 3)),
)

SHORT_HANDS = ["3456789TJQKA", "3344556677", "89TTJJQQK2", "4567sAAKK", "55566778", "99TTb22K"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(any_fault, max_size=8), st.integers(0, 2**32))
async def test_under_any_script_of_faults_no_version_is_shown_twice_or_skipped(faults: list[Fault], seed: int) -> None:
    """Whatever goes wrong, in whatever order, the client reads every version once, in order, and plays to the end."""
    async with (
        FakeServer(seed=seed, hands=SHORT_HANDS, faults=faults) as server,
        connect(server.address, backoff=AT_ONCE, rng=random.Random(seed)) as client,
    ):
        table = await sit_down(client, server.table)
        seen = await play_to_the_end(table, random.Random(seed))
    assert server.over
    assert_no_version_twice_or_skipped(seen)
    mine = [text for seat, text in server.answers if seat == 0]
    assert mine
