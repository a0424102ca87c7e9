"""Places, sweeps and scores of a deal (R35, R60-R66)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gouji_rules.debts import obligations_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.obligations import Obligation
    from gouji_rules.rule_set import RuleSet
    from gouji_rules.state import PublicState


@dataclass(frozen=True, slots=True)
class DealResult:
    """How a deal ended.

    ``places`` seats in finishing order (头科 first), empty for a void deal; ``scores`` by team, even seats first, in
    individual play by seat; ``sums`` the same before R62, R63 and R65; ``sweep`` one side has places 1, 2, 3 (R60);
    ``void`` two or more revolted (R50); ``obligations`` what the deal leaves for the next (empty where the rules have
    no tribute), in the order of paying (R70). ``burned`` the burns that succeeded: (owner of the play burned, burner,
    doubled) (R35); ``stifled``: (seat, stifler) (R46); ``opened`` mask (R40); ``doubled`` by `gap_doubles` (R65);
    ``slam`` the seat that made one, -1 for none (R66).
    """

    places: tuple[int, ...]
    scores: tuple[int, ...]
    sums: tuple[int, ...]
    sweep: bool
    void: bool = False
    obligations: tuple[Obligation, ...] = ()
    burned: tuple[tuple[int, int, bool], ...] = ()
    stifled: tuple[tuple[int, int], ...] = ()
    opened: int = 0
    doubled: bool = False
    slam: int = -1


def result_of(p: PublicState) -> DealResult:
    """The result of a deal whose places are all fixed."""
    rules = p.rules
    places = tuple(p.place.index(place) for place in range(1, 7))
    earned = _slam_points(p) if p.slam >= 0 else _points(p, places)
    if rules.teams == "individual":
        sums, sweep = earned, False
        doubled = p.slam < 0 and rules.gap_doubles and _gap(places)
        scores = [2 * value for value in sums] if doubled else sums
    else:
        sums = [sum(earned[team::2]) for team in (0, 1)]
        sweep = len({seat & 1 for seat in places[:3]}) == 1
        doubled = False
        factor = 2 if sweep and rules.sweep_doubles and p.slam < 0 else 1
        scores = [value * factor for value in sums]
        if rules.record == "positive_only":
            scores = [max(0, value) for value in scores]
    result = DealResult(
        places,
        tuple(scores),
        tuple(sums),
        sweep,
        burned=p.burns,
        stifled=p.stifled,
        opened=p.opened,
        doubled=doubled,
        slam=p.slam,
    )
    return replace(result, obligations=obligations_of(rules, result, p.calls)) if rules.tribute else result


def void_result(rules: RuleSet) -> DealResult:
    """The result of a void deal (R50): no places and nobody's score changes."""
    nothing = (0,) * (6 if rules.teams == "individual" else 2)
    return DealResult((), nothing, nothing, sweep=False, void=True)


def _points(p: PublicState, places: Sequence[int]) -> list[int]:
    """What every seat earned: its place (R61), burns (R35), what it failed to do (R64)."""
    rules = p.rules
    earned = [0] * 6
    for points, seat in zip(rules.points, places, strict=True):
        earned[seat] += points
    for burned, burner, _ in p.burns:
        earned[burner] += rules.burn_points[0]
        earned[burned] += rules.burn_points[1]
    if rules.fault_points:
        for seat in range(6):
            if rules.opening and not p.opened >> seat & 1:
                earned[seat] += rules.fault_points
        for seat, _ in p.stifled:
            earned[seat] += rules.fault_points
    return earned


def _slam_points(p: PublicState) -> list[int]:
    """R66: the deal's only points."""
    if p.slam == p.first_leader:
        return [10 if seat == p.slam else -2 for seat in range(6)]
    return [6 if seat == p.slam else -2 if seat == p.first_leader else -1 for seat in range(6)]


def _gap(places: Sequence[int]) -> bool:
    """R65: whether place 6 sits two seats from place 1, or place 5 two seats from place 2."""
    return (places[5] - places[0]) % 6 in (2, 4) or (places[4] - places[1]) % 6 in (2, 4)
