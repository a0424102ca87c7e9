"""People without a seat are told what happens in a match later, whatever they ask, and no less for it."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import table_pb2
from gouji_server.lobby.table_feed import EncodedTables, TableFeed
from gouji_server.lobby.table_filter import TableFilter
from gouji_server.records.matches import MatchFilter
from gouji_server.tables import Limits, Refused, TableSpec
from gouji_server.tables.public_fold import PublicFold
from gouji_server.tables.steps import UPDATES_TAG, chunk
from gouji_server.tables.story import Story
from tests.rules.random_rule_sets import random_rule_set
from tests.server.matches_kept import archive, play_out
from tests.server.memory_journal import MemoryJournal
from tests.server.players import House, Reader, at_home, person, play_on
from tests.server.raw_client import new_id, refusal
from tests.server.table_time import settle

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from gouji_server.journal import Entry
    from gouji_server.tables import TableHandle
    from tests.server.running import Running

_ANY = MatchFilter()
DELAY = 30.0
WATCHER = person(9)
LATER = TableSpec(deals=1, spectator_delay_seconds=DELAY)
FIRST = table_pb2.SNAPSHOT_REASON_FIRST
PLAYING, FINISHED = lobby_pb2.TABLE_STATE_PLAYING, lobby_pb2.TABLE_STATE_FINISHED


class Told:
    """What a journal says that may be known at a time: worked out from its entries, apart from the code that tells."""

    def __init__(self, name: str, entries: list[Entry]) -> None:
        story = Story(name, Limits())
        self.due: list[tuple[float, int]] = []
        for entry in entries:
            playing = story.state.state == PLAYING
            effect, _, _ = story.retell(entry)
            told = effect.happened or (effect.info_changed and not effect.quiet)
            if told:
                self.due.append((effect.time / 1000 + (DELAY if playing else 0), story.state.n))

    def n(self, now: float) -> int:
        """The number of the last event that may be known."""
        return max((n for due, n in self.due if due <= now + 1e-6), default=0)


async def told(house: House, handle: TableHandle) -> Told:
    return Told(handle.name, list(await house.journal.read(handle.name)))


async def watching(house: House, handle: TableHandle) -> Reader:
    reader = Reader(house, handle, WATCHER)
    await reader.follow()
    await reader.read()
    return reader


Options = tuple[tuple[str, gr.rule_set.OptionValue], ...]


def rule_sets() -> list[tuple[str, Options]]:
    """Every preset, and some with options at random."""
    sets: list[tuple[str, Options]] = [(name, ()) for name in gr.PRESETS]
    for number in range(4):
        rules = random_rule_set(random.Random(f"watched {number}")).replace(seating="free")
        sets.append((rules.name, tuple(rules.overrides().items())))
    return sets


@pytest.mark.parametrize(("rules", "options"), rule_sets())
async def test_the_fold_of_what_was_sent_is_the_snapshot(rules: str, options: Options) -> None:
    """After every step of a match the fold of the shared bytes is, field by field, the snapshot that the table itself
    would give to somebody without a seat."""
    house = House(limits=at_home(entropy_seconds=1))
    handle = await house.match(TableSpec(rule_set=rules, options=options, deals=2), people=4)
    for number in range(2):
        await handle.contribute_entropy(person(number), 1, bytes([number]) * 32, f"entropy-{number}")
    await house.clock.run(2)
    dice = random.Random(rules)
    for _ in range(400):
        await play_on(house, handle, dice, moves=20)
        await house.clock.run(2)
        if (await handle.info()).state == FINISHED:
            break
    story = Story(handle.name, Limits())
    fold: PublicFold | None = None
    for entry in await house.journal.read(handle.name):
        effect, public, _ = story.retell(entry)
        if effect.happened or (effect.info_changed and not effect.quiet):
            if fold is None:
                fold = PublicFold(story.snapshot(-1, FIRST))
            else:
                fold.take(chunk(UPDATES_TAG, public))
        assert fold is not None
        wanted = table_pb2.TableUpdate.FromString(story.snapshot(-1, FIRST))
        assert table_pb2.TableUpdate.FromString(fold.snapshot(FIRST)) == wanted
    assert story.state.closed


@pytest.mark.parametrize("seed", range(6))
async def test_what_is_known_is_what_was_so_long_ago(seed: int) -> None:
    """At any time, over a whole match with restarts, streams made anew, slow readers and tables asked anew, a watcher
    has exactly the steps whose time and delay have passed; a snapshot is the same place; a seat waits for nothing."""
    dice = random.Random(seed)
    house = House(seed=seed)
    handle = await house.match(LATER)
    reader = await watching(house, handle)
    for _ in range(4000):
        await settle()
        if house.tables.awake():
            await play_on(house, reader.handle, dice, moves=dice.randrange(3))
        await house.clock.run(dice.choice((0, 0.5, 3, 11)))
        await reader.read()
        known = await told(house, handle) if dice.random() < 0.2 else None
        if known is not None:
            assert reader.place is not None
            assert reader.place.n == known.n(house.clock.now())
            fresh = await reader.fresh()
            assert (fresh.n, fresh.HasField("seat")) == (reader.place.n, False)
            assert fresh.state == (reader.state or type(fresh.state)())
            assert list(fresh.snapshot.plays) == reader.plays
        if dice.random() < 0.02:
            await house.restart()
            await reader.follow(resume=dice.random() < 0.7)
            await reader.read()
        elif dice.random() < 0.05:
            reader.outbox.close()
            await reader.follow(resume=dice.random() < 0.7)
        if reader.closed:
            break
    assert reader.closed
    assert (await told(house, handle)).due[-1][0] <= house.clock.now()


async def test_lists_and_the_table_itself_tell_the_end_later() -> None:
    """GetTable, ListTables and the live list say that a match goes on until its end may be known, and a live list is
    not woken before; who sat there is told at once. So after a restart."""
    house = House()
    await house.tables.start()
    handle = await house.match(LATER)
    feed = TableFeed(house.tables, TableFilter(state=PLAYING), EncodedTables(house.tables))
    assert feed.take() is not None
    await play_out(house, handle, random.Random(1))
    assert feed.take() is None
    ended = house.clock.now()
    for again in (False, True):
        if again:
            await house.clock.run(DELAY - 1)
            await house.restart()
            await settle()
            handle = await house.tables.open(handle.name)
        shown = await handle.shown(WATCHER)
        assert (shown.state, shown.HasField("end_time")) == (PLAYING, False)
        assert [table.name for table in house.tables.list(state=PLAYING)[0]] == [handle.name]
        assert (await handle.shown(person(2))).state == FINISHED
    await house.clock.run(ended + DELAY - house.clock.now())
    await settle()
    assert (await handle.shown(WATCHER)).state == FINISHED
    assert house.tables.list(state=PLAYING)[0] == []
    await house.tables.close()


async def why(command: Awaitable[object]) -> str:
    """How a command is refused."""
    with pytest.raises(Refused) as refused:
        await command
    return refused.value.reason


async def test_a_refusal_tells_the_end_later() -> None:
    """Who tries to sit down at a table whose match is over, or owns it without a seat, hears that it runs until the end
    may be known; a private one's code opens it as long."""
    house = House()
    await house.tables.start()
    handle = await house.new_table(replace(LATER, seat=None, private=True), people=1)
    code = await handle.join_code(person(0))
    for number in range(1, 7):
        await handle.join(person(number), None, "j", code)
        await handle.set_ready(person(number), True, "r")
    await play_out(house, handle, random.Random(1))
    for over, found in ((False, handle.name), (True, "")):
        tries = [
            why(handle.join(WATCHER, None, "j", code)),
            why(handle.update(person(0), {"title": "x"}, "u")),
            why(handle.kick(person(0), 1, "", False, "k")),
            why(handle.add_bot(person(0), "simple", None, "b")),
        ]
        reasons = set(await asyncio.gather(*tries))
        assert len(reasons) == 1
        assert house.tables.find(code) == found
        assert (reasons == {await why(handle.leave(person(3), "l"))}) is over
        await house.clock.run(DELAY)


