"""Places, sweeps and scores of a deal (R60-R63)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gouji_rules.debts import obligations_of

if TYPE_CHECKING:
    from gouji_rules.obligations import Obligation
    from gouji_rules.state import PublicState


@dataclass(frozen=True, slots=True)
class DealResult:
    """How a deal ended.

    ``places`` seats in finishing order (头科 first), empty for a void deal; ``scores`` by team, even seats first;
    ``sums`` the sides' sums before R62 and R63; ``sweep`` one side has places 1, 2, 3 (R60); ``void`` two or more
    revolted (R50); ``obligations`` what the deal leaves for the next (empty where the rules have no tribute), in the
    order of paying (R70). ``burned`` the burns that succeeded: (owner of the play burned, burner, doubled) (R35);
    ``stifled``: (seat, stifler) (R46); ``opened`` mask (R40); ``doubled`` by `gap_doubles` (R65); ``slam`` the seat
    that made one, -1 for none (R66).
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


VOID = DealResult((), (0, 0), (0, 0), sweep=False, void=True)


def result_of(p: PublicState) -> DealResult:
    """The result of a deal whose places are all fixed."""
    rules = p.rules
    places = tuple(p.place.index(place) for place in range(1, 7))
    sums = [0, 0]
    for points, seat in zip(rules.points, places, strict=True):
        sums[seat & 1] += points
    sweep = len({seat & 1 for seat in places[:3]}) == 1
    factor = 2 if sweep and rules.sweep_doubles else 1
    floor = 0 if rules.record == "positive_only" else None
    scores = tuple(value * factor if floor is None else max(floor, value * factor) for value in sums)
    result = DealResult(
        places, scores, tuple(sums), sweep, burned=p.burns, stifled=p.stifled, opened=p.opened, slam=p.slam
    )
    return replace(result, obligations=obligations_of(rules, result, p.calls)) if rules.tribute else result
