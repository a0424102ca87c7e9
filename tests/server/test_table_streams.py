"""Following a table: snapshot first, then the story without a gap; tails, resyncs, slow readers, bounds."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from gouji.table.v1 import table_pb2
from gouji_server.tables import Limits, Refused, TableSpec
from tests.server.players import House, Reader, at_home, person, play_on
from tests.server.table_time import settle

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle

FIRST, TOO_OLD, UNKNOWN, SLOW, REQUESTED = 1, 2, 3, 4, 5


class Counts:
    """Counts what tables say they did."""

    def __init__(self) -> None:
        self.commands: list[tuple[str, str]] = []
        self.resyncs: list[str] = []

    def command(self, method: str, status: str) -> None:
        self.commands.append((method, status))

    def resync(self, reason: str) -> None:
        self.resyncs.append(reason)

    def fault(self) -> None:
        raise AssertionError

    def frozen(self) -> None:
        raise AssertionError


async def playing(seed: int = 0, *, limits: Limits | None = None, moves: int = 30) -> tuple[House, TableHandle]:
    """Begin a match of two deals and play some moves."""
    at = House(seed=seed, limits=limits, metrics=Counts())
    await at.tables.start()
    handle = await at.match(TableSpec(deals=2))
    await play_on(at, handle, random.Random(seed), moves=moves)
    return at, handle


async def same_as_fresh(reader: Reader) -> None:
    """Hold that what the reader kept is what a snapshot says now."""
    fresh = await reader.fresh()
    assert reader.place == table_pb2.Place(epoch=fresh.epoch, n=fresh.n, p=fresh.p)
    assert reader.state == fresh.state
    assert reader.plays == list(fresh.snapshot.plays)
    assert reader.seat == (fresh.seat if fresh.HasField("seat") else None)


async def test_a_new_reader_gets_a_snapshot_and_then_the_story() -> None:
    """Without a place the first update is a snapshot with everything public and, for a seat, its own part."""
    at, handle = await playing()
    seat, spectator = Reader(at, handle, person(2)), Reader(at, handle, person(9))
    for reader in (seat, spectator):
        await reader.follow()
        assert await reader.read() == 1
        assert reader.snapshots == [FIRST]
        assert len(reader.plays) > 5
        await same_as_fresh(reader)
    assert seat.updates[0].seat.seat == 2
    assert not spectator.updates[0].HasField("seat")
    assert spectator.updates[0].p == 0
    await play_on(at, handle, random.Random(1), moves=30)
    for reader in (seat, spectator):
        await reader.read()
        assert len(reader.snapshots) == 1
        await same_as_fresh(reader)


@pytest.mark.parametrize("number", [0, 3, 9])
async def test_a_reader_that_comes_back_gets_exactly_the_tail(number: int) -> None:
    """From the place reached before, the story goes on without a snapshot, nothing twice and nothing left out; also
    after a restart of the server."""
    at, handle = await playing()
    reader = Reader(at, handle, person(number))
    await reader.follow()
    await reader.read()
    for _ in range(3):
        reader.outbox.close()
        await play_on(at, handle, random.Random(1), moves=15)
        await reader.follow(resume=True)
        await reader.read()
    reader.outbox.close()
    await play_on(at, handle, random.Random(1), moves=15)
    await at.restart()
    await reader.follow(resume=True)
    await reader.read()
    assert reader.snapshots == [FIRST]
    await same_as_fresh(reader)


async def test_a_place_of_another_numbering_or_ahead_of_the_table_is_unknown() -> None:
    """Another epoch, an n or p nobody reached, or a seat's p from a spectator give a snapshot that says so."""
    at, handle = await playing()
    fresh = table_pb2.TableUpdate.FromString(await handle.view(person(2)))
    places = [
        (2, table_pb2.Place(epoch=fresh.epoch + 1, n=fresh.n, p=fresh.p)),
        (2, table_pb2.Place(epoch=fresh.epoch, n=fresh.n + 1, p=fresh.p)),
        (2, table_pb2.Place(epoch=fresh.epoch, n=fresh.n, p=fresh.p + 1)),
        (2, table_pb2.Place(epoch=fresh.epoch, n=0, p=fresh.p)),
        (9, table_pb2.Place(epoch=fresh.epoch, n=fresh.n, p=fresh.p)),
        (2, table_pb2.Place()),
        (2, table_pb2.Place(epoch=fresh.epoch, n=-1, p=-1)),
    ]
    for number, place in places:
        reader = Reader(at, handle, person(number))
        await handle.subscribe(person(number), place, reader.outbox)
        await reader.read()
        assert reader.snapshots in ([UNKNOWN], [TOO_OLD])
        await same_as_fresh(reader)
    assert at.metrics is not None
    assert len(at.metrics.resyncs) == len(places)  # type: ignore[attr-defined]


