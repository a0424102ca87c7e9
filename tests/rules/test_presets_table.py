"""The presets against the table of docs/rules.md §12, row by row, as a second reader read it."""

from __future__ import annotations

import pytest

import gouji_rules as gr

ORDER = ("qingdao", "hokkaido", "chinagames", "shandong", "lianzhong", "competition")
S1_POINTS = (2, 1, 0, 0, -1, -2)
TEN_TEN_FOUR = "3" * 10 + "4" * 10 + "5" * 4

ROWS: dict[str, tuple[object, ...]] = {
    # cards
    "decks": (4, 4, 4, 4, 4, 4),
    "removed": ("", "", "", "", "", TEN_TEN_FOUR),
    # direction, teams, seating
    "direction": ("ccw", "ccw", "ccw", "ccw", "cw", "ccw"),
    "teams": ("federation", "individual", "federation", "federation", "federation", "federation"),
    "seating": ("free", "free", "free", "free", "free", "draw"),
    # R5, R13: the same everywhere
    "show": ("auto",) * 6,
    "gouji_twos": (1,) * 6,
    # strength and kills
    "mixed_jokers": ("by_card", "by_card", "as_small", "by_card", "by_card", "by_card"),
    "joker_kill": ("off", "off", "off", "off", "off", "two_big"),
    "kill_anyone": (False, False, False, False, False, True),
    # burns
    "burn": ("strict", "strict", "bluff", "bluff", "strict", "bluff"),
    "burn_points": ((0, 0), (1, -1), (0, 0), (0, 0), (0, 0), (0, -2)),
    "burn_after_pass": (False,) * 6,
    "counter_burn_doubles": (False, False, False, True, False, False),
    # the trick
    "pass_after_last": ("closed", "closed", "open", "closed", "open", "open"),
    "dead_gouji": ("any_last", "any_last", "gouji_last", "any_last", "none", "none"),
    "melee_at": ("after_second", "after_second", "active_four", "after_second", "at_once", "active_four"),
    # opening
    "opening": (False, False, True, True, True, True),
    "calls": ("none", "none", "both", "open", "none", "none"),
    "double_backfire": (False,) * 6,
    "open_leads_four": (False, False, False, False, False, True),
    # revolution
    "revolution": ("may", "may", "may", "may", "hold_three_only", "may"),
    "revolution_by": ("dealt", "dealt", "held", "dealt", "dealt", "dealt"),
    # hold-three
    "hold_three": (False, False, False, False, True, True),
    "stifle": ("off", "off", "off", "off", "tribute", "last_place"),
    # scoring
    "points": ((4, 2, 0, 0, -2, -4), S1_POINTS, S1_POINTS, S1_POINTS, S1_POINTS, (7, 5, 4, 3, 2, 1)),
    "record": ("positive_only", "signed", "signed", "signed", "signed", "signed"),
    "sweep_doubles": (True, False, True, True, True, False),
    "fault_points": (0, 0, 0, 0, 0, -2),
    "tie_by_lot": (False, False, False, False, False, True),
    "gap_doubles": (False,) * 6,
    "slam": (False,) * 6,
    # tribute
    "tribute": (
        (),
        (),
        ("burn", "point", "loser"),
        ("burn", "point", "loser"),
        ("stifle", "burn", "point", "loser"),
        (),
    ),
    # what is seen, how long it lasts
    "report": ("shown", "asked", "asked", "shown", "none", "none"),
    "peek": ("full", "none", "none", "ten", "none", "none"),
    "feel_chances": (0,) * 6,
    "deals": (0, 0, 5, 0, 0, 3),
}

