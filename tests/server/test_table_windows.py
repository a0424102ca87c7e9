"""Questions asked of several: nobody learns of an answer before all are in (R5, R30, R32, R36, R50)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji.table.v1 import state_pb2
from gouji_server.tables import TableSpec
from tests.server.players import House, Reader, choose, live_deal, person, play_on, request

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle


async def at_a_window(seed: int = 0, *, spec: TableSpec | None = None) -> tuple[House, TableHandle, list[Reader]]:
    """Play until a burn window of at least three seats is open; six seats and a spectator follow."""
    at = House(seed=seed)
    await at.tables.start()
    handle = await at.match(spec or TableSpec(deals=1))
    dice = random.Random(seed)
    while live_deal(at, handle).public.kind != gr.Kind.WINDOW or live_deal(at, handle).public.asked.bit_count() < 3:
        assert await play_on(at, handle, dice, moves=1) == 1, "no window came up"
    readers = [Reader(at, handle, person(number)) for number in (*range(6), 9)]
    for reader in readers:
        await reader.follow()
        await reader.read()
    return at, handle, readers


async def test_r36_an_answer_in_a_window_is_told_to_its_seat_alone() -> None:
    """Until the last answer every other seat and the spectator receive nothing at all; the seat that answered gets its
    own part with a new p and the old n."""
    at, handle, readers = await at_a_window()
    asked = live_deal(at, handle).question
    assert asked is not None
    decision = await _decision(readers[0])
    for seat in asked.seat_list[:-1]:
        before = readers[seat].place
        assert before is not None
        version = await handle.act(person(seat), request(handle.name, decision, gr.Verb.DECLINE, request_id="d"))
        assert version == before.n == decision
        assert await readers[seat].read() == 1
        place, part = readers[seat].place, readers[seat].seat
        assert place is not None
        assert part is not None
        assert (place.n, place.p, part.answered) == (before.n, before.p + 1, True)
        for reader in readers:
            assert await reader.read() == 0
            assert not reader.updates[-1].events or reader is not readers[seat]
        for reader in readers:
            assert reader.state is not None
            assert list(reader.state.question.seats) == list(asked.seat_list)
            assert (await reader.fresh()).state == reader.state
    last = asked.seat_list[-1]
    version = await handle.act(person(last), request(handle.name, decision, gr.Verb.DECLINE, request_id="d"))
    assert version > decision
    for number, reader in enumerate(readers):
        assert await reader.read() == 1
        assert reader.updates[-1].events[0].HasField("window_closed")
        if number in asked.seat_list[:-1]:
            assert reader.seat is not None
            assert not reader.seat.answered


async def _decision(reader: Reader) -> int:
    assert reader.state is not None
    return reader.state.question.decision


async def test_r32_of_several_burns_one_stands_and_the_others_are_not_told() -> None:
    """Whoever else burned or declined: the public story of the outcome is the same bytes."""
    told = []
    for others_burn in (True, False):
        found = await _two_can_burn()
        assert found is not None
        at, handle, readers, burners = found
        decision = await _decision(readers[0])
        question = live_deal(at, handle).question
        assert question is not None
        stands = _first_in_order(question, burners)
        for seat in question.seat_list:
            verb, cards = int(gr.Verb.DECLINE), b""
            if seat == stands or (others_burn and seat in burners):
                verb, cards = gr.Verb.BURN, _burn_of(at, handle, seat)
            await handle.act(person(seat), request(handle.name, decision, verb, cards, request_id="w"))
        spectator = readers[-1]
        spectator.raw.clear()
        await spectator.read()
        told.append(spectator.raw)
        assert spectator.plays[-1].seat == stands
        assert spectator.plays[-1].manner == state_pb2.MANNER_BURN
        for seat in burners:
            await readers[seat].read()
            assert len(live_deal(at, handle).cards(seat)) == len(readers[seat].seat.hand)  # type: ignore[union-attr]
    assert told[0] == told[1]


def _first_in_order(question: gr.Question, burners: list[int]) -> int:
    """R32: allies of the top play's owner before the others, each group in turn order from it."""
    owner = question.top_owner
    return min(burners, key=lambda seat: ((seat - owner) % 2, (seat - owner) % 6))


