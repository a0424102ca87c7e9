"""Whole matches: everyone who follows holds the same public story, and all is open at the end."""

from __future__ import annotations

import random
from itertools import count
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2, state_pb2, table_pb2
from gouji_server.tables import TableSpec
from tests.server.players import House, Reader, at_home, person, play_on, request
from tests.server.table_time import settle

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle


async def played(at: House, handle: TableHandle, readers: list[Reader], seed: int, *, step: int = 40) -> None:
    """Play to the end, the readers reading now and then."""
    dice = random.Random(seed)
    for reader in readers:
        await reader.follow()
    while await play_on(at, handle, dice, moves=step) == step:
        for reader in readers:
            await reader.read()
    for reader in readers:
        await reader.read()


def events(reader: Reader, kind: str) -> list[events_pb2.TableEvent]:
    """Return a reader's events of a kind."""
    return [event for update in reader.updates for event in update.events if event.WhichOneof("event") == kind]


def public_half(update: table_pb2.TableUpdate) -> table_pb2.TableUpdate:
    """Leave out what only one seat is told."""
    public = table_pb2.TableUpdate.FromString(update.SerializeToString())
    public.ClearField("p")
    public.ClearField("seat")
    return public


@pytest.mark.parametrize("seed", range(3))
async def test_a_match_is_played_and_everyone_holds_the_same_story(seed: int) -> None:
    """Six seats and a spectator follow a match of two deals: each one's fold equals a fresh view at the end, and the
    public halves are the same for all."""
    at = House(seed=seed)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=2))
    readers = [Reader(at, handle, person(number)) for number in (*range(6), 9)]
    await played(at, handle, readers, seed)
    spectator = readers[-1]
    public = [public_half(update) for update in spectator.updates if update.events]
    for reader in readers:
        assert reader.closed
        fresh = await reader.fresh()
        assert reader.place == table_pb2.Place(epoch=fresh.epoch, n=fresh.n, p=fresh.p)
        assert (reader.state, reader.info) == (fresh.state, fresh.table_info)
        assert reader.plays == list(fresh.snapshot.plays)
        assert reader.seat == (fresh.seat if fresh.HasField("seat") else None)
        assert [public_half(update) for update in reader.updates if update.events] == public
    assert spectator.info is not None
    assert spectator.info.state == lobby_pb2.TABLE_STATE_FINISHED


async def test_the_shared_half_is_one_byte_string_for_everyone() -> None:
    """Where nothing private was said, six seats and spectators get the very same bytes."""
    at = House()
    await at.tables.start()
    handle = await at.match()
    readers = [Reader(at, handle, person(number)) for number in (*range(6), 8, 9)]
    for reader in readers:
        await reader.follow()
        await reader.read()
    dice = random.Random(4)
    shared = 0
    for _ in range(80):
        for reader in readers:
            reader.raw.clear()
        await play_on(at, handle, dice, moves=1)
        for reader in readers:
            await reader.read()
        updates = [reader.updates[-1] for reader in readers]
        plain = [r for r, update in zip(readers, updates, strict=True) if r.raw and not update.HasField("seat")]
        if len(plain) > 1:
            shared += 1
            assert len({b"".join(reader.raw) for reader in plain}) == 1
    assert shared > 40


async def test_the_match_ends_with_scores_reveals_and_the_close() -> None:
    """R84, R68: each deal ends with its scores and its reveal, the match with the sum, the table with TableClosed."""
    at = House(seed=5)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=3))
    reader = Reader(at, handle, person(9))
    await played(at, handle, [reader], 5)
    ended = [event.deal_ended for event in events(reader, "deal_ended")]
    assert len(ended) == 3
    (match_ended,) = events(reader, "match_ended")
    assert list(match_ended.match_ended.scores) == [sum(deal.scores[side] for deal in ended) for side in range(2)]
    assert reader.state is not None
    assert list(reader.state.scores) == list(match_ended.match_ended.scores)
    last = [event.WhichOneof("event") for event in reader.updates[-1].events][-4:]
    assert last == ["deal_ended", "deal_revealed", "match_ended", "table_closed"]
    assert events(reader, "table_closed")[0].table_closed.reason == events_pb2.CLOSE_REASON_MATCH_OVER


async def test_every_deal_can_be_checked_by_commitment_and_record() -> None:
    """R84: the secret revealed is the one committed to, deals the hands told, and the record replays without fault."""
    at = House(seed=6)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=2))
    reader = Reader(at, handle, person(9))
    await played(at, handle, [reader], 6)
    started = [event.deal_started for event in events(reader, "deal_started")]
    revealed = [event.deal_revealed for event in events(reader, "deal_revealed")]
    hands_before = [update for update in reader.updates if update.snapshot.deal_started.commitment]
    assert len(revealed) == 2
    commitments = [update.snapshot.deal_started.commitment for update in hands_before][:1]
    commitments += [start.commitment for start in started]
    assert len(commitments) == 2
    for commitment, reveal, number in zip(commitments, revealed, (1, 2), strict=True):
        assert reveal.deal == number
        assert gr.commitment(reveal.secret) == commitment
        deal = gr.Deal.start(gr.preset("qingdao"), gr.deal_seed(reveal.secret), number=number)
        assert [bytes(hand.cards) for hand in reveal.hands] == [bytes(deal.cards(seat)) for seat in range(6)]
        assert gr.check_record(reveal.record) == []