async def test_a_place_before_what_is_kept_is_too_old() -> None:
    """A short ring forgets: who comes back from before it gets a snapshot, who comes from within it a tail; a restart
    keeps the bound."""
    at, handle = await playing(limits=at_home(ring_steps=10))
    reader = Reader(at, handle, person(9))
    await reader.follow()
    await reader.read()
    for restart in (False, True):
        reader.outbox.close()
        await play_on(at, handle, random.Random(1), moves=25)
        if restart:
            await at.restart()
        await reader.follow(resume=True)
        await reader.read()
        assert reader.snapshots[-1] == TOO_OLD
        reader.outbox.close()
        handle = reader.handle
        await play_on(at, handle, random.Random(1), moves=2)
        if restart:
            await at.restart()
        before = len(reader.snapshots)
        await reader.follow(resume=True)
        await reader.read()
        assert len(reader.snapshots) == before
        await same_as_fresh(reader)


async def test_a_slow_reader_gets_one_snapshot_for_what_it_missed() -> None:
    """A reader that takes nothing is not buffered beyond the bound; ready again it gets a snapshot, then the story; the
    others notice nothing."""
    at, handle = await playing(limits=at_home(outbox_chunks=8))
    slow, quick = Reader(at, handle, person(1)), Reader(at, handle, person(2))
    for reader in (slow, quick):
        await reader.follow()
        await reader.read()
    for _ in range(12):
        await play_on(at, handle, random.Random(1), moves=5)
        await quick.read()
    assert slow.outbox.waiting_bytes < 8 * 2000
    await slow.read()
    assert slow.snapshots == [FIRST, SLOW]
    await same_as_fresh(slow)
    await play_on(at, handle, random.Random(1), moves=5)
    for reader in (slow, quick):
        await reader.read()
        await same_as_fresh(reader)
    assert quick.snapshots == [FIRST]
    assert at.metrics is not None
    assert at.metrics.resyncs == ["SLOW_READER"]  # type: ignore[attr-defined]


async def test_two_tables_on_one_stream_lag_apart() -> None:
    """On a stream that follows two tables the backlog of one that overflows leaves the other's alone."""
    at, first = await playing(limits=at_home(outbox_chunks=8))
    made = await at.tables.create(person(0), TableSpec(title="two"), "second")
    second = await at.tables.open(made.name)
    one = Reader(at, first, person(0))
    await one.follow()
    await second.subscribe(person(0), None, one.outbox)
    await settle()
    await play_on(at, first, random.Random(1), moves=20)
    message = await one.outbox.drain()
    assert message is not None
    kept = table_pb2.PlayResponse.FromString(message).updates
    assert [update.table for update in kept] == [second.name]
    await settle()
    message = await one.outbox.drain()
    assert message is not None
    (snapshot,) = table_pb2.PlayResponse.FromString(message).updates
    assert (snapshot.table, snapshot.snapshot.reason) == (first.name, SLOW)


async def test_an_unsubscribed_reader_gets_nothing_more() -> None:
    """After unsubscribing what waited is still sent, and then no more; following again begins anew."""
    at, handle = await playing()
    reader = Reader(at, handle, person(3))
    await reader.follow()
    await reader.read()
    handle.unsubscribe(reader.outbox)
    handle.unsubscribe(reader.outbox)
    await play_on(at, handle, random.Random(1), moves=5)
    assert await reader.read() == 0
    await handle.subscribe(person(3), reader.place, reader.outbox)
    await reader.read()
    await same_as_fresh(reader)
    assert reader.snapshots == [FIRST]


async def test_subscribing_again_on_a_stream_takes_the_place_of_the_first() -> None:
    """The stream gets the story once, from the newer place."""
    at, handle = await playing()
    reader = Reader(at, handle, person(3))
    await reader.follow()
    await reader.read()
    await play_on(at, handle, random.Random(1), moves=5)
    await handle.subscribe(person(3), reader.place, reader.outbox)
    await reader.read()
    await play_on(at, handle, random.Random(1), moves=5)
    await reader.read()
    await same_as_fresh(reader)


async def test_a_subscription_with_an_id_gets_its_result_with_the_snapshot() -> None:
    """The command's result carries the table's n, in the same message; a bad id is refused."""
    at, handle = await playing()
    reader = Reader(at, handle, person(3))
    n = await handle.subscribe(person(3), None, reader.outbox, "sub-1")
    message = await reader.outbox.drain()
    assert message is not None
    response = table_pb2.PlayResponse.FromString(message)
    assert [(result.request_id, result.version) for result in response.results] == [("sub-1", n)]
    assert response.updates[0].n == n
    with pytest.raises(Refused, match="BAD_REQUEST_ID"):
        await handle.subscribe(person(3), None, reader.outbox, "sub 1")


