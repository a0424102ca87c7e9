"""Answers to questions: each once, each to the question it names, each refused for the right reason."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji.table.v1 import state_pb2, table_pb2
from gouji_server.tables import Refused, TableSpec
from tests.server.players import House, Reader, choose, live_deal, person, play_on, request
from tests.server.table_time import settle

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle

INVALID_ARGUMENT, ALREADY_EXISTS, PERMISSION_DENIED, FAILED_PRECONDITION, ABORTED = 3, 6, 7, 9, 10


async def begun(seed: int = 0, *, moves: int = 6) -> tuple[House, TableHandle]:
    """Begin a match and answer so many questions: six `no` to revolution first."""
    at = House(seed=seed)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=2))
    await play_on(at, handle, random.Random(seed), moves=moves)
    return at, handle


def asked_seat(at: House, handle: TableHandle) -> int:
    """Return a seat that is asked now."""
    deal = live_deal(at, handle)
    return next(seat for seat in range(6) if deal.is_asked(seat))


async def decision_of(handle: TableHandle) -> int:
    """Return the open decision."""
    return table_pb2.TableUpdate.FromString(await handle.view(person(0))).state.question.decision


async def refusal(handle: TableHandle, seat: int, asked: table_pb2.SubmitActionRequest) -> Refused:
    """Make a move that must be refused, and hold that it changed nothing."""
    before = await handle.view(person(seat))
    with pytest.raises(Refused) as raised:
        await handle.act(person(seat), asked)
    assert await handle.view(person(seat)) == before
    assert raised.value.text_en
    assert raised.value.text_zh
    return raised.value


async def test_an_answer_is_carried_out_and_told_its_version() -> None:
    """The version answered is the table's n after the action, which the view shows too."""
    at, handle = await begun()
    seat, decision = asked_seat(at, handle), await decision_of(handle)
    verb, cards, _ = choose(live_deal(at, handle).view(seat), random.Random(1))
    version = await handle.act(person(seat), request(handle.name, decision, verb, cards, request_id="a"))
    view = table_pb2.TableUpdate.FromString(await handle.view(person(seat)))
    assert view.n == version > decision
    assert len(view.seat.hand) == 36 - len(cards)


async def test_an_answer_names_its_decision() -> None:
    """An answer to a question that is not open, an earlier or a later one, is ABORTED and told the open one."""
    at, handle = await begun()
    seat, decision = asked_seat(at, handle), await decision_of(handle)
    for named in (decision - 1, decision + 1):
        refused = await refusal(handle, seat, request(handle.name, named, gr.Verb.PASS, request_id="a"))
        assert (refused.code, refused.reason) == (ABORTED, "STALE_DECISION")
        assert refused.metadata == {"decision": str(decision)}


async def test_a_question_is_answered_once_even_under_another_id() -> None:
    """A second answer with a fresh request id names a decision that is over."""
    at, handle = await begun()
    seat, decision = asked_seat(at, handle), await decision_of(handle)
    verb, cards, _ = choose(live_deal(at, handle).view(seat), random.Random(1))
    await handle.act(person(seat), request(handle.name, decision, verb, cards, request_id="a"))
    refused = await refusal(handle, seat, request(handle.name, decision, verb, cards, request_id="b"))
    assert (refused.code, refused.reason) == (ABORTED, "STALE_DECISION")


async def test_one_request_id_is_one_action() -> None:
    """The same id and body get the same answer though the table moved on; another body is ALREADY_EXISTS; a restart
    changes nothing of this."""
    at, handle = await begun()
    seat, decision = asked_seat(at, handle), await decision_of(handle)
    verb, cards, _ = choose(live_deal(at, handle).view(seat), random.Random(1))
    asked = request(handle.name, decision, verb, cards, request_id="a")
    version = await handle.act(person(seat), asked)
    await play_on(at, handle, random.Random(2), moves=4)
    for restarts in range(2):
        if restarts:
            await at.restart()
            handle = await at.tables.open(handle.name)
        before = await handle.view(person(seat))
        assert await handle.act(person(seat), asked) == version
        assert await handle.view(person(seat)) == before
        other = request(handle.name, decision + 1, verb, cards, request_id="a")
        refused = await refusal(handle, seat, other)
        assert (refused.code, refused.reason) == (ALREADY_EXISTS, "REQUEST_ID_USED")
        another = person((seat + 1) % 6)
        with pytest.raises(Refused, match="STALE"):
            await handle.act(another, asked)


