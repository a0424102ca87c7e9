"""What waits on a stream: joined, bounded, and never a result lost."""

from __future__ import annotations

import asyncio

from gouji.table.v1 import table_pb2
from gouji_server.tables import Limits, Outbox
from gouji_server.tables.refusals import busy, stopping
from tests.server.table_time import TableTime, settle


class Follower:
    """A subscription that notes what becomes of it."""

    def __init__(self, table: str = "tables/a") -> None:
        self.table = table
        self.lagging = False
        self.resyncs = 0
        self.detached = 0

    def resync(self) -> None:
        self.resyncs += 1

    def detach(self) -> None:
        self.detached += 1


def read(message: bytes | None) -> table_pb2.PlayResponse:
    """Parse a message."""
    assert message is not None
    return table_pb2.PlayResponse.FromString(message)


def step(n: int) -> bytes:
    """Make a small chunk."""
    return table_pb2.PlayResponse(updates=[table_pb2.TableUpdate(n=n)]).SerializeToString()


async def test_all_that_waits_goes_in_one_message() -> None:
    """Steps and results that are there together are one message, in order."""
    outbox = Outbox(TableTime(), Limits())
    follower = Follower()
    outbox.put(follower, step(1))
    outbox.put_result("r1", 5)
    outbox.put(follower, step(2))
    message = read(await outbox.drain())
    assert [update.n for update in message.updates] == [1, 2]
    assert [(result.request_id, result.version) for result in message.results] == [("r1", 5)]


async def test_draining_waits_until_something_comes() -> None:
    """An empty outbox holds its stream until a step, a result or the end comes."""
    outbox = Outbox(TableTime(), Limits())
    draining = asyncio.ensure_future(outbox.drain())
    await settle()
    assert not draining.done()
    outbox.put(Follower(), step(1))
    assert read(await draining).updates[0].n == 1


async def test_a_refusal_tells_code_reason_and_texts() -> None:
    """A refused command's result carries the error in both languages and no version."""
    outbox = Outbox(TableTime(), Limits())
    outbox.put_refusal("r", busy())
    (result,) = read(await outbox.drain()).results
    assert (result.request_id, result.version, result.error.code, result.error.reason) == ("r", 0, 8, "TABLE_BUSY")
    assert result.error.text.en
    assert result.error.text.zh


async def test_a_slow_readers_backlog_gives_way_to_one_snapshot_of_that_table() -> None:
    """Beyond the bound the backlog of the table that overflows is dropped, and no other's; results stay; the snapshot
    is asked for when the reader is ready again."""
    outbox = Outbox(TableTime(), Limits(outbox_chunks=4))
    slow, other = Follower("tables/a"), Follower("tables/b")
    outbox.follow(slow)
    outbox.follow(other)
    for n in range(3):
        outbox.put(slow, step(n))
    outbox.put(other, step(100))
    outbox.put_result("r", 1)
    outbox.put(slow, step(4))
    assert slow.lagging
    assert not other.lagging
    assert slow.resyncs == 0
    message = read(await outbox.drain())
    assert slow.resyncs == 1
    assert [update.n for update in message.updates] == [100]
    assert [result.request_id for result in message.results] == ["r"]
    assert outbox.waiting_bytes == 0


async def test_the_bound_counts_bytes_too() -> None:
    """Few large steps overflow as many small ones do; a first one goes whatever its size."""
    outbox = Outbox(TableTime(), Limits(outbox_bytes=100))
    follower = Follower()
    outbox.follow(follower)
    outbox.put(follower, b"x" * 500)
    lagged = [follower.lagging]
    outbox.put(follower, b"x")
    lagged.append(follower.lagging)
    assert lagged == [False, True]
    assert outbox.waiting_bytes == 0


async def test_a_large_backlog_leaves_in_messages_of_bounded_size() -> None:
    """No message is larger than the bound unless a single step is."""
    outbox = Outbox(TableTime(), Limits(message_bytes=250))
    follower = Follower()
    for size in (100, 100, 100, 400, 100):
        outbox.put(follower, b"x" * size)
    sizes = [len(await outbox.drain() or b"") for _ in range(4)]
    assert sizes == [200, 100, 400, 100]


