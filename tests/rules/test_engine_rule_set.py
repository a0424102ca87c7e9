"""Rule sets: presets, checked overrides, and what is refused with its fields named."""

from __future__ import annotations

import pytest

import gouji_rules as gr
from gouji_rules.rule_set import OPTION_NAMES, PRESET_NAMES, format_option

QINGDAO = gr.preset("qingdao")


def test_qingdao_is_the_column_of_the_rules() -> None:
    """The preset has the values of its column in docs/rules.md section 12."""
    wanted = {
        "decks": 4,
        "direction": "ccw",
        "teams": "federation",
        "seating": "free",
        "mixed_jokers": "by_card",
        "joker_kill": "off",
        "burn": "strict",
        "pass_after_last": "closed",
        "dead_gouji": "any_last",
        "melee_at": "after_second",
        "opening": False,
        "calls": "none",
        "revolution": "may",
        "hold_three": False,
        "points": (4, 2, 0, 0, -2, -4),
        "record": "positive_only",
        "sweep_doubles": True,
        "gap_doubles": False,
        "slam": False,
        "tribute": (),
        "return": "may_refuse",
        "tribute_refusable": False,
        "sweep_tribute": "redeal",
        "report": "shown",
        "peek": "full",
        "feel_chances": 0,
        "deals": 0,
    }
    assert {option: QINGDAO.option(option) for option in wanted} == wanted
    QINGDAO.check()


def test_an_unknown_preset_is_refused() -> None:
    """A preset that the rules do not have is refused, with those there are."""
    with pytest.raises(gr.RuleSetError, match="there is no preset tsingtao: use qingdao") as caught:
        gr.preset("tsingtao")
    assert caught.value.fields == ("rules",)


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_every_preset_is_sound(name: str) -> None:
    """Every preset passes its own check, is named as asked for and has no overrides."""
    rules = gr.preset(name)
    rules.check()
    assert rules.name == name
    assert rules.overrides() == {}


COLUMNS = ("qingdao", "hokkaido", "chinagames", "shandong", "lianzhong", "competition")

# docs/rules.md §12, row by row.
TABLE: dict[str, tuple[object, ...]] = {
    "direction": ("ccw", "ccw", "ccw", "ccw", "cw", "ccw"),
    "teams": ("federation", "individual", "federation", "federation", "federation", "federation"),
    "seating": ("free", "free", "free", "free", "free", "draw"),
    "mixed_jokers": ("by_card", "by_card", "as_small", "by_card", "by_card", "by_card"),
    "joker_kill": ("off", "off", "off", "off", "off", "two_big"),
    "kill_anyone": (False, False, False, False, False, True),
    "burn": ("strict", "strict", "bluff", "bluff", "strict", "bluff"),
    "burn_points": ((0, 0), (1, -1), (0, 0), (0, 0), (0, 0), (0, -2)),
    "burn_after_pass": (False,) * 6,
    "counter_burn_doubles": (False, False, False, True, False, False),
    "pass_after_last": ("closed", "closed", "open", "closed", "open", "open"),
    "dead_gouji": ("any_last", "any_last", "gouji_last", "any_last", "none", "none"),
    "melee_at": ("after_second", "after_second", "active_four", "after_second", "at_once", "active_four"),
    "opening": (False, False, True, True, True, True),
    "open_excludes": (*("big_joker",) * 5, "jokers_and_twos"),
    "open_leads_four": (False, False, False, False, False, True),
    "calls": ("none", "none", "both", "open", "none", "none"),
    "revolution": ("may", "may", "may", "may", "hold_three_only", "may"),
    "revolution_opens": ("at_once", "three", "at_once", "at_once", "at_once", "at_once"),
    "hold_three": (False, False, False, False, True, True),
    "stifle": ("off", "off", "off", "off", "tribute", "last_place"),
    "buy_from": ("off", "off", "off", "off", "S3", "S4"),
    "buy_none": ("off", "off", "off", "off", "may", "may"),
    "points": (
        (4, 2, 0, 0, -2, -4),
        (2, 1, 0, 0, -1, -2),
        (2, 1, 0, 0, -1, -2),
        (2, 1, 0, 0, -1, -2),
        (2, 1, 0, 0, -1, -2),
        (7, 5, 4, 3, 2, 1),
    ),
    "record": ("positive_only", *("signed",) * 5),
    "sweep_doubles": (True, False, True, True, True, False),
    "gap_doubles": (False,) * 6,
    "slam": (False,) * 6,
    "tribute": (
        (),
        (),
        ("burn", "point", "loser"),
        ("burn", "point", "loser"),
        ("stifle", "burn", "point", "loser"),
        (),
    ),
    "return": ("may_refuse", "may_refuse", "free", "must_match", "free", "may_refuse"),
    "tribute_refusable": (False, False, True, False, False, False),
    "sweep_tribute": ("redeal", "redeal", "match_ends", "by_place", "redeal", "redeal"),
    "report": ("shown", "asked", "asked", "shown", "none", "none"),
    "peek": ("full", "none", "none", "ten", "none", "none"),
    "feel_chances": (0,) * 6,
    "deals": (0, 0, 5, 0, 0, 3),
}


