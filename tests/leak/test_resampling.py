"""The first leak gate: what a seat and a spectator receive does not depend on cards that they may not know."""

from __future__ import annotations

import os
import random
from itertools import count
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji_rules import reporting
from tests.leak import at_tables, over_grpc
from tests.leak.observed import difference
from tests.leak.stories import SEATS, Feel, write_script
from tests.leak.test_engine_worlds import LENGTHS, MOODS
from tests.leak.worlds import other_worlds, own_world
from tests.rules.random_rule_sets import random_rule_set

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from gouji.table.v1 import table_pb2
    from gouji_server.tables.table import TableState
    from tests.leak.observed import Observed
    from tests.leak.stories import Script
    from tests.leak.worlds import World

    Playing = Callable[[pytest.MonkeyPatch, Script, World], Awaitable[Observed]]

GAMES = int(os.environ.get("LEAK_GAMES", "36"))
"""An eighteenth as many games under each rule set at the tables room, a sixtieth over connections."""

pytestmark = [pytest.mark.leak, pytest.mark.timeout(300 + 10 * GAMES)]

WORLDS = 2
"""Other worlds for each game."""

TABLES: dict[str, gr.RuleSet] = {
    **gr.PRESETS,
    "qingdao, shown and returned": gr.preset("qingdao").replace(show="ask", tribute=("loser",)),
    "hokkaido, felt and held": gr.preset("hokkaido").replace(hold_three=True, feel_chances=3, report="none"),
    "shandong, kills": gr.preset("shandong").replace(joker_kill="two_big", kill_anyone=True, open_leads_four=True),
}
"""Rules that are played at tables."""


async def compare(
    seed: int, rules: gr.RuleSet, patch: pytest.MonkeyPatch, play: Playing, *, spectators: bool = True
) -> int:
    """Write a game, play it in its own world and in others, compare; return how many others there were.

    ``spectators``: some games are watched by a spectator alone, who knows nobody's cards, and other worlds may have
    another number of answers.
    """
    dice = random.Random(f"{rules.name} {seed}")
    rules = rules.replace(seating="free")  # whose seat is whose is no question of cards
    seats = (*SEATS, -1) if spectators else SEATS
    script = write_script(
        dice, rules, observer=dice.choice(seats), mood=dice.choice(MOODS), length=dice.choice(LENGTHS)
    )
    worlds = list(other_worlds(dice, script, WORLDS, same_number=not spectators))
    if not worlds:
        return 0
    with patch.context() as own_patch:
        own = await play(own_patch, script, own_world(script))
    assert own.size > 1000
    for world in worlds:
        with patch.context() as other_patch:
            other = await play(other_patch, script, world)
        found = difference(own, other)
        assert not found, f"{rules.name}, game {seed}, observer {script.observer}: {found}"
    return len(worlds)


async def compare_games(
    seeds: Iterator[int],
    games: int,
    rules: gr.RuleSet,
    patch: pytest.MonkeyPatch,
    play: Playing,
    *,
    spectators: bool = True,
) -> None:
    """Compare so many games that have other worlds: where several seats burned there may be none."""
    compared = tried = 0
    while compared < games:
        compared += bool(await compare(next(seeds), rules, patch, play, spectators=spectators))
        tried += 1
        assert tried <= 4 * games + 4, "too few games have other worlds"