async def test_a_live_list_is_told_of_the_end_when_it_may_be_known() -> None:
    """The table leaves the list of those that play when the delay after its end has passed."""
    house = House()
    handle = await house.match(LATER)
    feed = TableFeed(house.tables, TableFilter(state=PLAYING), EncodedTables(house.tables))
    feed.take()
    await play_out(house, handle, random.Random(1))
    await house.clock.run(DELAY)
    gone = feed.take()
    assert gone is not None
    assert list(lobby_pb2.WatchTablesResponse.FromString(gone).removed) == [handle.name]


async def test_the_match_is_kept_for_others_when_its_end_may_be_known(tmp_path: Path) -> None:
    """ReplayService has nothing of the match for who did not play it before the delay has passed."""
    async with archive(tmp_path) as kept:
        await kept.keeper.start()
        await kept.play(LATER)
        await kept.keeper.settled()
        (match,), _ = await kept.replays.page(person(0).account, _ANY, 10)
        for seconds in (DELAY - 0.5, 0):
            assert await kept.replays.page(WATCHER.account, _ANY, 10) == ([], "")
            with pytest.raises(Refused):
                await kept.replays.get(WATCHER.account, match.name)
            with pytest.raises(Refused):
                await kept.replays.record(WATCHER.account, match.name)
            await kept.house.clock.run(seconds)
        await kept.house.clock.run(0.5)
        assert (await kept.replays.page(WATCHER.account, _ANY, 10))[0] == [match]


