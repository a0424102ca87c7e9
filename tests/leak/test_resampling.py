"""The first leak gate: what a seat and a spectator receive does not depend on cards that they may not know."""

from __future__ import annotations

import os
import random
from itertools import count
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from tests.leak import at_tables, over_grpc
from tests.leak.observed import difference
from tests.leak.resampling import hands_differ, other_worlds, write_script

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from gouji.table.v1 import table_pb2
    from gouji_rules.position import Position
    from gouji_server.tables.table import TableState
    from tests.leak.observed import Observed
    from tests.leak.resampling import Script

GAMES = int(os.environ.get("LEAK_GAMES", "36"))
"""Games at the tables room; besides, a tenth as many over connections. Set it high to search longer."""

pytestmark = [pytest.mark.leak, pytest.mark.timeout(300 + 10 * GAMES)]

WORLDS = 2
"""Other worlds for each game."""


async def compare(
    seed: int,
    patch: pytest.MonkeyPatch,
    play: Callable[[pytest.MonkeyPatch, Script, bytes], Awaitable[Observed]],
) -> int:
    """Write a game, play it in its own world and in others, compare; return how many others there were."""
    dice = random.Random(seed)
    script = write_script(dice, patch, poor=seed % 6 == 0, length=dice.choice((20, 60, 140, 400)))
    worlds = list(other_worlds(dice, patch, script, WORLDS))
    if not worlds:
        return 0
    own = await play(patch, script, script.order)
    assert own.size > 1000
    for order in worlds:
        assert hands_differ(script, order) > 0
        other = await play(patch, script, order)
        found = difference(own, other)
        assert not found, f"game {seed}, observer {script.observer}: {found}"
    return len(worlds)


async def compare_games(
    seeds: Iterator[int],
    games: int,
    patch: pytest.MonkeyPatch,
    play: Callable[[pytest.MonkeyPatch, Script, bytes], Awaitable[Observed]],
) -> None:
    """Compare so many games that have other worlds: where several seats burned there may be none."""
    compared = tried = 0
    while compared < games:
        compared += bool(await compare(next(seeds), patch, play))
        tried += 1
        assert tried <= 4 * games + 4, "too few games have other worlds"


@pytest.mark.parametrize("block", range(6))
async def test_nothing_received_at_a_table_depends_on_hidden_cards(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams, views, legal plays, checks and refusals are the same bytes in every world that a seat cannot tell apart
    from its own."""
    await compare_games(count(block, 6), GAMES // 6, monkeypatch, at_tables.play)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(2))
async def test_nothing_received_over_connections_depends_on_hidden_cards(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over real connections `Play`, `WatchTable`, `GetView`, `ListLegalPlays`, `CheckPlay`, every failed call and the
    server's figures are the same bytes in every world that a seat cannot tell apart from its own."""
    await compare_games(count(1000 + block, 2), max(2, GAMES // 20), monkeypatch, over_grpc.play)


def _tell_a_hidden_number(patch: pytest.MonkeyPatch) -> None:
    """Have the count that everyone sees depend on the big jokers of a seat."""
    from gouji_server.tables.table import TableState

    honest = TableState._after_deal_input

    def leak(self: TableState, effect: object) -> None:
        honest(self, effect)  # type: ignore[arg-type]
        assert self.deal is not None
        self.deal.public.count_shown[2] = 1 + self.deal.hand(2)[14]

    patch.setattr(TableState, "_after_deal_input", leak)


def _refuse_by_another_hand(patch: pytest.MonkeyPatch) -> None:
    """Have a refusal's text depend on the cards of the next seat."""
    from gouji_server.tables import seat_queries

    honest = seat_queries.check

    def leak(state: TableState, account: str, action: table_pb2.Action) -> table_pb2.CheckPlayResponse:
        answer = honest(state, account, action)
        assert state.deal is not None
        answer.error.metadata["hint"] = str(state.deal.hand((state.seats.seat_of(account) + 1) % 6)[0:6])
        return answer

    patch.setattr(seat_queries, "check", leak)


def _ask_only_who_can_burn(patch: pytest.MonkeyPatch) -> None:
    """Have a window ask by ability, not by right (R23)."""
    from gouji_rules import burning

    honest = burning.open_window

    def leak(pos: Position, window: int) -> None:
        rich = sum(1 << seat for seat in range(6) if sum(pos.hands[seat][12:]) >= 4)
        honest(pos, window & rich or window)

    patch.setattr(burning, "open_window", leak)


@pytest.mark.parametrize("leak", [_tell_a_hidden_number, _refuse_by_another_hand, _ask_only_who_can_burn])
async def test_the_gate_finds_leaks_that_are_there(
    leak: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A count, a refusal's detail or a window's members that depend on hidden cards are found within a few games."""
    leak(monkeypatch)
    with pytest.raises((AssertionError, gr.RuleViolation), match=r"differs|not asked|asked"):
        await compare_games(count(), 12, monkeypatch, at_tables.play)
