"""Being declined for in burn windows: what it does for its seat (tests/leak/test_auto_decline.py: that nobody sees)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji_server.tables import Refused, TableSpec
from tests.server.players import HomeBots, House, Reader, choose, live_deal, person, play_on, request

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle
    from gouji_server.tables.table import TableState


async def at_a_match(*, deals: int = 2, seed: int = 1, delay: float = 1.0) -> tuple[House, TableHandle]:
    """Begin a match of six people without a clock."""
    at = House(seed=seed, bots=HomeBots(delay))
    await at.tables.start()
    return at, await at.match(TableSpec(deals=deals))


def state_of(at: House, handle: TableHandle) -> TableState:
    story = at.tables._actors[handle.name]._story
    assert story is not None
    return story.state


async def to_a_window(at: House, handle: TableHandle, seat: int = -1, *, fresh: bool = True) -> int:
    """Play until a burn window has just been asked, of `seat` too if given; return a seat that is asked."""
    dice, before = random.Random(1), state_of(at, handle).decision if fresh else -1
    while True:
        state, public = state_of(at, handle), live_deal(at, handle).public
        asked = [other for other in range(6) if state.waiting_for >> other & 1]
        opened = public.kind == gr.Kind.WINDOW and state.decision != before and not state.answered
        if opened and (seat < 0 or seat in asked):
            return seat if seat >= 0 else asked[0]
        for other in asked:
            if state_of(at, handle).waiting_for >> other & 1:
                await answer(at, handle, other, dice)
                break


async def answer(at: House, handle: TableHandle, seat: int, dice: random.Random) -> None:
    """Have a seat answer by a random choice, declining in windows."""
    deal, decision = live_deal(at, handle), state_of(at, handle).decision
    if deal.public.kind == gr.Kind.WINDOW:
        verb, cards, suit = int(gr.Verb.DECLINE), b"", 0
    else:
        verb, cards, suit = choose(deal.view(seat), dice)
    await handle.act(
        person(seat), request(handle.name, decision, verb, cards, request_id=f"{decision}-{seat}", suit=suit)
    )


async def test_the_next_window_is_declined_after_a_delay() -> None:
    """Set between windows, the seat's answer comes by itself after a built-in bot's delay, and is a decline."""
    at, handle = await at_a_match()
    seat = await to_a_window(at, handle)
    await handle.set_auto_decline(person(seat), True, False, "on")
    await at.clock.run(30)
    assert state_of(at, handle).waiting_for >> seat & 1, "the open window is its player's own"
    await answer(at, handle, seat, random.Random(1))
    await to_a_window(at, handle, seat)
    await at.clock.run(0.9)
    assert state_of(at, handle).waiting_for >> seat & 1
    await at.clock.run(0.2)
    assert not state_of(at, handle).waiting_for >> seat & 1


async def test_its_player_may_answer_before_the_server() -> None:
    """Who is declined for may still speak first, and nothing comes after."""
    at, handle = await at_a_match()
    await handle.set_auto_decline(person(seat := 2), True, False, "on")
    await to_a_window(at, handle, seat)
    n = state_of(at, handle).n
    await answer(at, handle, seat, random.Random(1))
    await at.clock.run(5)
    assert not state_of(at, handle).waiting_for >> seat & 1
    assert state_of(at, handle).n >= n


async def test_only_its_owner_is_told() -> None:
    """SeatPart says so to the seat, also in a snapshot; others hear nothing at all, and `n` stays."""
    at, handle = await at_a_match()
    own, other, watcher = (Reader(at, handle, person(number)) for number in (2, 3, 9))
    for reader in (own, other, watcher):
        await reader.follow()
        await reader.read()
    n = state_of(at, handle).n
    assert await handle.set_auto_decline(person(2), True, True, "on") == n
    assert [await reader.read() for reader in (own, other, watcher)] == [1, 0, 0]
    assert own.seat is not None
    assert (own.seat.auto_decline, own.seat.auto_decline_always) == (True, True)
    assert (await own.fresh()).seat.auto_decline
    assert not (await other.fresh()).seat.auto_decline
    await handle.set_auto_decline(person(2), False, False, "off")
    await own.read()
    assert not own.seat.auto_decline


@pytest.mark.parametrize("always", [True, False])
async def test_it_is_off_with_the_next_deal_unless_it_is_for_always(always: bool) -> None:
    """The next deal begins without it, or with it."""
    at, handle = await at_a_match(delay=0.0)
    reader = Reader(at, handle, person(2))
    await reader.follow()
    await handle.set_auto_decline(person(2), True, always, "on")
    first, dice = live_deal(at, handle), random.Random(1)
    while live_deal(at, handle) is first:
        await at.clock.run(0.1)
        if not await play_on(at, handle, dice, moves=1):
            break
    await reader.read()
    assert reader.seat is not None
    assert reader.seat.auto_decline is always


async def test_it_outlives_a_restart() -> None:
    """A window that was open when the server went down is declined by the next one."""
    at, handle = await at_a_match()
    await handle.set_auto_decline(person(2), True, False, "on")
    await to_a_window(at, handle, 2)
    await at.restart()
    handle = await at.tables.open(handle.name)
    await handle.view(person(2))
    await at.clock.run(1.1)
    assert not state_of(at, handle).waiting_for >> 2 & 1


async def test_it_goes_before_autopilot() -> None:
    """A bot that plays for its player declines where the player wanted that."""
    at, handle = await at_a_match()
    await handle.set_auto_decline(person(2), True, False, "on")
    await handle.set_autopilot(person(2), True, "pilot")
    await to_a_window(at, handle, 2)
    deal = live_deal(at, handle)
    await at.clock.run(1.1)
    assert deal.pending(2)
    assert at.tables._actors[handle.name]._house._thinking[2]._task is None


async def test_who_does_not_play_has_nothing_to_decline() -> None:
    """A spectator is refused; switching it off is never one word too many."""
    at, handle = await at_a_match()
    with pytest.raises(Refused) as refused:
        await handle.set_auto_decline(person(9), True, False, "on")
    assert refused.value.reason == "NOT_SEATED"
    await handle.set_auto_decline(person(2), True, False, "on")
    state_of(at, handle).said[2] = state_of(at, handle).limits.said_a_deal
    await handle.set_auto_decline(person(2), False, False, "off")
    with pytest.raises(Refused) as refused:
        await handle.set_auto_decline(person(2), True, False, "again")
    assert refused.value.reason == "TOO_MUCH_SAID"
