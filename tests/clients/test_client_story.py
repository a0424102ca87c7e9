"""What of a table's story is new, old or broken; and the readers' backlogs."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2, state_pb2, table_pb2
from gouji_client import GoujiError, ProtocolBroken
from gouji_client.backoff import Backoff, Waits
from gouji_client.story import BACKLOG, Story, Verdict, judge
from gouji_client.view import Position
from tests.clients.manual_clock import EagerClock

if TYPE_CHECKING:
    from gouji_client.story import Feed, Update

TABLE = "tables/t"


def snapshot(
    n: int, p: int = 0, *, seat: int | None = None, epoch: int = 1, closed: bool = False
) -> table_pb2.TableUpdate:
    """Make a snapshot."""
    state = lobby_pb2.TABLE_STATE_FINISHED if closed else lobby_pb2.TABLE_STATE_PLAYING
    info = lobby_pb2.Table(name=TABLE, state=state, players=[lobby_pb2.Player(seat=s) for s in range(6)])
    update = table_pb2.TableUpdate(table=TABLE, epoch=epoch, n=n, table_info=info)
    update.snapshot.reason = table_pb2.SNAPSHOT_REASON_FIRST
    return with_seat(update, seat, p)


def step(first: int, last: int, p: int = 0, *, seat: int | None = None, epoch: int = 1) -> table_pb2.TableUpdate:
    """Make a step of the events `first` to `last`, all of them passes."""
    update = table_pb2.TableUpdate(table=TABLE, epoch=epoch, n=last)
    for n in range(first, last + 1):
        update.events.add(n=n).passed.seat = n % 6
    return with_seat(update, seat, p)


def private(n: int, p: int, seat: int = 2) -> table_pb2.TableUpdate:
    """Make a step that says something to one seat alone."""
    return with_seat(table_pb2.TableUpdate(table=TABLE, epoch=1, n=n), seat, p)


def with_seat(update: table_pb2.TableUpdate, seat: int | None, p: int) -> table_pb2.TableUpdate:
    if seat is not None:
        update.p = p
        update.seat.CopyFrom(state_pb2.SeatPart(seat=seat, answered=True))
    return update


AT = Position(epoch=1, n=10, p=4, seat=2)


@pytest.mark.parametrize(
    ("update", "verdict"),
    [
        (step(11, 11), Verdict.NEW),
        (step(11, 15), Verdict.NEW),
        (step(11, 12, 5, seat=2), Verdict.NEW),
        (step(9, 11), Verdict.NEW),
        (private(10, 5), Verdict.NEW),
        (step(8, 10), Verdict.OLD),
        (step(10, 10, 4, seat=2), Verdict.OLD),
        (private(10, 4), Verdict.OLD),
        (private(8, 3), Verdict.OLD),
        (step(12, 12), Verdict.BROKEN),
        (step(11, 11, 6, seat=2), Verdict.BROKEN),
        (step(11, 11, 3, seat=2), Verdict.BROKEN),
        (private(10, 6), Verdict.BROKEN),
        (private(9, 5), Verdict.BROKEN),
        (private(11, 5), Verdict.BROKEN),
        (step(11, 11, 5, seat=3), Verdict.BROKEN),
        (step(11, 11, epoch=2), Verdict.BROKEN),
        (snapshot(11, 4, seat=2), Verdict.NEW),
        (snapshot(10, 5, seat=2), Verdict.NEW),
        (snapshot(10, 4, seat=2), Verdict.OLD),
        (snapshot(9, 4, seat=2), Verdict.BROKEN),
        (snapshot(12, 3, seat=2), Verdict.BROKEN),
        (snapshot(3, 0, seat=2, epoch=2), Verdict.NEW),
        (snapshot(10), Verdict.NEW),  # the seat was given up
    ],
)
def test_an_update_is_judged_by_its_numbers(update: table_pb2.TableUpdate, verdict: Verdict) -> None:
    """Both numbers must go on without a gap; what is known is old; what does not follow is broken."""
    assert judge(AT, update) is verdict


def test_events_with_a_gap_inside_are_broken() -> None:
    """An update whose events skip a number does not follow, whatever its own number says."""
    update = step(11, 13)
    del update.events[1]
    assert judge(AT, update) is Verdict.BROKEN


def test_a_story_begins_with_a_snapshot() -> None:
    """Steps without anything before them are no beginning."""
    assert judge(None, step(1, 1)) is Verdict.BROKEN
    assert judge(None, snapshot(0)) is Verdict.NEW


def new_story() -> Story:
    return Story(TABLE, Waits(Backoff(), EagerClock(), random.Random(1)))


async def read(feed: Feed) -> list[Update]:
    """Return what a feed holds."""
    return [await anext(feed) for _ in range(feed.backlog)]


class Server:
    """Sends a story's updates as a server might that drops, repeats and goes back at will."""

    def __init__(self) -> None:
        self.n = 0
        self.log: list[table_pb2.TableUpdate] = []

    def advance(self, events: int) -> None:
        """Make a step."""
        self.log.append(step(self.n + 1, self.n + events))
        self.n += events

    def tail(self, after: table_pb2.Place | None) -> list[table_pb2.TableUpdate]:
        """Answer a subscription."""
        if after is None:
            return [snapshot(self.n)]
        return [update for update in self.log if update.n > after.n]