async def test_followers_are_bounded() -> None:
    """So many spectators at a table, so many streams of one account; seats are not kept out by spectators."""
    at, handle = await playing(limits=at_home(watchers=3, streams_per_account=2))
    outboxes = [at.tables.outbox() for _ in range(9)]
    for number in (10, 11, 12):
        await handle.subscribe(person(number), None, outboxes[number - 10])
    with pytest.raises(Refused, match="TOO_MANY_WATCHERS"):
        await handle.subscribe(person(13), None, outboxes[3])
    for index in (4, 5):
        await handle.subscribe(person(0), None, outboxes[index])
    with pytest.raises(Refused, match="TOO_MANY_STREAMS"):
        await handle.subscribe(person(0), None, outboxes[6])
    await handle.subscribe(person(0), None, outboxes[5])
    outboxes[0].close()
    await handle.subscribe(person(13), None, outboxes[3])


async def test_a_table_without_spectators_is_for_its_seats() -> None:
    """Nobody without a seat may follow or view; seats may; who leaves follows no more."""
    at = House()
    await at.tables.start()
    handle = await at.new_table(TableSpec(spectators=False), people=2)
    for ask in (handle.view(person(9)), handle.subscribe(person(9), None, at.tables.outbox())):
        with pytest.raises(Refused) as raised:
            await ask
        assert (raised.value.code, raised.value.reason) == (7, "NO_SPECTATORS")
    reader = Reader(at, handle, person(1))
    await reader.follow()
    await reader.read()
    await handle.leave(person(1), "l")
    assert await reader.read() == 1
    await handle.join(person(2), None, "j")
    assert await reader.read() == 0


async def test_a_spectator_that_takes_a_seat_sees_with_its_eyes() -> None:
    """Who follows before joining gets the seat's part when the cards are dealt, with no gap in its story."""
    at = House()
    await at.tables.start()
    handle = await at.new_table(people=5)
    reader = Reader(at, handle, person(7))
    await reader.follow()
    await reader.read()
    await handle.join(person(7), None, "j")
    for number in (*range(5), 7):
        await handle.set_ready(person(number), True, "r")
    await reader.read()
    assert reader.seat is not None
    assert (reader.seat.seat, len(reader.seat.hand)) == (5, 36)
    await same_as_fresh(reader)


async def test_who_comes_after_the_end_gets_the_tail_or_a_snapshot_and_the_stream_ends() -> None:
    """A closed table sends what is left of its story and ends the stream; so it does after a restart."""
    at, handle = await playing(moves=1_000_000)
    for restart in (False, True):
        if restart:
            await at.restart()
            handle = await at.tables.open(handle.name)
        fresh = table_pb2.TableUpdate.FromString(await handle.view(person(0)))
        for after in (None, table_pb2.Place(epoch=fresh.epoch, n=fresh.n, p=fresh.p)):
            outbox = at.tables.outbox(one_table=True)
            await handle.subscribe(person(0), after, outbox)
            if after is None:
                message = await outbox.drain()
                assert message is not None
                (update,) = table_pb2.WatchTableResponse.FromString(message).updates
                assert update.table_info.state == 3
            assert await outbox.drain() is None
            assert outbox.end is None


async def test_a_view_is_a_snapshot_that_was_asked_for() -> None:
    """GetView's bytes are a snapshot for the caller's eyes."""
    at, handle = await playing()
    for number in (0, 9):
        view = table_pb2.TableUpdate.FromString(await handle.view(person(number)))
        assert view.snapshot.reason == REQUESTED
        assert view.HasField("seat") == (number == 0)
    del at


async def test_stream_commands_are_counted_by_status_alone() -> None:
    """Every command on a stream is counted once, by method and status."""
    at, handle = await playing()
    reader = Reader(at, handle, person(0))
    await reader.follow()
    handle.act_on_stream(person(0), table_pb2.SubmitActionRequest(request_id="a", decision=1), reader.outbox)
    await reader.read()
    assert at.metrics is not None
    assert at.metrics.commands == [("Play.act", "INVALID_ARGUMENT")]  # type: ignore[attr-defined]
    assert reader.results[0].error.reason == "BAD_ACTION"


async def test_a_tail_longer_than_the_bound_is_taken_whole() -> None:
    """Coming back from far behind is no slowness: the whole tail comes, without a gap and without a snapshot."""
    at, handle = await playing(limits=at_home(outbox_chunks=4))
    reader = Reader(at, handle, person(1))
    await reader.follow()
    await reader.read()
    reader.outbox.close()
    await play_on(at, handle, random.Random(1), moves=60)
    await reader.follow(resume=True)
    await reader.read()
    assert reader.snapshots == [FIRST]
    await same_as_fresh(reader)


async def test_a_slow_reader_learns_of_the_end() -> None:
    """A reader that lags when the table closes still gets its snapshot, which says so, and then its stream ends."""
    at, handle = await playing(limits=at_home(outbox_chunks=4))
    outbox = at.tables.outbox(one_table=True)
    await handle.subscribe(person(9), None, outbox)
    await play_on(at, handle, random.Random(1))
    seen: list[table_pb2.TableUpdate] = []
    while (message := await outbox.drain()) is not None:
        seen.extend(table_pb2.WatchTableResponse.FromString(message).updates)
    assert seen[-1].snapshot.reason == SLOW
    assert seen[-1].table_info.state == 3
    assert outbox.end is None