@pytest.mark.parametrize("option", TABLE)
def test_presets_are_the_columns_of_the_rules(option: str) -> None:
    """Every option has in every preset the value of the table in docs/rules.md section 12."""
    assert tuple(gr.preset(name).option(option) for name in COLUMNS) == TABLE[option]


@pytest.mark.parametrize(
    ("name", "overrides", "brought"),
    [
        ("hokkaido", {"hold_three": True}, {"stifle": "tribute", "buy_from": "S0", "buy_none": "may"}),
        ("hokkaido", {"hold_three": True}, {"revolution": "hold_three_only", "report": "none"}),
        ("hokkaido", {"hold_three": True}, {"tribute": ("stifle",)}),
        ("hokkaido", {"opening": True}, {"open_deadline": "strict", "tribute": ("point",)}),
        ("chinagames", {"hold_three": True}, {"buy_from": "S1", "buy_none": "auto", "report": "none"}),
        ("chinagames", {"hold_three": True}, {"tribute": ("stifle", "burn", "point", "loser")}),
        ("chinagames", {"hold_three": True, "stifle": "last_place"}, {"stifle": "last_place", "buy_with": "S1"}),
        ("qingdao", {"teams": "individual"}, {"record": "signed", "sweep_doubles": False, "peek": "none"}),
        ("hokkaido", {"teams": "federation"}, {"points": (4, 2, 0, 0, -2, -4), "record": "positive_only"}),
    ],
)
def test_switching_on_brings_companions(name: str, overrides: dict[str, object], brought: dict[str, object]) -> None:
    """Switching an option on brings its companions' defaults, and the overrides listed make the same set again."""
    made = gr.preset(name).replace(**overrides)
    assert {option: made.option(option) for option in brought} == brought
    assert gr.preset(name).replace(**made.overrides()) == made


def test_overrides_keep_what_a_companion_would_change() -> None:
    """Hold-three without stifling is listed with it, so that it is not brought when the set is made again."""
    made = gr.preset("chinagames").replace(hold_three=True, stifle="off", tribute=("burn", "point", "loser"))
    assert made.overrides()["stifle"] == "off"
    assert gr.preset("chinagames").replace(**made.overrides()) == made