@given(st.data())
async def test_whatever_the_server_sends_no_version_is_read_twice_or_skipped(data: st.DataObject) -> None:
    """A reader gets every number once, in order; the only jumps are snapshots, marked as such, and never back."""
    server, story = Server(), new_story()
    feed = story.open_feed()
    waiting: list[table_pb2.TableUpdate] = []
    story.take(snapshot(0))
    seen: list[Update] = []
    kinds = st.sampled_from(["send", "send", "send", "drop", "twice", "old", "old snapshot", "reconnect"])
    # The last step arrives: nobody can know of one that does not.
    for what in [*data.draw(st.lists(kinds, max_size=40)), "send"]:
        server.advance(data.draw(st.integers(1, 3)))
        waiting.append(server.log[-1])
        if what == "drop":
            waiting.pop(0)
        elif what == "twice":
            waiting.insert(0, waiting[0])
        elif what == "old":
            waiting.insert(0, data.draw(st.sampled_from(server.log)))
        elif what == "old snapshot":
            waiting.insert(0, snapshot(data.draw(st.integers(0, server.n))))
        elif what == "reconnect":
            waiting = server.tail(story.after)
        while waiting:
            if not story.take(waiting.pop(0)):
                waiting = server.tail(story.after)  # the client asks anew, and the server answers honestly
        seen += await read(feed)
    at = 0
    for update in seen:
        assert update.view.at.n >= at
        if update.restart is None:
            assert [event.n for event in update.events] == list(range(at + 1, update.view.at.n + 1))
            assert update.events
        at = update.view.at.n
    assert at == server.n, "and nothing is missing at the end"


async def test_a_story_that_breaks_again_and_again_is_given_up() -> None:
    """A server that only ever goes back does not keep the client asking for ever."""
    story = new_story()
    feed = story.open_feed()
    assert story.take(snapshot(10))
    tries = 0
    while not story.take(snapshot(5)):
        tries += 1
    assert tries == 5
    await anext(feed)
    with pytest.raises(ProtocolBroken, match="does not follow"):
        await anext(feed)


async def test_a_slow_reader_gets_one_snapshot_for_its_backlog() -> None:
    """Past the limit a backlog is replaced by the newest view, marked SLOW_READER; another reader is not concerned."""
    story = new_story()
    slow, quick = story.open_feed(), story.open_feed()
    story.take(snapshot(0))
    got = []
    for n in range(1, BACKLOG + 5):
        story.take(step(n, n))
        got += await read(quick)
    late = await read(slow)
    assert late[0].restart == table_pb2.SNAPSHOT_REASON_SLOW_READER
    assert [update.view.at.n for update in late] == list(range(BACKLOG, BACKLOG + 5))
    assert [update.view.at.n for update in got] == list(range(BACKLOG + 5))


async def test_a_late_reader_begins_with_the_newest_view() -> None:
    """Who begins to read later starts from the table as it is known, without asking the server."""
    story = new_story()
    story.take(snapshot(3))
    story.take(step(4, 4))
    feed = story.open_feed()
    first = await anext(feed)
    assert (first.view.at.n, first.restart) == (4, table_pb2.SNAPSHOT_REASON_FIRST)
    story.take(step(5, 5))
    assert [event.n for event in (await anext(feed)).events] == [5]


async def test_the_end_of_the_table_ends_the_readers() -> None:
    """TableClosed ends every iteration after all that came before it was read."""
    story = new_story()
    feed = story.open_feed()
    story.take(snapshot(0))
    last = table_pb2.TableUpdate(table=TABLE, epoch=1, n=1)
    last.events.add(n=1).table_closed.reason = events_pb2.CLOSE_REASON_MATCH_OVER
    story.take(last)
    assert [update.view.at.n async for update in feed] == [0, 1]
    assert [update.view.at.n async for update in story.open_feed()] == [1]


async def test_a_snapshot_of_a_closed_table_ends_the_readers() -> None:
    """Who comes after the end is told by the table's state, since the event does not come again."""
    story = new_story()
    feed = story.open_feed()
    story.take(snapshot(9, closed=True))
    assert [update.view.at.n async for update in feed] == [9]


async def test_a_failure_comes_after_what_was_read_before_it() -> None:
    """A reader first gets what came in, then what broke the story."""
    story = new_story()
    feed = story.open_feed()
    story.take(snapshot(1))
    story.fail(GoujiError("gone"))
    assert (await anext(feed)).view.at.n == 1
    with pytest.raises(GoujiError, match="gone"):
        await anext(feed)