async def test_before_the_match_nothing_waits() -> None:
    """Who takes a seat, and who is ready, everybody sees at once: nobody would find a seat otherwise."""
    house = House()
    handle = await house.new_table(LATER, people=3)
    reader = await watching(house, handle)
    await handle.join(person(3), None, "j")
    await reader.read()
    assert reader.info is not None
    assert reader.info.players[3].account == person(3).account
    assert (await handle.shown(WATCHER)).players[3].account == person(3).account


async def test_a_watcher_who_takes_a_seat_waits_no_more() -> None:
    """With a seat before the match come the steps of the match as they happen."""
    house = House()
    handle = await house.new_table(LATER, people=5)
    reader = await watching(house, handle)
    await handle.join(WATCHER, None, "j")
    for caller in (*map(person, range(5)), WATCHER):
        await handle.set_ready(caller, True, f"r-{caller.display_name[-1]}")
    await reader.read()
    assert reader.seat is not None
    assert len(reader.seat.hand) == 36


async def test_too_much_that_waits_gives_way_to_a_snapshot_in_time() -> None:
    """Beyond `late_bytes` what waits is dropped, and one snapshot comes when the newest of it is due: later, never
    sooner; memory stays bounded."""
    house = House(limits=at_home(late_bytes=4000))
    handle = await house.match(LATER)
    reader = await watching(house, handle)
    begun = reader.place
    assert begun is not None
    dice = random.Random(4)
    for _ in range(20):
        await play_on(house, handle, dice, moves=5)
        spectating = house.tables._actors[handle.name].followers.spectating
        assert spectating is not None
        assert spectating._late_bytes <= 4000 + 3000
        await house.clock.run(1)
    await reader.read()
    assert reader.place == begun
    await house.clock.run(DELAY)
    await reader.read()
    assert reader.place is not None
    assert reader.place.n == (await told(house, handle)).n(house.clock.now())
    assert len(reader.snapshots) > 1


async def test_a_table_that_cannot_go_on_tells_of_it_later() -> None:
    """Where the journal does not lead where it led, those without a seat get the frozen table after the delay."""
    journal = MemoryJournal()
    house = House(journal)
    handle = await house.match(LATER)
    await play_on(house, handle, random.Random(2), moves=12)
    await house.tables.close()
    log = journal.tables[handle.name]
    log[-3] = log[-3]._replace(digest=bytes(16))
    house.tables = house._make()
    await house.tables.start()
    await settle(20)
    handle = await house.tables.open(handle.name)
    reader = await watching(house, handle)
    assert reader.info is not None
    assert reader.info.state == PLAYING
    assert (await handle.shown(person(1))).state == lobby_pb2.TABLE_STATE_FROZEN
    await house.clock.run(DELAY)
    await reader.read()
    assert reader.info.state == lobby_pb2.TABLE_STATE_FROZEN


async def test_no_more_people_watch_than_the_table_says() -> None:
    """People are counted, not their streams; those with a seat are not."""
    house = House()
    handle = await house.new_table(TableSpec(most_spectators=2), people=2)
    for number in (8, 9, 9):
        await Reader(house, handle, person(number)).follow()
    with pytest.raises(Refused) as full:
        await Reader(house, handle, person(7)).follow()
    assert full.value.reason == "TOO_MANY_WATCHERS"
    await Reader(house, handle, person(1)).follow()


async def test_the_server_says_the_least_delay(start_server: Callable[..., Running]) -> None:
    """A table without a word has the server's delay; a smaller one is refused with its field, as is one beyond ten
    minutes, and a number of watchers that is none; the owner may change both while the table waits."""
    async with start_server(spectator_delay_seconds=20) as running:
        owner = await running.player()
        made = await owner.call(lobby_pb2.CreateTableRequest(request_id=new_id()))
        assert (made.table.spectator_delay.seconds, made.table.most_spectators) == (20, 50)
        update = lobby_pb2.UpdateTableRequest()
        for field, value in (("spectator_delay", 5), ("spectator_delay", 601), ("most_spectators", 501)):
            request = lobby_pb2.CreateTableRequest(request_id=new_id())
            update = lobby_pb2.UpdateTableRequest(request_id=new_id(), table=lobby_pb2.Table(name=made.table.name))
            for message in (request, update.table):
                if field == "spectator_delay":
                    message.spectator_delay.seconds = value
                else:
                    message.most_spectators = value
            update.update_mask.paths.append(field)
            assert (await refusal(owner.call(request))).fields == (field,)
            assert (await refusal(owner.call(update))).fields == (f"table.{field}",)
        update.table.most_spectators = 7
        update.table.spectator_delay.seconds = 60
        update.update_mask.paths.append("spectator_delay")
        changed = (await owner.call(update)).table
        assert (changed.spectator_delay.seconds, changed.most_spectators) == (60, 7)
