"""The setting to be declined for does not tell: games with and without it look alike to everybody else (R36)."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji_server.tables import TableSpec, inputs
from gouji_server.tables.table import _APPLY as FOLDS_OF_ALL
from gouji_server.tables.table import TableState
from tests.leak.observed import Observed, difference
from tests.server.players import HomeBots, House, Reader, choose, live_deal, person, request
from tests.server.table_time import settle

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.tables.lobby_state import Effect

GAMES = int(os.environ.get("LEAK_GAMES", "36"))

pytestmark = [pytest.mark.leak, pytest.mark.timeout(300 + 10 * GAMES)]

SECONDS = 20.0
RULES = ("qingdao", "shandong", "hokkaido")
DELAYS = (0.4, 1.2)


class PacedBots(HomeBots):
    """Draws delays as the server does; what was drawn last is known to the test."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._dice = random.Random(seed)
        self.drawn = 0.0

    def delay(self) -> float:
        self.drawn = self._dice.uniform(*DELAYS)
        return self.drawn


class Game:
    """A game of six people, one of whom declines in every window: by the setting, or by hand after the same delay."""

    def __init__(self, seed: int, rules: str, *, by_setting: bool, always: bool) -> None:
        self.dice = random.Random(seed)
        self.decliner = self.dice.randrange(6)
        self.by_setting = by_setting
        self.always = always
        self.bots = PacedBots(seed)
        self.house = House(seed=seed, bots=self.bots)
        self.spec = TableSpec(rule_set=rules, deals=2, decision_seconds=SECONDS, bank_seconds=5)
        self.observed = Observed()
        self.windows = 0

    async def play(self, moves: int) -> Observed:
        """Play so many questions; return what everybody but the one received."""
        self.handle = await self.house.match(self.spec)
        readers = [Reader(self.house, self.handle, person(seat)) for seat in (*range(6), 9)]
        self.readers = [reader for reader in readers if reader.caller != person(self.decliner)]
        for reader in self.readers:
            await reader.follow()
        if self.by_setting:
            await self.handle.set_auto_decline(person(self.decliner), True, self.always, "set")
        for number in range(moves):
            if self.state.closed:
                break
            if self.by_setting and not self.always and not self.state.auto_decline:
                await self.handle.set_auto_decline(person(self.decliner), True, False, f"set-{number}")
            await self.answer_one()
            await self.read()
        await self.house.tables.close()
        return self.observed

    @property
    def state(self) -> TableState:
        story = self.house.tables._actors[self.handle.name]._story
        assert story is not None
        return story.state

    async def answer_one(self) -> None:
        """Have the open question answered: first by the others, one after the other, then by the one who declines."""
        state, decision = self.state, self.state.decision
        window = live_deal(self.house, self.handle).public.kind == gr.Kind.WINDOW
        declines = window and bool(state.waiting_for >> self.decliner & 1)
        if declines and not self.by_setting:
            self.bots.delay()
        delay = self.bots.drawn  # with the setting it was drawn when the window was asked
        for seat in range(6):
            if self.state.decision == decision and state.waiting_for >> seat & 1:
                if declines and seat == self.decliner:
                    continue
                await self.act(seat, *choose(live_deal(self.house, self.handle).view(seat), self.dice))
                await self.read()
        if declines and self.state.decision == decision:
            self.windows += 1
            await self.house.clock.run(delay)
            if not self.by_setting:
                await self.act(self.decliner, int(gr.Verb.DECLINE), b"", 0)
            await settle()

    async def act(self, seat: int, verb: int, cards: bytes, suit: int) -> None:
        decision = self.state.decision
        asked = request(self.handle.name, decision, verb, cards, request_id=f"m{decision}-{seat}", suit=suit)
        await self.handle.act(person(seat), asked)

    async def read(self) -> None:
        """Note everything that the others receive, and what they are told when they ask."""
        for reader in self.readers:
            who = reader.caller.account
            before = len(reader.raw)
            await reader.read()
            for message in reader.raw[before:]:
                self.observed.note(who, "stream", message)
            self.observed.note(who, "view", await self.handle.view(reader.caller))
        info = await self.handle.info()
        self.observed.note("anybody", "lobby", info.SerializeToString(deterministic=True))


async def compare(seed: int, rules: str, moves: int) -> tuple[str, int]:
    """Play a game both ways; return how they differ to others, and in how many windows it could have told."""
    always = seed % 2 == 0
    games = [Game(seed, rules, by_setting=by_setting, always=always) for by_setting in (True, False)]
    seen = [await game.play(moves) for game in games]
    assert games[0].windows == games[1].windows
    assert seen[0].size > 1000
    return difference(*seen), games[0].windows


@pytest.mark.parametrize("rules", RULES)
async def test_a_game_with_the_setting_looks_like_one_without(rules: str) -> None:
    """Every message, view and lobby answer of the five others and of a spectator is the same, byte for byte and at the
    same time, whether the server declines for a seat or its player does after as long; in the deal in which it was set,
    in the next, and set again in each."""
    windows = 0
    for seed in range(max(2, GAMES // 12)):
        found, told = await compare(seed, rules, 150)
        assert not found, f"{rules}, game {seed}: {found}"
        windows += told
    assert windows > 3


def _tell_others(patch: pytest.MonkeyPatch) -> None:
    """Have a private number of everybody move when the setting changes."""

    def leak(state: TableState, entry: inputs.AutoDeclineSet, effect: Effect) -> None:
        honest(state, entry, effect)
        effect.touched = (1 << 6) - 1

    honest = FOLDS_OF_ALL[inputs.AutoDeclineSet]
    patch.setitem(FOLDS_OF_ALL, inputs.AutoDeclineSet, leak)


def _hurry(patch: pytest.MonkeyPatch) -> None:
    """Have the server decline at once."""
    honest = PacedBots.delay

    def hurried(bots: PacedBots) -> float:
        honest(bots)
        return 0.0

    patch.setattr(PacedBots, "delay", hurried)


@pytest.mark.parametrize("leak", [_tell_others, _hurry])
async def test_a_setting_that_tells_is_found(
    leak: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message too many and a delay of another kind are found within a few games."""
    leak(monkeypatch)
    found = [(await compare(seed, "qingdao", 150))[0] for seed in range(4)]
    assert any(found)
