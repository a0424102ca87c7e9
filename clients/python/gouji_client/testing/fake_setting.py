"""What is played at a table of the fake server, and the table as it is before anybody comes."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji_client.testing.opponents import opponent_of
from gouji_rules.option_values import settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gouji_client.testing.opponents import Opponent, OpponentLike

NAME = "tables/fake"
SEATS = range(6)


@dataclass(frozen=True, slots=True)
class Setting:
    """What is played at a table: see `FakeServer`."""

    seats: tuple[int, ...] = (0,)
    opponents: Mapping[int, OpponentLike] | OpponentLike = "random"
    deals: int = 1
    seed: int = 0
    hands: tuple[str, ...] | None = None
    lead: int = 0
    rules: gr.RuleSet = gr.PRESETS["qingdao"]
    name: str = NAME


def opponents_of(setting: Setting, rng: random.Random) -> dict[int, Opponent]:
    """Return who plays the seats that are not for clients."""
    wanted = setting.opponents
    made = {}
    for seat in SEATS:
        if seat not in setting.seats:
            what = wanted.get(seat, "random") if isinstance(wanted, dict) else wanted
            made[seat] = opponent_of(what, random.Random(rng.random()))  # type: ignore[arg-type]  # noqa: S311
    return made


def info_of(setting: Setting, opponents: Mapping[int, Opponent]) -> lobby_pb2.Table:
    """Return the lobby facts of a table at which opponents sit."""
    info = lobby_pb2.Table(
        name=setting.name,
        title="fake" if setting.name == NAME else "",
        rule_set=f"ruleSets/{setting.rules.name}",
        deals=setting.deals,
        state=lobby_pb2.TABLE_STATE_WAITING,
        spectators_allowed=True,
    )
    info.time_control.preset = lobby_pb2.TIME_PRESET_NONE
    for name, value in settings_of(setting.rules):
        info.options.add(field=name, value=value)
    for seat in SEATS:
        opponent = opponents.get(seat)
        info.players.add(seat=seat)
        if opponent is not None:
            bot = lobby_pb2.Player(display_name=f"{opponent.name} {seat}", bot=opponent.name, ready=True)
            info.players[seat].MergeFrom(bot)
    return info