# Where the row means something only while its option is on: what the presets that have it on say.
WHERE_ON: dict[str, dict[str, object]] = {
    "open_excludes": {
        "chinagames": "big_joker",
        "shandong": "big_joker",
        "lianzhong": "big_joker",
        "competition": "jokers_and_twos",
    },
    "open_deadline": {"chinagames": "melee", "shandong": "melee", "lianzhong": "strict", "competition": "melee"},
    "point_table": {"chinagames": "S1", "shandong": "S2", "lianzhong": "S3"},
    "point_returned": {"chinagames": False, "shandong": False, "lianzhong": True},
    "revolution_opens": {
        "chinagames": "at_once",
        "shandong": "at_once",
        "lianzhong": "at_once",
        "competition": "at_once",
    },
    "buy_from": {"lianzhong": "S3", "competition": "S4"},
    "buy_none": {"lianzhong": "may", "competition": "may"},
    "return": {"chinagames": "free", "shandong": "must_match", "lianzhong": "free"},
    "tribute_refusable": {"chinagames": True, "shandong": False, "lianzhong": False},
    "sweep_tribute": {"chinagames": "match_ends", "shandong": "by_place", "lianzhong": "redeal"},
    "swap_places": {"qingdao": True, "chinagames": False, "shandong": False, "lianzhong": False},
    "waiver_shows": {"qingdao": False, "chinagames": False, "shandong": False, "lianzhong": False},
}

# "Option" in the table: off in the preset, and what switching it on makes of the preset's column.
SWITCHED_ON: list[tuple[str, dict[str, object], dict[str, object]]] = [
    ("qingdao", {"hold_three": True}, {"stifle": "tribute", "report": "none"}),
    (
        "hokkaido",
        {"hold_three": True},
        {"stifle": "tribute", "buy_from": "S0", "buy_none": "may", "report": "none", "revolution": "hold_three_only"},
    ),
    ("hokkaido", {"opening": True}, {"open_excludes": "big_joker", "open_deadline": "strict"}),
    (
        "hokkaido",
        {"opening": True, "calls": "both", "tribute": ("point",)},
        {"point_table": "S0", "revolution_opens": "three"},
    ),
    ("hokkaido", {"tribute": ("loser",)}, {"return": "may_refuse", "tribute_refusable": False}),
    (
        "qingdao",
        {"tribute": ("loser",)},
        {"return": "may_refuse", "tribute_refusable": False, "sweep_tribute": "redeal"},
    ),
    (
        "chinagames",
        {"hold_three": True},
        {
            "stifle": "tribute",
            "buy_from": "S1",
            "buy_none": "auto",
            "report": "none",
            "tribute": ("stifle", "burn", "point", "loser"),
        },
    ),
    (
        "shandong",
        {"hold_three": True},
        {"stifle": "tribute", "buy_from": "S1", "buy_none": "auto", "tribute": ("stifle", "burn", "point", "loser")},
    ),
    (
        "hokkaido",
        {"teams": "federation", "points": (4, 2, 0, 0, -2, -4), "record": "positive_only"},
        {"sweep_doubles": True, "peek": "full"},
    ),
]


@pytest.mark.parametrize("option", ROWS)
def test_the_row_of_every_option(option: str) -> None:
    """Every preset has the value that its column of the table gives."""
    assert tuple(gr.preset(name).option(option) for name in ORDER) == ROWS[option]


@pytest.mark.parametrize("option", WHERE_ON)
def test_the_rows_that_depend_on_another(option: str) -> None:
    """Presets with opening, hold-three or tribute have the values that their columns give to these options."""
    assert {name: gr.preset(name).option(option) for name in WHERE_ON[option]} == WHERE_ON[option]


@pytest.mark.parametrize(("name", "overrides", "wanted"), SWITCHED_ON)
def test_what_switching_an_option_on_brings(name: str, overrides: dict[str, object], wanted: dict[str, object]) -> None:
    """An option of the table, switched on, comes with the values that the column names beside it."""
    made = gr.preset(name).replace(**overrides)
    assert {option: made.option(option) for option in wanted} == wanted


def test_every_option_is_in_a_row() -> None:
    """No option of a rule set is left out of the rows above."""
    every = {("return" if name == "return_" else name) for name in gr.RuleSet.__dataclass_fields__} - {"name"}
    assert every == set(ROWS) | set(WHERE_ON) | {"buy_with"}
