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


@pytest.mark.parametrize("name", [name for name in PRESET_NAMES if name not in gr.PRESETS])
def test_a_preset_not_built_yet_is_refused(name: str) -> None:
    """The other presets are known by name and refused clearly."""
    with pytest.raises(gr.RuleSetError, match="not supported yet") as caught:
        gr.preset(name)
    assert caught.value.fields == ("rules",)


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
        ({"hold_three": True, "buy_with": "off"}, ("buy_from", "buy_with")),
        ({"hold_three": True, "buy_from": "off", "buy_with": "off"}, ("buy_none", "buy_from")),
        ({"hold_three": True, "revolution": "off"}, ("buy_none", "revolution")),
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