async def test_the_same_request_twice_at_once_is_one_action() -> None:
    """Two copies that wait together, on streams or not, are carried out once and answered alike."""
    at, handle = await begun()
    seat, decision = asked_seat(at, handle), await decision_of(handle)
    verb, cards, _ = choose(live_deal(at, handle).view(seat), random.Random(1))
    asked = request(handle.name, decision, verb, cards, request_id="a")
    reader = Reader(at, handle, person(seat))
    await reader.follow()
    await reader.read()
    for _ in range(2):
        handle.act_on_stream(person(seat), asked, reader.outbox)
    version = await handle.act(person(seat), asked)
    assert await reader.read() == 1
    assert [(result.request_id, result.version) for result in reader.results] == [("a", version)] * 2
    assert len(at.journal.tables[handle.name]) == live_entries(at, handle)  # type: ignore[attr-defined]


def live_entries(at: House, handle: TableHandle) -> int:
    """Return the number of the table's last entry."""
    story = at.tables._actors[handle.name]._story
    assert story is not None
    return story.seq


async def test_the_move_that_ends_a_deal_can_be_asked_again() -> None:
    """The ids of a deal are kept over the next one, so the sender of its last move learns what became of it; those of
    the deal before that are forgotten and stale."""
    at = House(seed=3)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=3))
    dice = random.Random(3)
    first: list[tuple[int, table_pb2.SubmitActionRequest, int]] = []
    while live_deal(at, handle).public.number < 3:
        seat, decision = asked_seat(at, handle), await decision_of(handle)
        verb, cards, suit = choose(live_deal(at, handle).view(seat), dice)
        number = live_deal(at, handle).public.number
        asked = request(handle.name, decision, verb, cards, request_id=f"m{decision}-{seat}", suit=suit)
        version = await handle.act(person(seat), asked)
        if number == 1 and live_deal(at, handle).public.number == 2:
            first.append((seat, asked, version))
            assert await handle.act(person(seat), asked) == version
    ((seat, asked, version),) = first
    refused = await refusal(handle, seat, asked)
    assert (refused.code, refused.reason) == (ABORTED, "STALE_DECISION")


async def test_an_expected_version_is_compared_with_n_alone() -> None:
    """A wrong expectation is ABORTED and told the version; the right one is accepted, also in a window after hidden
    answers, which take no n."""
    _, handle = await begun(moves=0)
    decision = await decision_of(handle)
    asked = request(handle.name, decision, gr.Verb.NO, request_id="a")
    asked.expected_version = decision + 1
    refused = await refusal(handle, 0, asked)
    assert (refused.code, refused.reason) == (ABORTED, "STALE_VERSION")
    assert refused.metadata == {"version": str(decision)}
    for seat in range(5):
        asked = request(handle.name, decision, gr.Verb.NO, request_id="a")
        asked.expected_version = decision
        assert await handle.act(person(seat), asked) == decision


@pytest.mark.parametrize("version", [-1, -2, -(2**63)])
async def test_a_negative_expected_version_is_refused(version: int) -> None:
    """A version below 0 is none, and not the same as expecting nothing: the caller's slip would pass unseen."""
    _, handle = await begun(moves=0)
    asked = request(handle.name, await decision_of(handle), gr.Verb.NO, request_id="a")
    asked.expected_version = version
    refused = await refusal(handle, 0, asked)
    assert (refused.code, refused.reason) == (INVALID_ARGUMENT, "BAD_REQUEST")
    assert [field for field, _ in refused.fields] == ["expected_version"]


