"""A replay says step by step what was said at the table, to each pair of eyes what those eyes saw."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from gouji.replay.v1 import replay_pb2
from gouji.table.v1 import table_pb2
from gouji_server.records.matches import MatchFilter
from gouji_server.records.models import AccountRow
from gouji_server.replays import Wanted
from gouji_server.tables import Caller, Refused, TableSpec
from tests.server.matches_kept import Archive, archive, play_out
from tests.server.players import Reader, person
from tests.server.raw_seat import Story

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

OPEN, SPECTATOR, SEAT = (
    replay_pb2.PERSPECTIVE_OPEN,
    replay_pb2.PERSPECTIVE_SPECTATOR,
    replay_pb2.PERSPECTIVE_SEAT,
)
WATCHER = Caller("accounts/watcher", "Watcher")


class Played:
    """A kept match of two deals at a table of three people and three bots, and what readers were told of it live."""

    def __init__(self, kept: Archive, readers: dict[int, Reader], name: str) -> None:
        self.kept = kept
        self.readers = readers
        self.name = name

    async def steps(
        self, eyes: replay_pb2.Perspective.ValueType, seat: int = 0, *, first: int = 1, last: int = 0
    ) -> list[replay_pb2.ReplayStep]:
        wanted = Wanted(eyes, seat, first, last)
        return [step async for step in self.kept.replays.steps(WATCHER.account, self.name, wanted)]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Played]:
    async with archive(tmp_path_factory.mktemp("records")) as kept:
        house = kept.house
        await kept.keeper.start()
        handle = await house.new_table(TableSpec(deals=2), people=3)
        readers = {seat: Reader(house, handle, person(seat)) for seat in range(3)}
        readers[-1] = Reader(house, handle, WATCHER)
        for reader in readers.values():
            await reader.follow()
        for number in range(3, 6):
            await handle.add_bot(person(0), "random", None, f"bot-{number}")
        for number in range(3):
            await handle.set_ready(person(number), True, f"ready-{number}")
        dice = random.Random(5)
        while await play_out(house, handle, dice, moves=50):
            for reader in readers.values():
                await reader.read()
        for reader in readers.values():
            await reader.read()
            assert reader.closed
        await kept.keeper.settled()
        (match,), _ = await kept.replays.page(WATCHER.account, MatchFilter(), 10)
        yield Played(kept, readers, match.name)


pytestmark = pytest.mark.asyncio(loop_scope="module")


def told_since(reader: Reader, n: int) -> list[table_pb2.TableUpdate]:
    """What a reader was told live after a public event."""
    return [update for update in reader.updates if not update.HasField("snapshot") and update.n > n]


@pytest.mark.parametrize("seat", [-1, 0, 1, 2])
async def test_eyes_see_again_what_they_saw(played: Played, seat: int) -> None:
    """A spectator's replay, and each seat's, is update for update what it received at the table."""
    reader = played.readers[seat]
    joined = next(update for update in reader.updates if update.HasField("snapshot")).n
    again = await (played.steps(SPECTATOR) if seat < 0 else played.steps(SEAT, seat))
    since = [step.update for step in again if step.update.n > joined and not step.update.HasField("snapshot")]
    assert since == told_since(reader, joined)


async def test_a_spectators_replay_holds_no_hand(played: Played) -> None:
    """Its steps say nothing to any seat, and a seat's replay says nothing to another."""
    for step in await played.steps(SPECTATOR):
        assert not step.update.HasField("seat")
        assert not step.seats
        assert not step.update.p
    for step in await played.steps(SEAT, 4):
        assert not step.seats
        assert not step.update.HasField("seat") or step.update.seat.seat == 4


