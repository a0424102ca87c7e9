"""R3: deals that are promised, and the entropy that seats give for them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji.table.v1 import events_pb2
from gouji_rules.fairness import Proof, faults_of, hands_of
from gouji_rules.records import read_record
from gouji_server.records.matches import MatchFilter
from gouji_server.tables import Limits, Refused, TableSpec
from tests.server.matches_kept import archive, play_out
from tests.server.players import House, Reader, person, play_on
from tests.server.table_time import settle

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gouji_server.tables import TableHandle

WAIT = 2.0


def given_by(seat: int) -> bytes:
    return bytes([seat + 1]) * (16 + seat)


async def promised(people: int = 6, *, deals: int = 1, house: House | None = None) -> tuple[House, TableHandle, Reader]:
    """Begin a match at a table that takes entropy; return it with person 0's eyes, at the moment of the promise."""
    house = house or House(limits=Limits(entropy_seconds=WAIT))
    handle = await house.new_table(TableSpec(deals=deals), people=people)
    reader = Reader(house, handle, person(0))
    await reader.follow()
    for number in range(people, 6):
        await handle.add_bot(person(0), "random", None, f"bot-{number}")
    for number in range(people):
        await handle.set_ready(person(number), True, f"ready-{number}")
    await reader.read()
    return house, handle, reader


async def give(handle: TableHandle, seats: Sequence[int], deal: int = 1) -> None:
    for seat in seats:
        await handle.contribute_entropy(person(seat), deal, given_by(seat), f"give-{deal}-{seat}")


def events(reader: Reader, kind: str) -> list[events_pb2.TableEvent]:
    return [event for update in reader.updates for event in update.events if event.HasField(kind)]  # type: ignore[arg-type]


@pytest.mark.parametrize("seats", [(0, 1, 2, 3, 4, 5), (5, 3, 0, 1, 4, 2)])
async def test_a_deal_comes_of_the_secret_and_what_all_seats_gave(seats: tuple[int, ...]) -> None:
    """The commitment is told first, then what each seat gives, in any order; once all have given the deal begins, and
    its hands are those of the secret with the entropies in seat order."""
    _, handle, reader = await promised()
    (promise,) = events(reader, "deal_promised")
    assert not events(reader, "deal_started")
    await give(handle, seats)
    await reader.read()
    told = events(reader, "entropy_given")
    assert [event.entropy_given.entropy.seat for event in told] == list(seats)
    (begun,) = events(reader, "deal_started")
    assert promise.n < told[0].n < told[-1].n < begun.n
    started = begun.deal_started
    assert started.commitment == promise.deal_promised.commitment
    entropies = [(seat, given_by(seat)) for seat in range(6)]
    assert [(one.seat, one.entropy) for one in started.entropies] == entropies
    votes = [await handle.vote_dissolution(person(seat), True, f"vote-{seat}") for seat in range(6)]
    assert votes
    await reader.read()
    (revealed,) = events(reader, "deal_revealed")
    secret = revealed.deal_revealed.secret
    assert [(one.seat, one.entropy) for one in revealed.deal_revealed.entropies] == entropies
    proof = Proof(started.commitment, secret, tuple(entropies))
    assert faults_of(proof, None) == []
    hands = hands_of(gr.preset("qingdao"), proof.seed)
    assert [list(map(int, hand.cards)) for hand in revealed.deal_revealed.hands] == [list(map(int, h)) for h in hands]
    assert proof.seed != gr.deal_seed(secret)


@pytest.mark.parametrize("seats", [(), (2,), (0, 1, 2, 3, 4)])
async def test_nobody_is_waited_for_beyond_the_deadline(seats: tuple[int, ...]) -> None:
    """A deal begins at the time told, with what was given until then."""
    house, handle, reader = await promised()
    (promise,) = events(reader, "deal_promised")
    assert promise.deal_promised.deadline.ToMilliseconds() == promise.time.ToMilliseconds() + WAIT * 1000
    await give(handle, seats)
    await house.clock.run(WAIT - 0.01)
    await reader.read()
    assert not events(reader, "deal_started")
    await house.clock.run(0.02)
    await reader.read()
    (begun,) = events(reader, "deal_started")
    assert [one.seat for one in begun.deal_started.entropies] == sorted(seats)


async def test_bots_are_not_waited_for() -> None:
    """Where five seats are built-in bots the deal begins as soon as the one person has given; where all six are, at
    once and without a promise."""
    _, handle, reader = await promised(people=1)
    await give(handle, [0])
    await reader.read()
    assert events(reader, "deal_started")
    house = House(limits=Limits(entropy_seconds=WAIT))
    made = await house.tables.create(person(0), TableSpec(seat=None), "bots")
    table = await house.tables.open(made.name)
    watcher = Reader(house, table, person(9))
    await watcher.follow()
    for number in range(6):
        await table.add_bot(person(0), "random", None, f"bot-{number}")
    await watcher.read()
    assert events(watcher, "deal_started")
    assert not events(watcher, "deal_promised")


async def refused(handle: TableHandle, seat: int, deal: int, entropy: bytes, request_id: str = "other") -> str:
    with pytest.raises(Refused) as failed:
        await handle.contribute_entropy(person(seat), deal, entropy, request_id)
    return failed.value.reason