async def test_who_is_not_asked_is_told_so() -> None:
    """A seat that is not asked is refused by the rule; somebody without a seat, before anything is looked at."""
    at, handle = await begun()
    seat, decision = asked_seat(at, handle), await decision_of(handle)
    refused = await refusal(handle, (seat + 1) % 6, request(handle.name, decision, gr.Verb.PASS, request_id="a"))
    assert (refused.code, refused.reason) == (FAILED_PRECONDITION, "NOT_ASKED")
    assert refused.rule.startswith("R")
    with pytest.raises(Refused) as raised:
        await handle.act(person(9), request(handle.name, decision, gr.Verb.PASS, request_id="a"))
    assert (raised.value.code, raised.value.reason) == (PERMISSION_DENIED, "NOT_SEATED")


async def test_answering_a_common_question_twice_is_refused() -> None:
    """R32: in a question asked of several a seat answers once; its second answer is told it has."""
    _, handle = await begun(moves=0)
    decision = await decision_of(handle)
    await handle.act(person(2), request(handle.name, decision, gr.Verb.NO, request_id="a"))
    refused = await refusal(handle, 2, request(handle.name, decision, gr.Verb.NO, request_id="b"))
    assert (refused.code, refused.reason) == (FAILED_PRECONDITION, "ALREADY_ANSWERED")


BAD_SHAPES = {
    "no id": (table_pb2.SubmitActionRequest(decision=1), "BAD_REQUEST_ID"),
    "long id": (table_pb2.SubmitActionRequest(request_id="x" * 65, decision=1), "BAD_REQUEST_ID"),
    "odd id": (table_pb2.SubmitActionRequest(request_id="a b", decision=1), "BAD_REQUEST_ID"),
    "id with a line end": (table_pb2.SubmitActionRequest(request_id="a\n", decision=1), "BAD_REQUEST_ID"),
    "no decision": (table_pb2.SubmitActionRequest(request_id="a"), "BAD_REQUEST"),
    "no action": (table_pb2.SubmitActionRequest(request_id="a", decision=1), "BAD_ACTION"),
    "unknown verb": (request("", 1, 99, request_id="a"), "BAD_ACTION"),
    "first verb that is none": (request("", 1, 20, request_id="a"), "BAD_ACTION"),
    "a card too many to know": (request("", 1, 14, request_id="a"), "BAD_ACTION"),
    "no cards": (request("", 1, gr.Verb.PLAY, request_id="a"), "BAD_ACTION"),
    "cards for a pass": (request("", 1, gr.Verb.PASS, (1,), request_id="a"), "BAD_ACTION"),
    "too many cards": (request("", 1, gr.Verb.PLAY, (1,) * 217, request_id="a"), "BAD_ACTION"),
    "no such card": (request("", 1, gr.Verb.PLAY, (55,), request_id="a"), "BAD_ACTION"),
    "card zero": (request("", 1, gr.Verb.PLAY, (0,), request_id="a"), "BAD_ACTION"),
    "negative card": (request("", 1, gr.Verb.PLAY, (-1,), request_id="a"), "BAD_ACTION"),
    "no suit": (request("", 1, gr.Verb.SHOW, request_id="a"), "BAD_ACTION"),
    "no such suit": (request("", 1, gr.Verb.SHOW, request_id="a", suit=5), "BAD_ACTION"),
    "negative suit": (request("", 1, gr.Verb.SHOW, request_id="a", suit=-1), "BAD_ACTION"),
    "suit for a pass": (request("", 1, gr.Verb.PASS, request_id="a", suit=1), "BAD_ACTION"),
}


@pytest.mark.parametrize("case", BAD_SHAPES)
async def test_a_request_of_bad_shape_is_refused_with_its_field(case: str) -> None:
    """Each bad shape is INVALID_ARGUMENT with the field named, on a unary call and on a stream alike."""
    at, handle = await begun()
    asked, reason = BAD_SHAPES[case]
    refused = await refusal(handle, 0, asked)
    assert (refused.code, refused.reason) == (INVALID_ARGUMENT, reason)
    assert refused.fields
    reader = Reader(at, handle, person(0))
    await reader.follow()
    handle.act_on_stream(person(0), asked, reader.outbox)
    await reader.read()
    assert [(result.error.code, result.error.reason) for result in reader.results] == [(INVALID_ARGUMENT, reason)]