@pytest.mark.parametrize("name", TABLES)
async def test_nothing_received_at_a_table_depends_on_hidden_cards(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams, views, legal plays, checks and refusals are the same bytes in every world that a seat, or a spectator,
    cannot tell apart from its own: under every preset, and with the options that hide more."""
    await compare_games(count(), max(1, GAMES // 18), TABLES[name], monkeypatch, at_tables.play)


@pytest.mark.parametrize("name", ["qingdao", "hokkaido", "shandong"])
async def test_what_is_told_later_does_not_depend_on_hidden_cards(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a table with a delay a spectator receives the same bytes at the same times in every world, and so does a
    seat."""
    await compare_games(count(1000), max(1, GAMES // 18), TABLES[name], monkeypatch, at_tables.play_late)


async def test_nothing_received_depends_on_hidden_cards_under_any_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same at tables whose maker chose options at random."""
    for number in range(max(1, GAMES // 18)):
        rules = random_rule_set(random.Random(f"options {number}"))
        await compare(number, rules, monkeypatch, at_tables.play)


@pytest.mark.parametrize("asks", [True, False])
async def test_how_thick_a_felt_hand_is_the_asker_alone_learns(asks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With other buckets the asker receives something else, and nobody else does (R82): counts are the same in every
    world, so that resampling would not tell."""
    rules = TABLES["hokkaido, felt and held"]
    script = next(script for script in (_with_a_feel(rules, number) for number in count()) if _feels(script) is asks)
    own = await at_tables.play(monkeypatch, script, own_world(script))
    monkeypatch.setattr(reporting, "BUCKET", 4)
    other = await at_tables.play(monkeypatch, script, own_world(script))
    assert bool(difference(own, other)) is asks
    spectator = [{key: value for key, value in seen.received.items() if key[0] != "seat"} for seen in (own, other)]
    assert spectator[0] == spectator[1]


def _with_a_feel(rules: gr.RuleSet, number: int) -> Script:
    """A story in which somebody feels a hand."""
    dice = random.Random(f"felt {number}")
    script = write_script(dice, rules, observer=number % 6, length=60)
    return script if any(isinstance(step, Feel) for step in script.steps) else _with_a_feel(rules, number + 6)


def _feels(script: Script) -> bool:
    """Whether the observer does."""
    return any(isinstance(step, Feel) and step.asker == script.observer for step in script.steps)


@pytest.mark.slow
@pytest.mark.parametrize("name", gr.PRESETS)
async def test_nothing_received_over_connections_depends_on_hidden_cards(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over real connections `Play`, `WatchTable`, `GetView`, `ListLegalPlays`, `CheckPlay`, `AskCount`, `Feel`, every
    failed call and the server's figures are the same bytes in every world that a seat cannot tell from its own."""
    rules = gr.preset(name)
    games = max(1, GAMES // 60)
    await compare_games(count(1000), games, rules, monkeypatch, over_grpc.play, spectators=False)


def _tell_a_hidden_number(patch: pytest.MonkeyPatch) -> None:
    """Have the count that everyone sees depend on the big jokers of a seat."""
    from gouji_server.tables.table import TableState

    honest = TableState._after_deal_input

    def leak(self: TableState, effect: object) -> None:
        honest(self, effect)  # type: ignore[arg-type]
        assert self.deal is not None
        counts = list(self.deal.public.count_shown)
        counts[2] = 1 + self.deal.hand(2)[14]
        self.deal.public.count_shown = type(self.deal.public.count_shown)(counts)

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


def _tell_of_an_answer(patch: pytest.MonkeyPatch) -> None:
    """Have everyone hear that somebody answered a window (R36)."""
    from gouji_server.tables.table import TableState

    honest = TableState._after_deal_input

    def leak(self: TableState, effect: object) -> None:
        honest(self, effect)  # type: ignore[arg-type]
        effect.touched = (1 << 6) - 1  # type: ignore[attr-defined]
        effect.of_deal = True  # type: ignore[attr-defined]

    patch.setattr(TableState, "_after_deal_input", leak)


@pytest.mark.parametrize("leak", [_tell_a_hidden_number, _refuse_by_another_hand, _tell_of_an_answer])
async def test_the_gate_finds_leaks_that_are_there(
    leak: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the table tells, not the engine, is found within a few games: a count, a refusal's detail, a message too
    many. (What the engine tells is found before: tests/leak/test_engine_worlds.py.)"""
    leak(monkeypatch)
    with pytest.raises(AssertionError, match="differs"):
        await compare_games(count(), 12, gr.preset("qingdao"), monkeypatch, at_tables.play)
