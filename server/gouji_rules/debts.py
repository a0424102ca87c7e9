"""What a deal leaves to be paid before the next (R70-R76): stifle, burn, point and loser tribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gouji_rules.cards import SEATS
from gouji_rules.obligations import Obligation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gouji_rules.rule_set import RuleSet
    from gouji_rules.scoring import DealResult

SIXTH_PAYS = 2
FIFTH_PAYS = 1
"""Loser tribute (R73): place 6 pays place 1 two cards, place 5 pays place 2 one."""

_PRICE = (1, 2, 4)
"""What the unopened pays by the other's call: none, open, blind (R74)."""


def obligations_of(rules: RuleSet, result: DealResult, calls: tuple[int, ...]) -> tuple[Obligation, ...]:
    """What a deal with this result leaves, in the order of paying (R70); ``calls`` per seat as in PublicState."""
    if not rules.tribute or result.void:
        return ()
    if result.sweep and rules.sweep_tribute in ("match_ends", "redeal"):
        return ()
    owed: list[Obligation] = []
    if "stifle" in rules.tribute:
        owed += [Obligation(seat, by, "stifle", 1) for seat, by in result.stifled]
    if "burn" in rules.tribute:
        owed += [Obligation(owner, burner, "burn", 2 if twice else 1) for owner, burner, twice in result.burned]
    if "point" in rules.tribute and rules.opening:
        owed += _points(rules, result.opened, calls)
    if "loser" in rules.tribute and result.slam < 0:
        owed += _losers(rules, result)
    if result.doubled:
        owed = [Obligation(o.payer, o.receiver, o.kind, 2 * o.count) for o in owed]
    return tuple(owed)


def _points(rules: RuleSet, opened: int, calls: tuple[int, ...]) -> Iterator[Obligation]:
    """Point tribute between opposites, by seat of the payer (R74)."""
    pays = POINT_TABLES[rules.point_table]
    for payer in range(SEATS):
        other = (payer + 3) % SEATS
        count = pays(
            rules, Side(calls[payer], bool(opened >> payer & 1)), Side(calls[other], bool(opened >> other & 1))
        )
        if count:
            yield Obligation(payer, other, "point", count)


def _losers(rules: RuleSet, result: DealResult) -> list[Obligation]:
    """Loser tribute (R73), after a sweep as `sweep_tribute` says (R76)."""
    places = result.places
    if result.sweep and rules.sweep_tribute == "opposites":
        return [Obligation(seat, (seat + 3) % SEATS, "loser", 1) for seat in places[3:]]
    return [
        Obligation(places[5], places[0], "loser", SIXTH_PAYS),
        Obligation(places[4], places[1], "loser", FIFTH_PAYS),
    ]


# ── how much point tribute one side pays its opposite ────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Side:
    """One of two opposites: its ``call`` (0 none, 1 open, 2 blind) and whether it has ``opened``."""

    call: int
    opened: bool


def _by_s0(rules: RuleSet, payer: Side, other: Side) -> int:
    """S0: the unopened pays by the other's call; a caller that was wrong pays too, with `double_backfire` twice."""
    due = 0 if payer.opened else _PRICE[other.call]
    if payer.call and other.opened:
        due += _PRICE[payer.call] * (2 if rules.double_backfire else 1)
    return due


def _by_s1(_rules: RuleSet, payer: Side, other: Side) -> int:
    """S1: the unopened pays by the other's call, and if the other has opened by its own call as well."""
    if payer.opened:
        return 0
    return _PRICE[other.call] + ((1, 4, 8)[payer.call] if other.opened else 0)


def _by_s2(_rules: RuleSet, payer: Side, other: Side) -> int:
    """S2: by who of the two has called; it knows open calls alone, a blind one counts as one."""
    if payer.opened != other.opened:
        return 0 if payer.opened else (1, 3, 4)[bool(payer.call) + bool(other.call)]
    if payer.call and other.call:
        return 2
    if payer.opened:
        return 2 if payer.call else 0
    return 2 if other.call else 1


def _by_s3(_rules: RuleSet, payer: Side, _other: Side) -> int:
    """S3: the unopened pays one."""
    return 0 if payer.opened else 1


POINT_TABLES: dict[str, Callable[[RuleSet, Side, Side], int]] = {
    "S0": _by_s0,
    "S1": _by_s1,
    "S2": _by_s2,
    "S3": _by_s3,
}
"""By `point_table`: the cards that a side pays its opposite, from the rules, the payer and the other (R74)."""