async def test_entropy_is_given_once_in_its_time_and_of_a_fair_length() -> None:
    """A second time, for another deal, by nobody's seat, too short or too long, before and after: refused, and nothing
    changes; the same request again gets the same answer."""
    house, handle, reader = await promised(people=2)
    version = await handle.contribute_entropy(person(0), 1, given_by(0), "give")
    assert await handle.contribute_entropy(person(0), 1, given_by(0), "give") == version
    assert await refused(handle, 0, 1, given_by(1), "give") == "REQUEST_ID_USED"
    assert await refused(handle, 0, 1, given_by(0)) == "ENTROPY_GIVEN"
    assert await refused(handle, 1, 2, given_by(1)) == "NO_PROMISE"
    assert await refused(handle, 9, 1, given_by(0)) == "NOT_SEATED"
    for length in (0, 15, 65):
        assert await refused(handle, 1, 1, bytes(length)) == "BAD_ENTROPY"
    await reader.read()
    assert len(events(reader, "entropy_given")) == 1
    await house.clock.run(WAIT)
    assert await refused(handle, 1, 1, given_by(1)) == "NO_PROMISE"
    assert await handle.contribute_entropy(person(0), 1, given_by(0), "give") == version


async def test_a_promise_outlives_a_restart() -> None:
    """Between promise and deal the process may end: the commitment and what was given stand, the deadline too."""
    house, handle, reader = await promised()
    (promise,) = events(reader, "deal_promised")
    await give(handle, [1, 4])
    await house.restart()
    await reader.follow(resume=True)
    await reader.read()
    again = await house.tables.open(handle.name)
    await give(again, [0])
    await house.clock.run(WAIT)
    await reader.read()
    (begun,) = events(reader, "deal_started")
    assert begun.deal_started.commitment == promise.deal_promised.commitment
    assert [(one.seat, one.entropy) for one in begun.deal_started.entropies] == [(s, given_by(s)) for s in (0, 1, 4)]


async def test_whoever_comes_meanwhile_is_told_in_the_snapshot() -> None:
    """A snapshot between promise and deal has both the promise and what was given; later ones have it in the deal."""
    house, handle, reader = await promised()
    (promise,) = events(reader, "deal_promised")
    await give(handle, [3, 1])
    watcher = Reader(house, handle, person(9))
    await watcher.follow()
    await watcher.read()
    snapshot = watcher.updates[0].snapshot
    assert snapshot.deal_promised == promise.deal_promised
    assert [one.seat for one in snapshot.entropies] == [1, 3]
    await house.clock.run(WAIT)
    later = (await watcher.fresh()).snapshot
    assert not later.HasField("deal_promised")
    assert [one.seat for one in later.deal_started.entropies] == [1, 3]


async def test_a_wall_clock_set_back_keeps_nobody_waiting() -> None:
    """The deal begins when its timer rings, whatever the wall clock says then."""
    house, _, reader = await promised()
    now = house.clock.now
    house.clock.now = lambda: now() - 3600  # type: ignore[method-assign]
    await house.clock.run(WAIT + 3700)
    await settle()
    await reader.read()
    assert events(reader, "deal_started")


async def test_kept_matches_hold_what_was_given(tmp_path: Path) -> None:
    """Each deal of a match has a promise of its own; its record has the entropies, and verifies."""
    house = House(limits=Limits(entropy_seconds=WAIT))
    async with archive(tmp_path, house) as kept:
        await kept.keeper.start()
        _, handle, reader = await promised(people=2, deals=2, house=house)
        await give(handle, [0, 1])
        dice = random.Random(5)
        while len(events(reader, "deal_promised")) < 2:
            await play_on(house, handle, dice, moves=1)
            await house.clock.run(0)
            await reader.read()
        await give(handle, [1], deal=2)
        await house.clock.run(WAIT)
        await play_out(house, handle, dice)
        await kept.keeper.settled()
        (match,), _ = await kept.replays.page(person(0).account, MatchFilter(), 5)
        text = await kept.replays.record(person(0).account, match.name)
        assert gr.check_record(text) == []
        proofs = [deal.proof for deal in read_record(text).deals]
        assert [[seat for seat, _ in proof.entropies] for proof in proofs if proof] == [[0, 1], [1]]


async def test_the_secret_is_in_nothing_that_is_told_before_the_deal_is_over() -> None:
    """Between promise and end nobody is sent the secret or the seed, on the stream or in a view; at the end all are."""
    house, handle, reader = await promised()
    state = house.tables._actors[handle.name]._story.state  # type: ignore[union-attr]
    assert state.promise is not None
    secret = state.promise.secret
    await give(handle, [0, 2])
    views = [await handle.view(person(0)), await handle.view(person(9))]
    await house.clock.run(WAIT)
    views += [await handle.view(person(0)), await handle.view(person(9))]
    await play_on(house, handle, random.Random(7), moves=60)
    await reader.read()
    told = b"".join(reader.raw + views)
    for hidden in (secret, state.proof.seed):
        assert hidden not in told
        assert hidden.hex().encode() not in told
    for seat in range(6):
        await handle.vote_dissolution(person(seat), True, f"vote-{seat}")
    await reader.read()
    assert secret in b"".join(reader.raw)
