"""Begins what begins by itself: seats are drawn and deals dealt where these are due, from the server's entropy."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from gouji_server.tables import inputs
from gouji_server.tables.seats import SEATS

if TYPE_CHECKING:
    from gouji_server.tables.messages import Turn
    from gouji_server.tables.story import Story
    from gouji_server.tables.table_clock import TableClock
    from gouji_server.tables.world import World


def start_deal(world: World, clock: TableClock, story: Story, turn: Turn) -> bool:
    """Draw the seats, and promise or begin the next deal, where these are due. Return whether anything was."""
    before = len(turn.entries)
    if story.state.wants_seats:
        dice = random.Random(world.entropy.token_bytes(32))  # noqa: S311 - seeded by the server's entropy
        turn.make(story, inputs.SeatsDrawn(turn.now_ms, dice.sample(range(SEATS), SEATS)))
    state = story.state
    if state.wants_deal:
        wait = int(world.limits.entropy_seconds * 1000)
        if state.promise is None and wait and state.seats.people:
            secret = world.entropy.token_bytes(32)
            turn.make(story, inputs.DealPromised(turn.now_ms, secret.hex(), turn.now_ms + wait))
        if clock.deal_due(story, turn.now_ms):
            drawn = world.entropy.token_bytes(32) if state.promise is None else b""
            turn.make(story, inputs.DealStarting(turn.now_ms, drawn.hex()))
    return len(turn.entries) > before
