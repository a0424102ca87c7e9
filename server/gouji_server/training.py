"""Plays matches at a table without a server, so that a compiler can count what runs when people play."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji.table.v1 import table_pb2
from gouji_bots import policies
from gouji_bots.cards import choose_cards
from gouji_server.tables import inputs
from gouji_server.tables.deciding import decide_move
from gouji_server.tables.limits import Limits
from gouji_server.tables.requests import Answer
from gouji_server.tables.story import Story

if TYPE_CHECKING:
    from random import Random

_TIME = 1_000
POLICY = "simple"


def play_match(preset: str, rng: Random, deals: int) -> Story:
    """Play a match of `deals` deals under a preset and return its story. Raises gouji_rules.RuleViolation: never."""
    story = _begun(preset, deals)
    state = story.state
    while not state.closed:
        if state.wants_deal:
            story.make(inputs.DealStarting(_TIME, rng.randbytes(32).hex()))
            continue
        asked = state.waiting_for
        seat = next(seat for seat in range(6) if asked >> seat & 1)
        decision = decide_move(state, f"a{seat}", _answer(story, seat, rng), _TIME)
        if not isinstance(decision, Answer):
            story.make(decision)
    return story


def _begun(preset: str, deals: int) -> Story:
    story = Story("tables/training", Limits())
    story.make(inputs.Created(_TIME, 1, preset, {}, "", deals, 0, True, "a0", "n0", 0, "create"))
    for seat in range(1, 6):
        story.make(inputs.Joined(_TIME, f"a{seat}", f"n{seat}", seat, seat, f"join{seat}"))
    for seat in range(6):
        story.make(inputs.ReadySet(_TIME, f"a{seat}", True, f"ready{seat}"))
    if story.state.match is None:
        story.make(inputs.SeatsDrawn(_TIME, list(range(6))))
    return story


def _answer(story: Story, seat: int, rng: Random) -> table_pb2.SubmitActionRequest:
    """Return what a built-in bot at this seat would send."""
    state = story.state
    deal = state.deal
    if deal is None:
        raise ValueError("there is no deal")
    action = policies[POLICY](deal.view(seat), rng)
    request = table_pb2.SubmitActionRequest(
        request_id=f"{state.n}-{seat}-{rng.getrandbits(32)}", table=state.name, decision=state.decision
    )
    request.action.verb = int(gr.verb_of(action))  # type: ignore[assignment]
    request.action.cards.extend(choose_cards(deal.cards(seat), action, rng))  # type: ignore[arg-type]
    if (suit := gr.suit_shown(action)) >= 0:
        request.action.suit = suit + 1  # type: ignore[assignment]
    return table_pb2.SubmitActionRequest.FromString(request.SerializeToString())