def secret_with_revolutionaries(wanted: int) -> tuple[bytes, list[int]]:
    """Find a deal's secret with so many seats that may revolt (R50); return it and the seats."""
    for number in count():
        secret = number.to_bytes(32, "big")
        deal = gr.Deal.start(gr.preset("qingdao"), gr.deal_seed(secret))
        seats = [seat for seat in range(6) if deal.can(seat, gr.REVOLT)]
        if len(seats) == wanted:
            return secret, seats
    raise AssertionError


async def revolt(handle: TableHandle, reader: Reader, seats: list[int]) -> None:
    """Have all six answer about revolution, those seats with yes."""
    await reader.read()
    assert reader.state is not None
    assert reader.state.question.kind == state_pb2.QUESTION_KIND_REVOLT
    decision = reader.state.question.decision
    for seat in range(6):
        verb = gr.Verb.REVOLT if seat in seats else gr.Verb.NO
        await handle.act(person(seat), request(handle.name, decision, verb, request_id=f"v{decision}-{seat}"))
    await reader.read()


async def test_r50_a_void_deal_is_dealt_again_with_a_new_secret() -> None:
    """Two revolutionaries void the deal: it is revealed without a record, and dealt again under the same number with
    another commitment; it does not count."""
    at = House(seed=7)
    await at.tables.start()
    secret, seats = secret_with_revolutionaries(2)
    at.entropy.secrets.append(secret)
    handle = await at.match(TableSpec(deals=1))
    reader = Reader(at, handle, person(9))
    await reader.follow()
    await revolt(handle, reader, seats)
    (voided,) = events(reader, "deal_voided")
    assert list(voided.deal_voided.seats) == seats
    (revealed,) = events(reader, "deal_revealed")
    assert revealed.deal_revealed.secret == secret
    assert revealed.deal_revealed.record == ""
    assert revealed.deal_revealed.deal == 1
    (again,) = events(reader, "deal_started")
    assert again.deal_started.deal == 1
    assert again.deal_started.commitment != gr.commitment(secret)
    await play_on(at, handle, random.Random(7))
    await reader.read()
    assert len(events(reader, "deal_ended")) == 1
    assert reader.closed


async def test_r52_the_opposite_of_a_revolutionary_is_asked_for_its_head() -> None:
    """One revolutionary: its opposite alone chooses; the hand laid down stays its owner's to see."""
    at = House(seed=8)
    await at.tables.start()
    secret, (seat,) = secret_with_revolutionaries(1)
    at.entropy.secrets.append(secret)
    handle = await at.match(TableSpec(deals=1))
    reader, own = Reader(at, handle, person(9)), Reader(at, handle, person(seat))
    await reader.follow()
    await own.follow()
    await revolt(handle, reader, [seat])
    await own.read()
    assert reader.state is not None
    assert reader.state.question.kind == state_pb2.QUESTION_KIND_HEAD
    assert list(reader.state.question.seats) == [(seat + 3) % 6]
    assert own.seat is not None
    assert len(own.seat.hand) == 36
    decision = reader.state.question.decision
    keep = request(handle.name, decision, gr.Verb.KEEP_HEAD, request_id="h")
    await handle.act(person((seat + 3) % 6), keep)
    await reader.read()
    assert reader.state.seats[(seat + 3) % 6].dead_goujis_left == 3
    await play_on(at, handle, random.Random(8))
    await reader.read()
    (revealed,) = events(reader, "deal_revealed")
    assert gr.check_record(revealed.deal_revealed.record) == []


async def test_the_next_deal_waits_for_the_pause_asked_for() -> None:
    """With a pause nothing is asked between deals, a snapshot tells so, and after it the deal begins by itself."""
    at = House(seed=9, limits=at_home(pause_seconds=5))
    await at.tables.start()
    handle = await at.match(TableSpec(deals=2))
    reader = Reader(at, handle, person(0))
    await reader.follow()
    await play_on(at, handle, random.Random(9))
    await settle()
    await reader.read()
    assert reader.state is not None
    assert reader.state.phase == state_pb2.PHASE_OVER
    assert reader.state.question.kind == 0
    await at.clock.run(4.9)
    assert await reader.read() == 0
    await at.clock.run(0.2)
    await reader.read()
    assert events(reader, "deal_started")[-1].deal_started.deal == 2
    await play_on(at, handle, random.Random(9))
    await reader.read()
    assert reader.closed