def _burn_of(at: House, handle: TableHandle, seat: int) -> bytes:
    """Return the cards of a seat's first sound burn."""
    view = live_deal(at, handle).view(seat)
    burn = next(action for action in view.legal_actions() if gr.play_of(action))
    from gouji_bots import choose_cards

    return bytes(choose_cards(view.cards, burn, random.Random(0)))


async def _two_can_burn() -> tuple[House, TableHandle, list[Reader], list[int]] | None:
    """Play deals until two seats of a window can burn. The same every time."""
    for seed in range(60):
        at = House(seed=seed)
        await at.tables.start()
        handle = await at.match(TableSpec(deals=1))
        dice = random.Random(seed)
        while await play_on(at, handle, dice, moves=1, policy="simple"):
            deal = live_deal(at, handle)
            if deal.public.kind != gr.Kind.WINDOW or deal.position.waiting != deal.public.asked:
                continue
            burners = [seat for seat in range(6) if deal.open_verbs(seat) >> gr.Verb.BURN & 1]
            if len(burners) > 1:
                readers = [Reader(at, handle, person(number)) for number in (*range(6), 9)]
                for reader in readers:
                    await reader.follow()
                    await reader.read()
                return at, handle, readers, burners
        await at.tables.close()
    return None


async def test_answers_made_together_are_one_message_each() -> None:
    """Window answers that become durable together reach their seats with the outcome in one message, and the private
    numbers still have no gap."""
    at, handle, readers = await at_a_window()
    question = live_deal(at, handle).question
    assert question is not None
    decision = await _decision(readers[0])
    for seat in question.seat_list:
        asked = request(handle.name, decision, gr.Verb.DECLINE, request_id="d")
        handle.act_on_stream(person(seat), asked, readers[seat].outbox)
    for reader in readers:
        reader.raw.clear()
        await reader.read()
        assert len(reader.raw) == 1


async def test_r50_revolution_is_asked_of_all_and_answered_unseen() -> None:
    """All six are asked together; one that may not revolt is asked like the others, and refused by R50 if it tries."""
    at = House(seed=1)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=1))
    reader = Reader(at, handle, person(9))
    await reader.follow()
    await reader.read()
    assert reader.state is not None
    question = reader.state.question
    assert question.kind == state_pb2.QUESTION_KIND_REVOLT
    assert list(question.seats) == list(range(6))
    for seat in range(5):
        no = request(handle.name, question.decision, gr.Verb.NO, request_id="n")
        await handle.act(person(seat), no)
        assert await reader.read() == 0
    await handle.act(person(5), request(handle.name, question.decision, gr.Verb.NO, request_id="n"))
    assert await reader.read() == 1


async def test_r5_showing_is_asked_unseen_where_the_rules_say_so() -> None:
    """With `show = ask` all six are asked; what is shown is told when all have answered, and the deal goes on."""
    at = House(seed=2)
    await at.tables.start()
    spec = TableSpec(deals=1, options=(("show", "ask"),))
    handle = await at.match(spec)
    reader = Reader(at, handle, person(9))
    await reader.follow()
    await reader.read()
    assert reader.state is not None
    assert reader.state.phase == state_pb2.PHASE_SHOW
    dice = random.Random(2)
    await play_on(at, handle, dice, moves=5)
    assert await reader.read() == 0
    await play_on(at, handle, dice, moves=1)
    await reader.read()
    kinds = [event.WhichOneof("event") for event in reader.updates[-1].events]
    assert kinds[-1] == "lead_fixed"
    await play_on(at, handle, dice)
    await reader.read()
    assert reader.closed


async def test_questions_to_a_seat_read_its_own_hand_alone() -> None:
    """Legal plays and checks of a seat in a window are the same before and after others have answered."""
    at, handle, readers = await at_a_window(4)
    question = live_deal(at, handle).question
    assert question is not None
    first, *others = question.seat_list
    decision = await _decision(readers[0])
    verb, cards, _ = choose(live_deal(at, handle).view(first), random.Random(0))
    action = request("", 1, verb, cards, request_id="x").action
    seen = []
    for seat in (None, *others):
        if seat is not None:
            await handle.act(person(seat), request(handle.name, decision, gr.Verb.DECLINE, request_id="d"))
        seen.append((await handle.legal_plays(person(first), 0, ""), await handle.check(person(first), action)))
    assert all(one == seen[0] for one in seen)
    assert seen[0][0].decision == decision
    assert int(gr.Verb.DECLINE) in [int(open_verb) for open_verb in seen[0][0].verbs]
