"""Steps on the wire: written piece by piece, read as one message."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gouji_rules as gr
from gouji.table.v1 import state_pb2, table_pb2
from gouji_bots import choose_cards, random_policy
from gouji_server.tables.convert import DealStateWriter, history_messages, play_message
from gouji_server.tables.steps import UPDATES_TAG, Step, StepRing, chunk, private_part, result_chunk

if TYPE_CHECKING:
    from collections.abc import Iterator

HANDS = st.lists(st.integers(1, 54), max_size=216).map(lambda cards: bytes(sorted(cards)))


FELT = st.lists(st.integers(1, 60).map(lambda least: (least, least + 5)), max_size=3).map(tuple)


@given(seat=st.integers(0, 5), p=st.integers(0, 2**40), hand=HANDS, answered=st.booleans(), felt=FELT)
def test_a_private_half_is_what_protobuf_reads(
    seat: int, p: int, hand: bytes, felt: tuple[tuple[int, int], ...], *, answered: bool
) -> None:
    """The hand-written private half is the message that the library would have read, `p` and seat 0 included."""
    part = state_pb2.SeatPart(seat=seat, hand=hand, answered=answered)  # type: ignore[arg-type]
    for least, most in felt:
        part.felt.add(least=least, most=most)
    read = table_pb2.TableUpdate.FromString(private_part(seat, p, hand, answered=answered, felt=felt))
    assert read == table_pb2.TableUpdate(p=p, seat=part)
    assert read.HasField("seat")


@given(request_id=st.text("abcXYZ019-_.", max_size=64), version=st.integers(0, 2**62))
def test_a_result_is_what_protobuf_reads(request_id: str, version: int) -> None:
    """The hand-written result of a command carried out is the message that the library would have read."""
    read = table_pb2.PlayResponse.FromString(result_chunk(request_id, version))
    assert read == table_pb2.PlayResponse(results=[table_pb2.CommandResult(request_id=request_id, version=version)])


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=5))
def test_chunks_join_to_one_message(titles: list[bytes]) -> None:
    """Chunks after one another are one PlayResponse, and one WatchTableResponse, with all their updates."""
    updates = [table_pb2.TableUpdate(table=title.hex(), n=n) for n, title in enumerate(titles)]
    message = b"".join(chunk(UPDATES_TAG, update.SerializeToString()) for update in updates)
    assert list(table_pb2.PlayResponse.FromString(message).updates) == updates
    assert list(table_pb2.WatchTableResponse.FromString(message).updates) == updates


def test_public_and_private_halves_merge() -> None:
    """A chunk of both halves is read as one update with the fields of both."""
    public = table_pb2.TableUpdate(table="tables/x", epoch=5, n=7)
    message = chunk(UPDATES_TAG, public.SerializeToString(), private_part(3, 9, b"\x01\x05", answered=True))
    (update,) = table_pb2.PlayResponse.FromString(message).updates
    assert (update.table, update.epoch, update.n, update.p) == ("tables/x", 5, 7, 9)
    assert (update.seat.seat, list(update.seat.hand), update.seat.answered) == (3, [1, 5], True)


def played_out(seed: int) -> Iterator[gr.Deal]:
    """Play a deal with random bots, giving it after every answer."""
    dice = random.Random(seed)
    deal = gr.Deal.start(gr.preset("qingdao"), gr.deal_seed(dice.randbytes(32)))
    yield deal
    while not deal.over:
        seat = dice.choice([seat for seat in range(6) if deal.is_asked(seat)])
        view = deal.view(seat)
        action = random_policy(view, dice)
        deal.apply(seat, action, choose_cards(view.cards, action, dice) or None)
        yield deal


@pytest.mark.parametrize("seed", range(4))
def test_the_state_kept_up_is_the_state_written_anew(seed: int) -> None:
    """Writing only what changed leaves the same message as writing everything, at each point of whole deals."""
    kept = state_pb2.DealState()
    writer = DealStateWriter(kept)
    writer.reset(3)
    for at, deal in enumerate(played_out(seed)):
        scores = (at // 50, 1)
        deadline = 0 if at % 3 else at * 1000 + 7
        writer.update(deal.public, scores, at, deadline)
        anew = state_pb2.DealState()
        other = DealStateWriter(anew)
        other.reset(3)
        other.update(deal.public, scores, at, deadline)
        assert kept == anew
        assert len(kept.seats) == 6
        assert kept.question.kind == (deal.question.kind if deal.question else 0)
        assert list(kept.question.seats) == list(deal.question.seat_list if deal.question else [])
        assert kept.trick.HasField("top") == bool(deal.public.top)


def test_the_history_tells_each_play_with_its_meaning() -> None:
    """Every play of a deal is there with seat, trick, manner, real cards and meaning."""
    *_, deal = played_out(5)
    told = history_messages(deal.public)
    assert len(told) == len(deal.public.plays) > 20
    for message, play in zip(told, deal.public.plays, strict=True):
        assert (message.seat, message.trick, int(message.manner)) == (play.seat, play.trick, int(play.manner))
        assert bytes(message.cards) == bytes(play.cards)
        meant = message.play
        assert meant.naturals + meant.twos + meant.small_jokers + meant.big_jokers == len(play.cards)
        assert meant.gouji == gr.is_gouji(deal.rules, play.play)
        assert message.last == play.last


@pytest.mark.parametrize(
    ("text", "rank", "naturals", "twos", "small", "big"),
    [("5552", 3, 3, 1, 0, 0), ("222", 13, 0, 3, 0, 0), ("sb", 0, 0, 0, 1, 1), ("bA", 12, 1, 0, 0, 1)],
)
def test_a_play_is_told_by_rank_and_parts(text: str, rank: int, naturals: int, twos: int, small: int, big: int) -> None:
    """R10: the body's rank, RANK_2 for twos alone and none for jokers alone, with naturals, twos and jokers."""
    told = play_message(gr.parse_play(text), gouji=False)
    assert (told.rank, told.naturals, told.twos, told.small_jokers, told.big_jokers) == (
        rank,
        naturals,
        twos,
        small,
        big,
    )