async def leading(seed: int = 0) -> tuple[House, TableHandle, int, int]:
    """Come to the first lead: house, table, seat and decision."""
    at, handle = await begun(seed)
    assert live_deal(at, handle).public.kind == gr.Kind.LEAD
    return at, handle, asked_seat(at, handle), await decision_of(handle)


async def test_r10_cards_that_are_no_play_are_refused() -> None:
    """R10: two ranks of 3 to A together are no play whatever the hand; that is a bad shape, with the rule named."""
    _, handle, seat, decision = await leading()
    refused = await refusal(handle, seat, request(handle.name, decision, gr.Verb.PLAY, (1, 2), request_id="a"))
    assert (refused.code, refused.reason, refused.rule) == (INVALID_ARGUMENT, "NOT_A_PLAY", "R10")


async def test_r16_real_cards_that_are_not_held_are_refused() -> None:
    """R16: the very cards must be held, not only their ranks; and not more of one than are held."""
    at, handle, seat, decision = await leading()
    hand = live_deal(at, handle).cards(seat)
    missing = next(card for card in gr.Card if card <= 52 and card not in hand)
    asked = request(handle.name, decision, gr.Verb.PLAY, (missing,), request_id="a")
    assert (await refusal(handle, seat, asked)).reason == "CARDS_NOT_HELD"
    held = next(card for card in hand if hand.count(card) == 1 and card <= 52)
    asked = request(handle.name, decision, gr.Verb.PLAY, (held, held), request_id="a")
    assert (await refusal(handle, seat, asked)).reason == "CARDS_NOT_HELD"


async def test_the_very_cards_named_are_put_down() -> None:
    """Of equal ranks the cards that the player chose leave the hand and are shown."""
    at, handle, seat, decision = await leading()
    hand = live_deal(at, handle).cards(seat)
    rank = next(r for r in range(12) if len({c for c in hand if gr.rank_of(c) == r}) > 1)
    chosen = max(c for c in hand if gr.rank_of(c) == rank)
    reader = Reader(at, handle, person(seat))
    await reader.follow()
    await handle.act(person(seat), request(handle.name, decision, gr.Verb.PLAY, (chosen,), request_id="a"))
    await reader.read()
    assert reader.state is not None
    assert reader.seat is not None
    assert bytes(reader.plays[-1].cards) == bytes([chosen])
    assert bytes(reader.state.trick.top.cards) == bytes([chosen])
    left = list(hand)
    left.remove(chosen)
    assert bytes(reader.seat.hand) == bytes(left)


async def test_moves_before_and_after_a_match_are_refused() -> None:
    """A waiting table has no question, a finished one has none any more; each says which."""
    at = House(seed=2)
    await at.tables.start()
    handle = await at.new_table(TableSpec(deals=1))
    refused = await refusal(handle, 0, request(handle.name, 1, gr.Verb.PASS, request_id="a"))
    assert (refused.code, refused.reason) == (FAILED_PRECONDITION, "MATCH_NOT_STARTED")
    for number in range(6):
        await handle.set_ready(person(number), True, "r")
    await play_on(at, handle, random.Random(2))
    refused = await refusal(handle, 0, request(handle.name, 1, gr.Verb.PASS, request_id="a"))
    assert (refused.code, refused.reason) == (FAILED_PRECONDITION, "TABLE_CLOSED")


async def test_the_result_and_the_step_come_in_one_message() -> None:
    """On a stream the result of a move and the step it made are one message."""
    at, handle, seat, decision = await leading()
    reader = Reader(at, handle, person(seat))
    await reader.follow()
    await reader.read()
    reader.raw.clear()
    cards = live_deal(at, handle).cards(seat)[:1]
    asked = request(handle.name, decision, gr.Verb.PLAY, cards, request_id="a")
    handle.act_on_stream(person(seat), asked, reader.outbox)
    await settle()
    message = await reader.outbox.drain()
    assert message is not None
    response = table_pb2.PlayResponse.FromString(message)
    assert len(response.updates) == len(response.results) == 1
    assert response.updates[0].n == response.results[0].version
    assert response.updates[0].state.phase == state_pb2.PHASE_PLAY