@pytest.mark.parametrize(
    ("overrides", "fields"),
    [
        ({"burnn": "strict"}, ("burnn",)),
        ({"name": "mine"}, ("name",)),
        ({"burn": "maybe"}, ("burn",)),
        ({"gouji_twos": True}, ("gouji_twos",)),
        ({"points": (1, 2, 3)}, ("points",)),
        ({"points": (1, 2, 3, 4, 5, "6")}, ("points",)),
        ({"deals": -1}, ("deals",)),
        ({"tribute": ("luck",)}, ("tribute",)),
        ({"calls": "both"}, ("calls", "opening")),
        ({"stifle": "tribute"}, ("stifle", "hold_three")),
        ({"buy_none": "may"}, ("buy_none", "hold_three")),
        ({"kill_anyone": True}, ("kill_anyone", "joker_kill")),
        ({"revolution": "hold_three_only"}, ("revolution", "hold_three")),
        ({"burn": "off", "burn_points": (1, -1)}, ("burn", "burn_points")),
        ({"double_backfire": True}, ("double_backfire", "calls")),
        ({"open_leads_four": True}, ("open_leads_four", "opening")),
        ({"hold_three": True, "report": "shown"}, ("report", "hold_three")),
        ({"hold_three": True, "buy_with": "off", "buy_from": "S1"}, ("buy_from", "buy_with")),
        ({"hold_three": True, "buy_from": "off", "buy_with": "off", "buy_none": "may"}, ("buy_none", "buy_from")),
        ({"hold_three": True, "revolution": "off", "buy_none": "auto"}, ("buy_none", "revolution")),
        ({"tribute": ("stifle",)}, ("tribute", "stifle")),
        ({"tribute": ("loser", "burn")}, ("tribute",)),
        ({"tribute": ("point",)}, ("tribute", "opening")),
        ({"tribute": ("burn",), "burn": "off"}, ("tribute", "burn")),
        ({"gap_doubles": True}, ("gap_doubles", "teams")),
        ({"teams": "individual", "record": "positive_only"}, ("record", "teams")),
        ({"teams": "individual", "seating": "draw"}, ("seating", "teams")),
        ({"removed": "3?"}, ("removed",)),
        ({"removed": "3" * 17 + "4"}, ("removed", "decks")),
        ({"removed": "333"}, ("removed", "decks")),
        ({"removed": "".join(rank * 16 for rank in "345678TJ")}, ("removed", "decks")),
        ({"removed": "3" * 12, "hold_three": True}, ("removed", "buy_none")),
        ({"removed": "2" * 14 + "ssssbbbb33"}, ("removed", "revolution")),
    ],
)
def test_what_cannot_be_is_refused_with_its_fields(overrides: dict[str, object], fields: tuple[str, ...]) -> None:
    """Unknown, malformed, contradictory and not yet supported options are refused and named, in both languages."""
    with pytest.raises(gr.RuleSetError) as caught:
        QINGDAO.replace(**overrides)
    assert caught.value.fields == fields
    assert caught.value.text_en
    assert caught.value.text_zh


def test_overrides_are_what_differs() -> None:
    """A set knows in which options it differs from its preset; lists become tuples."""
    made = QINGDAO.replace(points=[2, 1, 0, 0, -1, -2], record="signed", deals=3)
    assert made.overrides() == {"points": (2, 1, 0, 0, -1, -2), "record": "signed", "deals": 3}
    assert QINGDAO.replace(**{"return": "may_refuse"}) == QINGDAO
    assert QINGDAO.overrides() == {}


def test_every_option_has_a_text() -> None:
    """Every option can be written for a list of rule sets."""
    assert len(OPTION_NAMES) == len(set(OPTION_NAMES)) > 40
    texts = {option: format_option(QINGDAO.option(option)) for option in OPTION_NAMES}
    assert texts["points"] == "4/2/0/0/-2/-4"
    assert texts["sweep_doubles"] == "true"
    assert texts["tribute"] == "none"


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"points": (3, 2)}, "six whole numbers from -1000 to 1000, such as 4/2/0/0/-2/-4, not 3/2"),
        ({"points": [3, "x"]}, "not 3/x"),
        ({"points": ()}, "not none"),
        ({"tribute": ["loser", "point"]}, "some of stifle/burn/point/loser in this order, not loser/point"),
        ({"burn_points": (1,)}, "such as 1/-1, not 1"),
        ({"burn": ("strict", "off")}, "strict, bluff, off, not strict/off"),
        ({"deals": -1}, "from 0 to 100, not -1"),
        ({"opening": 1}, "false, true, not 1"),
        ({"burn": "b" * 400}, "not 'bbbb"),
        ({"teams": "individual", "sweep_doubles": True, "record": "signed"}, "sweep_doubles cannot be true"),
    ],
)
def test_a_refused_value_is_shown_as_people_write_it(overrides: dict[str, object], said: str) -> None:
    """The message says what the option takes and shows the value as a rule set is written: lists with strokes and no
    brackets, true and false in small letters, and not more of it than fits in a line."""
    with pytest.raises(gr.RuleSetError) as raised:
        gr.preset("qingdao").replace(**overrides)
    assert said in raised.value.text_en
    assert said.split()[-1] in raised.value.text_zh
    assert len(raised.value.text_en) < 250
    assert not {"(", "["} & set(raised.value.text_en)
    assert "True" not in raised.value.text_en


def test_lists_and_tuples_are_written_alike() -> None:
    """A list is as good as a tuple, in an override and in its text."""
    wanted = gr.preset("qingdao").replace(points=(6, 3, 0, 0, -3, -6))
    assert gr.preset("qingdao").replace(points=[6, 3, 0, 0, -3, -6]) == wanted
    assert gr.rule_set.format_option([6, 3, 0, 0, -3, -6]) == gr.rule_set.format_option((6, 3, 0, 0, -3, -6))