async def test_an_open_replay_shows_all_hands_at_every_step(played: Played) -> None:
    """Folding it gives six hands that lose what is played, from the hands that the deal's end reveals."""
    hands: dict[int, list[int]] = {}
    dealt: list[list[int]] = []
    for step in await played.steps(OPEN):
        for event in step.update.events:
            if event.HasField("played"):
                play = event.played.play
                left = next(part.hand for part in step.seats if part.seat == play.seat)
                assert sorted([*left, *play.cards]) == hands[play.seat]
            if event.HasField("deal_revealed"):
                assert dealt == [list(hand.cards) for hand in event.deal_revealed.hands]
        for part in step.seats:
            hands[part.seat] = list(part.hand)
        if any(event.HasField("deal_started") for event in step.update.events):
            dealt = [hands[seat] for seat in range(6)]
    assert len(hands) == 6


async def test_a_replay_begun_anywhere_is_the_rest_of_the_whole(played: Played) -> None:
    """From any step on, the snapshot and the steps after it lead where the whole replay leads, for all eyes."""
    match = await played.kept.replays.get(WATCHER.account, played.name)
    boundary = match.deal_results[1].first_step
    places = [2, 3, boundary - 1, boundary, boundary + 1, match.steps - 1, match.steps]
    places += random.Random(6).sample(range(2, match.steps), 12)
    for eyes in ((OPEN,), (SPECTATOR,), (SEAT, 1), (SEAT, 5)):
        whole = await played.steps(*eyes)
        for first in places:
            rest = await played.steps(*eyes, first=first)
            assert rest[0].update.HasField("snapshot")
            assert rest[0].step == first - 1
            assert rest[1:] == [step for step in whole if step.step >= first], (eyes, first)
            if eyes != (OPEN,):
                told, later = Story(), Story()
                for step in whole:
                    if step.step < first:
                        told.take(step.update)
                later.take(rest[0].update)
                assert (later.state, later.seat or told.seat, later.info, later.plays) == (
                    told.state,
                    told.seat or later.seat,
                    told.info,
                    told.plays,
                ), (eyes, first)
                assert later.place == told.place


async def test_a_stretch_ends_where_it_is_wanted_to(played: Played) -> None:
    """No step beyond the last one wanted; from beyond the end there is the table as it was left, and nothing more."""
    match = await played.kept.replays.get(WATCHER.account, played.name)
    assert [step.step for step in await played.steps(OPEN, first=5, last=9)] == [4, 5, 6, 7, 8, 9]
    assert [step.step for step in await played.steps(OPEN, last=3)] == [1, 2, 3]
    assert (await played.steps(OPEN, last=match.steps + 5))[-1].step == match.steps
    (left,) = await played.steps(OPEN, first=match.steps + 10)
    assert left.step == match.steps
    assert left.update.table_info.state == 3


async def test_a_deleted_accounts_name_is_not_told_again(played: Played) -> None:
    """Once an account is deleted, lists, matches and every step have it without its name; others keep theirs."""
    async with played.kept.database.transaction() as connection:
        await connection.execute(
            AccountRow.__table__.insert().values(id="p1", display_name="Player 1", created=0.0, deleted=1.0)  # type: ignore[attr-defined]
        )
    try:
        (listed,), _ = await played.kept.replays.page(WATCHER.account, MatchFilter(), 10)
        match = await played.kept.replays.get(WATCHER.account, played.name)
        for told in (listed, match):
            assert [player.display_name for player in told.players[:3]] == ["Player 0", "", "Player 2"]
        said = b"".join(step.SerializeToString() for step in await played.steps(OPEN))
        assert b"Player 1" not in said
        assert b"Player 2" in said
    finally:
        async with played.kept.database.transaction() as connection:
            await connection.execute(AccountRow.__table__.delete())  # type: ignore[attr-defined]


async def test_the_steps_of_no_match_are_refused(played: Played) -> None:
    """A name that no match has is NOT_FOUND, from whatever step on."""
    for first in (1, 500):
        with pytest.raises(Refused) as refused:
            async for _ in played.kept.replays.steps(WATCHER.account, "matches/none", Wanted(first=first)):
                pass
        assert refused.value.reason == "MATCH_NOT_FOUND"
