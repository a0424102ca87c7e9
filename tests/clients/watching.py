"""Helps tests to look at what a client was told, and to hold it to the contract."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

import gouji_bots
from gouji_client import Backoff, Refused

if TYPE_CHECKING:
    import random

    from gouji_client import Client, Table, Update

AT_ONCE = Backoff(first=0, ceiling=0, patience=30)
"""Tries again without any wait: nothing in these tests sleeps."""


async def sit_down(client: Client, table: str, name: str = "tester") -> Table:
    """Sign in, take a seat and say that one is ready."""
    await client.sign_in(name)
    found = client.table(table)
    await client.lobby.join(table)
    await found.set_ready()
    return found


async def play_to_the_end(table: Table, rng: random.Random, policy: str = "random") -> list[Update]:
    """Answer every question by a policy and return all updates."""
    seen: list[Update] = []
    answered = 0
    async with aclosing(table.updates()) as updates:
        async for update in updates:
            seen.append(update)
            if update.view.at != table.view.at or not update.view.asked or update.view.decision == answered:
                continue
            answered = update.view.decision
            action = gouji_bots.policies[policy](update.view.to_seat_view(), rng)
            cards = gouji_bots.choose_cards(update.view.hand, action, rng)
            try:
                await table.act(action, cards, decision=answered)
            except Refused as refused:
                if not refused.stale:
                    raise
    return seen


def assert_no_version_twice_or_skipped(seen: list[Update]) -> None:
    """Every event comes once and in order; only a snapshot jumps, forwards, and says so."""
    assert seen
    assert seen[0].restart is not None
    at = seen[0].view.at
    for update in seen[1:]:
        now = update.view.at
        if update.restart is not None:
            assert now.epoch != at.epoch or (now.n, now.p) > (at.n, at.p)
        else:
            assert now.epoch == at.epoch
            assert [event.n for event in update.events] == list(range(at.n + 1, now.n + 1))
            assert now.p - at.p in (0, 1)
            assert (now.n, now.p) != (at.n, at.p)
        at = now
