"""One match of six bots over real connections, seen by a spectator."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji.table.v1 import state_pb2
from gouji_cli.failures import first_failure
from gouji_cli.terminal import by_locale
from gouji_client import Bot, Manners, NewTable, PolicyBot, connect, play_match

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gouji.table.v1 import events_pb2
    from gouji_cli.demo.display import Watching
    from gouji_cli.demo.pace import Pace
    from gouji_cli.scene import Scene
    from gouji_client import Table

SPECTATOR = "观众"

PATIENCE = 60.0
"""Seconds without anything new after which the demo gives up: bots never think that long."""


@dataclass(frozen=True, slots=True)
class Player:
    """One of the demo's bots: its display name and the policy it plays by."""

    name: str
    policy: str


PLAYERS = (
    Player("泰山", "simple"),
    Player("崂山", "simple"),
    Player("蓬莱", "simple"),
    Player("趵突泉", "random"),
    Player("微山湖", "random"),
    Player("曲阜", "simple"),
)
"""By seat: each side has two simple bots and a random one, and no two random ones are opposites."""


class MatchFailed(Exception):
    """The match did not come to its end; the text says why."""


async def play(
    address: str, rules: gr.RuleSet, deals: int, scene: Scene, watching: Iterable[Watching], pace: Pace
) -> None:
    """Play a match of six bots by some rules at a new table and show each step to `watching`.

    `scene` holds the result in the end. Raises `MatchFailed`, and `GoujiError` from the client.
    """
    async with connect(address) as spectator:
        await spectator.sign_in(SPECTATOR)
        new = NewTable(title="demo", rule_set=rules.name, options=rules.overrides(), deals=deals, with_seat=False)
        table = spectator.table((await spectator.lobby.create(new)).name)
        # Everybody plays in a group: if one fails the others are called off, and the failure is told.
        async with first_failure(), asyncio.TaskGroup() as group:
            group.create_task(_watch(table, scene, list(watching), pace))
            for seat, player in enumerate(PLAYERS):
                group.create_task(_play_seat(address, table.name, seat, player, pace))
    if scene.final_scores is None:
        raise MatchFailed(by_locale("the table was closed before the match was over", "牌桌在打完之前已关闭"))


async def _watch(table: Table, scene: Scene, watching: list[Watching], pace: Pace) -> None:
    """Follow the table to its end."""
    async with aclosing(table.updates()) as updates:
        while True:
            try:
                update = await asyncio.wait_for(anext(updates), PATIENCE)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise MatchFailed(
                    by_locale(f"nothing happened for {PATIENCE:.0f} s", f"{PATIENCE:.0f} 秒没有动静")
                ) from None
            scene.apply(update)
            for event in update.events:
                _keep_pace(pace, event)
            for watcher in watching:
                watcher.show(update)


MOMENTS = {
    "finished": 0.3,
    "burn_succeeded": 0.3,
    "busted": 0.3,
    "melee_began": 0.3,
    "burn_ended": 0.2,
    "head_chosen": 0.2,
}
"""Seconds that these events stay on the screen before anybody goes on."""

BURN_MOMENT = 0.4


def _keep_pace(pace: Pace, event: events_pb2.TableEvent) -> None:
    kind = event.WhichOneof("event") or ""
    if kind == "deal_started":
        pace.deal_started(event.deal_started.deal)
    elif kind == "played":
        pace.played(len(event.played.play.cards))
        if event.played.play.manner == state_pb2.MANNER_BURN:
            pace.linger(BURN_MOMENT)
    else:
        pace.linger(MOMENTS.get(kind, 0.0))


class PacedBot(Bot):
    """A built-in policy that acts when the demo's pace says so. Answers in burn windows do not wait."""

    def __init__(self, player: Player, pace: Pace) -> None:
        self.name = player.name
        self._policy = PolicyBot(player.policy)
        self._pace = pace

    async def choose(self, view: gr.SeatView) -> gr.Action:
        """Wait for the turn, then choose."""
        if view.public.question is not None and view.public.question.kind != gr.Kind.WINDOW:
            await self._pace.turn()
        return self._policy.choose(view)


async def _play_seat(address: str, table: str, seat: int, player: Player, pace: Pace) -> None:
    """Play one seat on a connection of its own until the table is closed."""
    async with connect(address) as client:
        await client.sign_in(player.name)
        await play_match(client, PacedBot(player, pace), table=table, seat=seat, manners=Manners(on_error="raise"))
