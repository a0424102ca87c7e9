"""The pace of `gouji demo`: followable, and over in time."""

from __future__ import annotations

import asyncio
import random

import pytest

from gouji_cli.demo.pace import PACK, RESERVE, Pace


class VirtualClock:
    """A clock that waiting moves on."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        """Seconds since some fixed point."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Return at once, later."""
        self.now += seconds
        await asyncio.sleep(0)


async def play_match(pace: Pace, clock: VirtualClock, deals: int, seed: int, work: float = 0.0) -> list[float]:
    """Play deals of random plays, lingering often; return the waits before each play."""
    rng = random.Random(seed)
    waits = []
    for number in range(1, deals + 1):
        pace.deal_started(number)
        left = PACK
        while left:
            before = clock.now
            await pace.turn()
            waits.append(clock.now - before)
            clock.now += work
            cards = min(rng.randint(1, 6), left)
            left -= cards
            pace.played(cards)
            if rng.random() < 0.3:
                pace.linger(0.5)
    return waits


@pytest.mark.parametrize("seed", range(5))
async def test_a_match_takes_its_seconds_and_no_more(seed: int) -> None:
    """However many plays and moments there are, the match ends within its seconds and uses most of them."""
    clock = VirtualClock()
    await play_match(Pace(24, 3, clock), clock, 3, seed)
    assert 24 * 0.9 <= clock.now - 100 <= 24


async def test_plays_are_spread_over_the_deal() -> None:
    """No play waits for more than a blink and a moment, so nothing stands still for long."""
    clock = VirtualClock()
    waits = await play_match(Pace(24, 3, clock), clock, 3, 1)
    assert max(waits) < 1.5 + 7 * 6 / PACK + 0.5 + 7 * RESERVE
    assert sum(wait > 0 for wait in waits) > len(waits) * 0.9


async def test_a_void_deal_takes_nothing_from_the_match() -> None:
    """A deal that is dealt again (R50) leaves the match its seconds."""
    clock = VirtualClock()
    pace = Pace(24, 3, clock)
    for _ in range(4):
        pace.deal_started(1)
    await play_match(pace, clock, 3, 1)
    assert 24 * 0.9 <= clock.now - 100 <= 24


async def test_a_slow_deal_leaves_less_to_those_after_it() -> None:
    """When a deal overruns its share the match still ends in time."""
    clock = VirtualClock()
    pace = Pace(24, 3, clock)
    pace.deal_started(1)
    clock.now += 15
    for number in (2, 3):
        pace.deal_started(number)
        for _ in range(PACK):
            pace.played(1)
            await pace.turn()
    assert clock.now - 100 <= 24


async def test_a_slow_machine_is_not_slowed_further() -> None:
    """When the server needs longer than the pace gives, nobody waits but between the deals."""
    clock = VirtualClock()
    waits = await play_match(Pace(24, 3, clock), clock, 3, 1, work=1.0)
    assert sum(waits) <= 2 * 1.5 + 3 * 1.0


async def test_fast_never_waits() -> None:
    """Without seconds nobody waits at all, not between deals either."""
    clock = VirtualClock()
    assert set(await play_match(Pace(0, 3, clock), clock, 3, 1)) == {0.0}