async def test_commands_are_read_only_while_there_is_room_for_their_results() -> None:
    """With the limit in flight the stream waits; a result that has left makes room."""
    outbox = Outbox(TableTime(), Limits(commands_in_flight=2))
    outbox.expect()
    await outbox.room()
    outbox.expect()
    waiting = asyncio.ensure_future(outbox.room())
    await settle()
    assert not waiting.done()
    outbox.answer("r1", 1)
    await settle()
    assert not waiting.done(), "the result has not left yet"
    await outbox.drain()
    await waiting


async def test_a_quiet_stream_gets_a_heartbeats_turn() -> None:
    """After the timeout without anything to send the drain returns empty; something sent begins the wait anew."""
    clock = TableTime()
    outbox = Outbox(clock, Limits())
    draining = asyncio.ensure_future(outbox.drain(10))
    await settle()
    await clock.run(6)
    outbox.put(Follower(), step(1))
    assert await draining
    draining = asyncio.ensure_future(outbox.drain(10))
    await settle()
    await clock.run(9)
    assert not draining.done()
    await clock.run(1)
    assert await draining == b""
    draining = asyncio.ensure_future(outbox.drain(10))
    await settle()
    await clock.run(10)
    assert await draining == b""


async def test_finishing_sends_what_waits_and_accepts_no_more() -> None:
    """After finish what waits is still sent, then the stream ends with the status given; followers are let go."""
    outbox = Outbox(TableTime(), Limits())
    follower = Follower()
    outbox.follow(follower)
    outbox.put(follower, step(1))
    outbox.finish(stopping())
    outbox.put(follower, step(2))
    outbox.put_result("late", 1)
    assert [update.n for update in read(await outbox.drain()).updates] == [1]
    assert await outbox.drain() is None
    assert outbox.end is not None
    assert outbox.end.reason == "STOPPING"
    assert follower.detached == 1


async def test_closing_drops_everything_and_wakes_who_waits() -> None:
    """A reader that is gone leaves nothing behind: no backlog, no follower, no waiting task."""
    outbox = Outbox(TableTime(), Limits(commands_in_flight=1))
    follower = Follower()
    outbox.follow(follower)
    outbox.expect()
    room = asyncio.ensure_future(outbox.room())
    draining = asyncio.ensure_future(outbox.drain())
    await settle()
    outbox.close()
    await room
    assert await draining is None
    assert follower.detached == 1
    outbox.answer("r", 1)
    assert outbox.waiting_bytes == 0


async def test_a_stream_of_one_table_ends_with_it() -> None:
    """WatchTable's stream ends well once its table is followed no more; a Play stream goes on."""
    watch, play = Outbox(TableTime(), Limits(), one_table=True), Outbox(TableTime(), Limits())
    for outbox in (watch, play):
        follower = Follower()
        outbox.follow(follower)
        outbox.put(follower, step(1))
        outbox.unfollow(follower)
    assert read(await watch.drain()).updates[0].n == 1
    assert await watch.drain() is None
    assert watch.end is None
    assert not play.ended


async def test_following_again_drops_what_the_first_had_waiting() -> None:
    """A second subscription of the same table on a stream takes the place of the first, backlog included."""
    outbox = Outbox(TableTime(), Limits())
    first, second = Follower(), Follower()
    outbox.follow(first)
    outbox.put(first, step(1))
    outbox.follow(second)
    outbox.put(second, step(2))
    assert first.detached == 1
    assert [update.n for update in read(await outbox.drain()).updates] == [2]


async def test_a_half_closed_stream_ends_when_nothing_is_left_to_come() -> None:
    """After the last command the stream lives while a result is awaited or a table followed, then ends well."""
    outbox = Outbox(TableTime(), Limits())
    follower = Follower()
    outbox.follow(follower)
    outbox.expect()
    outbox.finish_when_idle()
    ended = [outbox.ended]
    outbox.answer("r", 1)
    ended.append(outbox.ended)
    outbox.unfollow(follower)
    ended.append(outbox.ended)
    assert ended == [False, False, True]
    assert len(read(await outbox.drain()).results) == 1
    assert await outbox.drain() is None