# ── the ring ──


def ring_of(steps: int, most: int = 1000) -> StepRing:
    """Make a ring: step k has event k; every second one says something to seat k % 6 besides."""
    ring = StepRing(most, 10**9)
    p = [0] * 6
    for n in range(1, steps + 1):
        private = {}
        if n % 2 == 0:
            p[n % 6] += 1
            private[n % 6] = b"private%d" % n
        ring.add(Step(n, n, tuple(p), b"public%d" % n, private))
    return ring


UNKNOWN = table_pb2.SNAPSHOT_REASON_UNKNOWN_PLACE
TOO_OLD = table_pb2.SNAPSHOT_REASON_TOO_OLD


def test_the_tail_is_what_comes_after_the_place() -> None:
    """A reader at a place gets exactly the later steps, each with its own private half."""
    ring = ring_of(6)
    assert ring.tail(-1, 6, 0) == []
    assert ring.tail(-1, 3, 0) == [b"public4", b"public5", b"public6"]
    assert ring.tail(4, 3, 0) == [b"private4", b"public5", b"public6"]
    assert ring.tail(4, 4, 1) == [b"public5", b"public6"]
    assert ring.tail(-1, 0, 0) == [b"public%d" % n for n in range(1, 7)]


def test_a_place_nobody_can_have_stood_at_is_unknown() -> None:
    """A place ahead of the table, with a private number of another seat or of a spectator, gives no tail."""
    ring = ring_of(6)
    assert ring.tail(-1, 7, 0) == UNKNOWN
    assert ring.tail(-1, 3, 1) == UNKNOWN
    assert ring.tail(4, 3, 1) == UNKNOWN
    assert ring.tail(4, 5, 0) == UNKNOWN
    assert ring.tail(4, 6, 2) == UNKNOWN


def test_a_place_before_the_ring_is_too_old() -> None:
    """Steps beyond the bound are forgotten, and places before them are too old; the bound's own place is not."""
    ring = ring_of(10, most=3)
    assert ring.tail(-1, 6, 0) == TOO_OLD
    assert ring.tail(-1, 7, 0) == [b"public8", b"public9", b"public10"]
    assert ring.tail(4, 7, 0) == TOO_OLD
    assert ring.tail(4, 7, 1) == [b"public8", b"public9", b"private10"]


def test_the_ring_is_bounded_in_bytes() -> None:
    """Large steps push older ones out; the newest stays whatever its size."""
    ring = StepRing(1000, 250)
    for n in range(1, 6):
        ring.add(Step(n, n, (0,) * 6, b"x" * 100, {}))
    assert [step.n for step in ring.steps] == [4, 5]
    ring.add(Step(6, 6, (0,) * 6, b"x" * 1000, {}))
    assert [step.n for step in ring.steps] == [6]
    assert ring.tail(-1, 5, 0) == [b"x" * 1000]


def test_answers_that_nobody_else_sees_leave_other_readers_where_they_are() -> None:
    """A step without a public half moves only its seat's place."""
    ring = StepRing(1000, 10**9)
    ring.add(Step(1, 1, (0,) * 6, b"public", {}))
    ring.add(Step(2, 1, (0, 0, 1, 0, 0, 0), None, {2: b"hidden"}))
    ring.add(Step(3, 2, (0, 0, 2, 0, 0, 0), b"closed", {2: b"closed2"}))
    assert ring.tail(-1, 1, 0) == [b"closed"]
    assert ring.tail(3, 1, 0) == [b"closed"]
    assert ring.tail(2, 1, 0) == [b"hidden", b"closed2"]
    assert ring.tail(2, 1, 1) == [b"closed2"]
