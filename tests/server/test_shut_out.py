"""Who was sent away learns nothing more, and who watches later learns nothing earlier than the table's delay."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji.sharing.v1 import sharing_pb2
from gouji.table.v1 import chat_pb2, table_pb2
from gouji_server.lobby.table_feed import EncodedTables, TableFeed
from gouji_server.lobby.table_filter import TableFilter
from gouji_server.tables import Refused, TableSpec
from gouji_server.tables.operating import Operating
from tests.server.matches_kept import play_out
from tests.server.players import House, at_home, choose, person, play_on, request
from tests.server.raw_client import new_id, refusal
from tests.server.test_share_links import private_table, shared

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.tables import TableHandle
    from tests.server.running import Running

PLAYING = lobby_pb2.TABLE_STATE_PLAYING
LATER = TableSpec(deals=1, spectator_delay_seconds=30.0)
WATCHER = person(9)


def line(handle: TableHandle, scope: chat_pb2.ChatScope.ValueType, request_id: str) -> chat_pb2.SendChatRequest:
    """Make something to say."""
    return chat_pb2.SendChatRequest(request_id=request_id, table=handle.name, scope=scope, text="hm")


async def test_spectators_talk_on_until_they_are_told_of_the_end() -> None:
    """Talk among those who watch later is not refused before they are told that the match is over."""
    house = House()
    await house.tables.start()
    handle = await house.match(LATER)
    await handle.say(WATCHER, line(handle, chat_pb2.CHAT_SCOPE_SPECTATORS, "a"))
    await play_out(house, handle, random.Random(1))
    assert (await handle.shown(WATCHER)).state == PLAYING
    said = await handle.say(WATCHER, line(handle, chat_pb2.CHAT_SCOPE_SPECTATORS, "b"))
    assert said.id == 2
    await house.clock.run(40)
    with pytest.raises(Refused):
        await handle.say(WATCHER, line(handle, chat_pb2.CHAT_SCOPE_SPECTATORS, "c"))


async def test_a_table_stays_in_lists_until_its_end_may_be_known() -> None:
    """However many younger tables are over: one whose end is told later does not leave the lists at its real end."""
    house = House(limits=at_home(closed_tables_listed=1))
    await house.tables.start()
    handle = await house.match(LATER)
    await house.clock.run(1)
    younger = await house.tables.create(person(1), TableSpec(deals=1), "o")
    await (await house.tables.open(younger.name)).leave(person(1), "l")
    feed = TableFeed(house.tables, TableFilter(state=PLAYING), EncodedTables(house.tables))
    assert feed.take() is not None
    await play_out(house, handle, random.Random(1))
    assert (await handle.shown(WATCHER)).state == PLAYING
    assert feed.take() is None
    assert [table.name for table in house.tables.list(state=PLAYING)[0]] == [handle.name]
    await house.clock.run(40)
    assert feed.take() is not None


async def test_a_banned_guest_of_a_private_rematch_sees_it_no_more() -> None:
    """The seat kept for one from the match before opens a private rematch until its owner bans that one."""
    house = House()
    await house.tables.start()
    made = await house.tables.create(person(0), TableSpec(deals=1, private=True), "new")
    handle = await house.tables.open(made.name)
    code = await handle.join_code(person(0))
    for number in range(1, 6):
        await handle.join(person(number), None, "j", code)
    for number in range(6):
        await handle.set_ready(person(number), True, "r")
    await play_out(house, handle, random.Random(1))
    again = await house.tables.open((await house.tables.rematch(person(0), handle.name, "re"))[0].name)
    _, seat = await house.tables.rematch(person(1), handle.name, "re")
    assert await again.view(person(1))
    await again.kick(person(0), seat, "", True, "k")
    await again.reset_join_code(person(0), "rc")
    with pytest.raises(Refused, match="TABLE_NOT_FOUND"):
        await again.view(person(1))


async def test_a_void_link_does_not_go_on_through_a_seat(start_server: Callable[..., Running]) -> None:
    """Who watches by a link, sits down, and is sent away after the link was revoked: the stream ends."""
    async with start_server() as running:
        owner, guest = await running.player("owner"), await running.player("guest")
        table = await private_table(owner)
        code = (await owner.call(lobby_pb2.GetJoinCodeRequest(name=table))).join_code
        link = await shared(owner, table)
        stream = guest.watch(table, share_link=link.token)
        await stream.read()
        joined = await guest.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=table, join_code=code))
        await owner.call(lobby_pb2.ResetJoinCodeRequest(request_id=new_id(), name=table))
        await owner.call(sharing_pb2.RevokeShareLinkRequest(name=link.share_link.name))
        await owner.call(lobby_pb2.KickPlayerRequest(request_id=new_id(), name=table, seat=joined.seat, ban=True))
        refused = await refusal(guest.call(table_pb2.GetViewRequest(table=table)))
        assert refused.reason == "TABLE_NOT_FOUND"
        while await stream.read():
            pass


async def test_a_player_whose_seat_operators_took_says_nothing_more() -> None:
    """Neither to its team nor to the table."""
    house = House()
    await house.tables.start()
    handle = await house.match(TableSpec(deals=1, team_chat=True))
    await play_on(house, handle, random.Random(1), moves=10)
    await handle.say(person(2), line(handle, chat_pb2.CHAT_SCOPE_TEAM, "before"))
    await Operating(house.tables).oust(handle.name, 2, "k")
    for scope in (chat_pb2.CHAT_SCOPE_TEAM, chat_pb2.CHAT_SCOPE_TABLE):
        with pytest.raises(Refused):
            await handle.say(person(2), line(handle, scope, f"after {scope}"))


async def test_a_player_whose_seat_operators_took_looks_at_no_hand_of_an_ally() -> None:
    """A look that was granted before (R81) ends with the seat."""
    house = House(seed=4)
    await house.tables.start()
    handle = await house.match(TableSpec(deals=1))
    await handle.grant_peek(person(0), 2, True, "g")
    await Operating(house.tables).oust(handle.name, 2, "k")
    dice = random.Random(3)
    seen = False
    while (state := house.tables._actors[handle.name]._story.state).closed is False:  # type: ignore[union-attr]
        assert not table_pb2.TableUpdate.FromString(await handle.view(person(2))).seat.peeked
        asked = [seat for seat in range(6) if seat != 2 and state.waiting_for >> seat & 1]
        for seat in asked[:1]:
            assert state.deal is not None
            seen = seen or bool(state.peeks.seen_by(2))
            verb, cards, suit = choose(state.deal.view(seat), dice)
            name = f"m{state.decision}-{seat}"
            await handle.act(
                person(seat), request(handle.name, state.decision, verb, cards, request_id=name, suit=suit)
            )
        await house.clock.run(0.1)
    assert seen  # the grant was one that would have shown something
