"""The presets of docs/rules.md §12 by field of :class:`~gouji_rules.rule_set.RuleSet`, and the defaults of companions.

A field not named in a column has the value of qingdao, which is the default of every field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

REMOVED = "3333333333" + "4444444444" + "5555"
"""S4: ten 3s, ten 4s and four 5s are taken out (R1); which ones: :func:`~gouji_rules.cards.pack`."""

_S1_POINTS = (2, 1, 0, 0, -1, -2)

_OPEN: dict[str, Any] = {"opening": True, "open_excludes": "big_joker", "open_deadline": "melee"}
_THREES_S1: dict[str, Any] = {"stifle": "tribute", "buy_from": "S1", "buy_with": "S1", "buy_none": "auto"}

COLUMNS: dict[str, dict[str, Any]] = {
    "qingdao": {},
    "hokkaido": {
        "point_table": "S0",
        "waiver_shows": True,
        "teams": "individual",
        "burn_points": (1, -1),
        "revolution_opens": "three",
        "points": _S1_POINTS,
        "record": "signed",
        "sweep_doubles": False,
        "report": "asked",
        "peek": "none",
    },
    "chinagames": {
        "revolution_by": "held",
        "swap_places": False,
        "mixed_jokers": "as_small",
        "burn": "bluff",
        "pass_after_last": "open",
        "dead_gouji": "gouji_last",
        "melee_at": "active_four",
        **_OPEN,
        "calls": "both",
        "points": _S1_POINTS,
        "record": "signed",
        "tribute": ("burn", "point", "loser"),
        "return_": "free",
        "tribute_refusable": True,
        "sweep_tribute": "match_ends",
        "report": "asked",
        "peek": "none",
        "deals": 5,
    },
    "shandong": {
        "point_table": "S2",
        "swap_places": False,
        "burn": "bluff",
        "counter_burn_doubles": True,
        **_OPEN,
        "calls": "open",
        "points": _S1_POINTS,
        "record": "signed",
        "tribute": ("burn", "point", "loser"),
        "return_": "must_match",
        "sweep_tribute": "by_place",
        "peek": "ten",
    },
    "lianzhong": {
        "point_table": "S3",
        "point_returned": True,
        "swap_places": False,
        "direction": "cw",
        "pass_after_last": "open",
        "dead_gouji": "none",
        "melee_at": "at_once",
        **_OPEN,
        "open_deadline": "strict",
        "revolution": "hold_three_only",
        "hold_three": True,
        "stifle": "tribute",
        "buy_from": "S3",
        "buy_with": "S3",
        "buy_none": "may",
        "points": _S1_POINTS,
        "record": "signed",
        "tribute": ("stifle", "burn", "point", "loser"),
        "return_": "free",
        "report": "none",
        "peek": "none",
    },
    "competition": {
        "tie_by_lot": True,
        "swap_places": False,
        "removed": REMOVED,
        "seating": "draw",
        "joker_kill": "two_big",
        "kill_anyone": True,
        "burn": "bluff",
        "burn_points": (0, -2),
        "pass_after_last": "open",
        "dead_gouji": "none",
        "melee_at": "active_four",
        **_OPEN,
        "open_excludes": "jokers_and_twos",
        "open_leads_four": True,
        "hold_three": True,
        "stifle": "last_place",
        "buy_from": "S4",
        "buy_with": "S4",
        "buy_none": "may",
        "points": (7, 5, 4, 3, 2, 1),
        "record": "signed",
        "sweep_doubles": False,
        "fault_points": -2,
        "report": "none",
        "peek": "none",
        "deals": 3,
    },
}
"""Every preset as what differs from qingdao."""

# What switching `hold_three` on brings where the preset has it off: the column's option, S1's where it names none.
_HOLD_THREE: dict[str, dict[str, Any]] = {
    "hokkaido": {
        "stifle": "tribute",
        "buy_from": "S0",
        "buy_with": "S0",
        "buy_none": "may",
        "revolution": "hold_three_only",
    },
    "lianzhong": {"stifle": "tribute", "buy_from": "S3", "buy_with": "S3", "buy_none": "may"},
    "competition": {"stifle": "last_place", "buy_from": "S4", "buy_with": "S4", "buy_none": "may"},
}

_OPENING: dict[str, dict[str, Any]] = {
    "hokkaido": {"open_excludes": "big_joker", "open_deadline": "strict"},
}

TRIBUTE_KINDS = ("stifle", "burn", "point", "loser")
"""The kinds of tribute in the order in which they are paid (R70)."""


def companions(name: str, switched_on: set[str], base: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """What options just switched on bring with them, by field, in the set made from a preset (§12).

    ``switched_on`` holds ``hold_three``, ``stifle``, ``opening``, ``individual`` or ``federation``; ``base`` are the
    values without them. What the table's maker said (``said``) comes before all of it, and nothing is brought that
    contradicts what was said or stands already.
    """
    brought: dict[str, Any] = {}
    kinds = set(base["tribute"])
    if "individual" in switched_on:
        brought |= {"record": "signed", "sweep_doubles": False, "peek": "none", "seating": "free"}
        brought["points"] = _S1_POINTS
    if "federation" in switched_on:
        brought |= {"record": "positive_only", "sweep_doubles": True, "peek": "full", "burn_points": (0, 0)}
        brought["points"] = (4, 2, 0, 0, -2, -4)
    if "hold_three" in switched_on:
        brought |= _holding_threes(name, base, said)
    if switched_on & {"hold_three", "stifle"}:
        kinds.discard("stifle")
        if said.get("stifle", brought.get("stifle")) == "tribute":
            kinds.add("stifle")
    if "opening" in switched_on:
        brought |= _OPENING.get(name, {})
        kinds.add("point")
    if kinds != set(base["tribute"]):
        brought["tribute"] = tuple(kind for kind in TRIBUTE_KINDS if kind in kinds)
    return brought


def _holding_threes(name: str, base: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """What ``hold_three`` brings: buying and revolution only as far as they are not said to be off."""
    brought = {**_HOLD_THREE.get(name, _THREES_S1), "report": "none"}
    if "off" in (said.get("buy_from"), said.get("buy_with")):
        brought |= {"buy_from": "off", "buy_with": "off", "buy_none": "off"}
    if {**base, **brought, **said}["revolution"] == "off":
        brought["buy_none"] = "off"
    return brought
