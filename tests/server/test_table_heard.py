"""Who calls about a table is not away, whatever it calls; and who is away when the match begins is seen to be."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from gouji.table.v1 import events_pb2, table_pb2
from gouji_server.tables import Limits, Refused, TableSpec
from tests.server.players import HomeBots, House, Reader, person
from tests.server.table_time import settle
from tests.server.test_table_absence import UNTIMED, Room

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from gouji_server.tables import TableHandle

AWAY = events_pb2.AUTOPILOT_REASON_AWAY
TAKEN_BACK = events_pb2.AUTOPILOT_REASON_TAKEN_BACK


def spare() -> table_pb2.Action:
    """An action that is judged and not made."""
    return table_pb2.Action(verb=2)  # type: ignore[arg-type]


CALLS: dict[str, Callable[[TableHandle, str], Awaitable[object]]] = {
    "shown": lambda at, _: at.shown(person(2)),
    "joined": lambda at, _: at.joined(person(2), "join-2"),
    "join": lambda at, new: at.join(person(2), None, new),
    "join_code": lambda at, _: at.join_code(person(2)),
    "reset_join_code": lambda at, new: at.reset_join_code(person(2), new),
    "set_ready": lambda at, new: at.set_ready(person(2), False, new),
    "add_bot": lambda at, new: at.add_bot(person(2), "simple", None, new),
    "choose_opposite": lambda at, new: at.choose_opposite(person(2), 1, new),
    "update": lambda at, new: at.update(person(2), {"title": "t"}, new),
    "kick": lambda at, new: at.kick(person(2), 1, "", False, new),
    "ask_count": lambda at, new: at.ask_count(person(2), 1, new),
    "feel": lambda at, new: at.feel(person(2), new),
    "contribute_entropy": lambda at, new: at.contribute_entropy(person(2), 1, b"x" * 32, new),
    "vote_dissolution": lambda at, new: at.vote_dissolution(person(2), True, new),
    "set_autopilot": lambda at, new: at.set_autopilot(person(2), False, new),
    "set_auto_decline": lambda at, new: at.set_auto_decline(person(2), True, False, new),
    "act": lambda at, new: at.act(
        person(2), table_pb2.SubmitActionRequest(request_id=new, table=at.name, decision=10**6, action=spare())
    ),
    "view": lambda at, _: at.view(person(2)),
    "legal_plays": lambda at, _: at.legal_plays(person(2), 0, ""),
    "check": lambda at, _: at.check(person(2), spare()),
}


@pytest.mark.parametrize("name", CALLS)
async def test_every_call_about_a_table_keeps_the_seat(name: str) -> None:
    """Carried out or refused, a call says that its caller is there: before the match it keeps the seat, in it the bot
    away."""
    waiting = House(limits=Limits(seat_lease_seconds=60))
    await waiting.tables.start()
    handle = await waiting.new_table(people=3)
    reader = Reader(waiting, handle, person(0))
    await reader.follow()
    room = await Room.open(UNTIMED)
    assert not room.state.asked_together
    await room.go(2)
    for turn in range(4):
        for at, table in ((waiting, handle), (room.at, room.handle)):
            await at.clock.run(40)
            with suppress(Refused):
                await CALLS[name](table, f"{name}-{turn}")
    assert person(2).account in [player.account for player in (await handle.info()).players]
    assert person(1).account not in [player.account for player in (await handle.info()).players]
    assert await room.piloted() == []


async def test_who_is_away_when_the_match_begins_is_played_for() -> None:
    """Whose stream ended while the table waited is told to be gone, and played for, as one who goes later."""
    for options in ((), (("seating", "draw"),)):
        at = House(limits=Limits(), bots=HomeBots(1.0))
        await at.tables.start()
        handle = await at.new_table(TableSpec(deals=1, options=options))
        readers = [Reader(at, handle, person(number)) for number in range(6)]
        for reader in readers:
            await reader.follow()
        await handle.set_ready(person(5), True, "r5")
        readers[5].outbox.close()
        await settle()
        for number in range(5):
            await handle.set_ready(person(number), True, f"r{number}")
        await settle()
        story = at.tables._actors[handle.name]._story
        assert story is not None
        seat = story.state.seats.seat_of(person(5).account)
        await at.clock.run(5.5)
        assert story.state.absent == 1 << seat
        await at.clock.run(60)
        assert story.state.autopilot == 1 << seat


async def test_who_takes_the_seat_back_and_is_not_heard_again_is_away_again() -> None:
    """A seat taken back by a call, without a stream, is looked for anew."""
    room = await Room.open(UNTIMED)
    await room.go(2)
    await room.at.clock.run(61)
    assert await room.piloted() == [(2, True, AWAY)]
    await room.handle.set_autopilot(person(2), False, "back")
    await room.at.clock.run(59)
    assert await room.piloted() == [(2, False, TAKEN_BACK)]
    await room.at.clock.run(2)
    assert await room.piloted() == [(2, True, AWAY)]


@pytest.mark.parametrize("what", ["answers", "asks what it could answer", "nothing"])
async def test_when_a_hidden_answer_came_does_not_show_in_who_is_away(what: str) -> None:
    """In a question that all answer in secret, neither an answer nor a look at what could be answered moves the moment
    at which its seat is told to be away (R36, R50)."""
    room = await Room.open(UNTIMED, moves=0)
    assert room.state.asked_together
    seat = next(seat for seat in range(6) if room.state.waiting_for >> seat & 1)
    await room.go(seat)
    await room.at.clock.run(40)
    if what == "answers":
        await room.answer(seat)
    elif what != "nothing":
        await room.handle.legal_plays(person(seat), 0, "")
        await room.handle.check(person(seat), spare())
    assert room.state.asked_together
    await room.at.clock.run(19)
    assert await room.piloted() == []
    await room.at.clock.run(2)
    assert await room.piloted() == [(seat, True, AWAY)]


async def test_comings_and_goings_are_told_so_often_in_a_deal() -> None:
    """A connection that breaks for ever fills no journal: beyond the bound nobody is told, and who was told to be gone
    is told to be back all the same. The next deal tells again."""
    room = await Room.open(TableSpec(deals=2), gone_a_deal=2, away_seconds=0, suspend_seconds=0)
    told = []
    for _ in range(4):
        await room.go(2)
        await room.at.clock.run(6)
        told += await room.present()
        await room.come(2)
        told += await room.present()
    assert told == [(2, False), (2, True)] * 2
    await room.go(2)
    await room.at.clock.run(6)
    entries = len(await room.at.journal.read(room.handle.name))
    await room.at.clock.run(600)
    assert len(await room.at.journal.read(room.handle.name)) == entries
    for seat in range(6):
        await room.handle.set_autopilot(person(seat), True, f"on-{seat}")
    for _ in range(2000):
        if room.state.facts is not None and room.state.facts.number == 2:
            break
        await room.at.clock.run(1)
    await room.at.clock.run(1)
    assert (2, False) in await room.present()
