"""Rule sets: one frozen value with a field for every option of docs/rules.md §12.

``preset("qingdao").replace(gouji_twos=2)`` makes another, checked one. Switching an option on brings the defaults of
its companions.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias

from gouji_rules.contradictions import contradictions
from gouji_rules.errors import shortened, shown
from gouji_rules.presets import COLUMNS, TRIBUTE_KINDS, companions

if TYPE_CHECKING:
    from collections.abc import Mapping

OptionValue: TypeAlias = bool | int | str | tuple[int, ...] | tuple[str, ...]


class RuleSetError(ValueError):
    """No preset, no option or no value of one, or a set that contradicts itself. ``fields`` names the options."""

    def __init__(self, fields: tuple[str, ...], text_en: str, text_zh: str) -> None:
        super().__init__(text_en)
        self.fields = fields
        self.text_en = text_en
        self.text_zh = text_zh


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """The options of docs/rules.md §12, defaults as in the preset qingdao (S1q).

    ``name`` is the preset it was made from. ``return_`` is the option ``return`` (a word of the language). ``deals`` 0
    means as many as the table says. ``removed`` are cards in R-notation. ``burn_points`` are what a burn that succeeds
    is worth to the burner and to the burned (R35), ``fault_points`` what it is worth not to have opened, and to have
    been stifled (R64).
    """

    name: str
    decks: int = 4
    removed: str = ""
    direction: str = "ccw"
    teams: str = "federation"
    seating: str = "free"
    show: str = "auto"
    mixed_jokers: str = "by_card"
    gouji_twos: int = 1
    joker_kill: str = "off"
    kill_anyone: bool = False
    burn: str = "strict"
    burn_points: tuple[int, ...] = (0, 0)
    burn_after_pass: bool = False
    counter_burn_doubles: bool = False
    pass_after_last: str = "closed"  # noqa: S105
    dead_gouji: str = "any_last"
    melee_at: str = "after_second"
    opening: bool = False
    open_excludes: str = "big_joker"
    open_deadline: str = "melee"
    open_leads_four: bool = False
    calls: str = "none"
    double_backfire: bool = False
    point_table: str = "S1"
    point_returned: bool = False
    revolution: str = "may"
    revolution_by: str = "dealt"
    revolution_opens: str = "at_once"
    hold_three: bool = False
    stifle: str = "off"
    buy_from: str = "off"
    buy_with: str = "off"
    buy_none: str = "off"
    points: tuple[int, ...] = (4, 2, 0, 0, -2, -4)
    record: str = "positive_only"
    sweep_doubles: bool = True
    fault_points: int = 0
    tie_by_lot: bool = False
    gap_doubles: bool = False
    slam: bool = False
    tribute: tuple[str, ...] = ()
    return_: str = "may_refuse"
    tribute_refusable: bool = False
    sweep_tribute: str = "redeal"
    swap_places: bool = True
    waiver_shows: bool = False
    report: str = "shown"
    peek: str = "full"
    feel_chances: int = 0
    deals: int = 0

    def replace(self, /, **overrides: Any) -> RuleSet:
        """A copy with some options changed, checked.

        Switching on ``hold_three``, ``opening``, another ``stifle`` or the other kind of ``teams`` brings what the
        preset's column has for their companions, as far as the overrides do not name or rule them out. Raises
        :class:`RuleSetError` for an unknown option, a value that an option does not have, or a contradiction.
        """
        changes: dict[str, Any] = {}
        for option, value in overrides.items():
            name = _FIELD_OF.get(option, option)
            if name == "name" or name not in _OPTIONS:
                said = shortened(option)
                raise RuleSetError((option,), f"there is no option {said}", f"没有选项 {said}")
            changes[name] = _checked(name, value)
        made = dataclasses.replace(self, **{**_brought(self, changes), **changes})
        made.check()
        return made

    def check(self) -> None:
        """Raise :class:`RuleSetError` if the set contradicts itself."""
        for option in OPTION_NAMES:
            value = self.option(option)
            _checked(_FIELD_OF.get(option, option), value)
        for fields, text_en, text_zh in contradictions(self):
            raise RuleSetError(fields, text_en, text_zh)

    def option(self, option: str) -> OptionValue:
        """The value of an option by its name in docs/rules.md."""
        value: OptionValue = getattr(self, _FIELD_OF.get(option, option))
        return value

    def overrides(self) -> dict[str, OptionValue]:
        """What :meth:`replace` needs to make this set from its preset, in the order of :data:`OPTION_NAMES`.

        The options in which they differ, and those of the preset's that a companion would change.
        """
        base = preset(self.name)
        differing = {name for name in _OPTIONS if getattr(self, name) != getattr(base, name)}
        brought = _brought(base, {name: getattr(self, name) for name in differing}) if differing else {}
        differing |= {name for name, value in brought.items() if getattr(self, name) != value}
        return {name: self.option(name) for name in OPTION_NAMES if _FIELD_OF.get(name, name) in differing}


def _brought(base: RuleSet, changes: dict[str, Any]) -> dict[str, Any]:
    """What changes of a rule set bring with them, by field."""
    switched_on = {name for name in ("hold_three", "opening") if changes.get(name) and not getattr(base, name)}
    if changes.get("stifle", base.stifle) != base.stifle:
        switched_on.add("stifle")
    if changes.get("teams", base.teams) != base.teams:
        switched_on.add(changes["teams"])
    if not switched_on:
        return {}
    return companions(base.name, switched_on, {name: getattr(base, name) for name in _OPTIONS}, changes)


_BOOL: tuple[OptionValue, ...] = (False, True)

# Every value that docs/rules.md gives an option; None where it is a number or a list, checked by _number.
_OPTIONS: dict[str, tuple[OptionValue, ...] | None] = {
    "decks": (4, 6),
    "removed": None,
    "direction": ("ccw", "cw"),
    "teams": ("federation", "individual"),
    "seating": ("free", "choose_opposite", "draw"),
    "show": ("auto", "ask"),
    "mixed_jokers": ("by_card", "as_small"),
    "gouji_twos": (1, 2),
    "joker_kill": ("off", "two_big", "full"),
    "kill_anyone": _BOOL,
    "burn": ("strict", "bluff", "off"),
    "burn_points": None,
    "burn_after_pass": _BOOL,
    "counter_burn_doubles": _BOOL,
    "pass_after_last": ("closed", "open"),
    "dead_gouji": ("any_last", "gouji_last", "none"),
    "melee_at": ("after_second", "active_four", "at_once"),
    "opening": _BOOL,
    "open_excludes": ("big_joker", "jokers", "jokers_and_singles", "jokers_and_twos"),
    "open_deadline": ("strict", "melee"),
    "open_leads_four": _BOOL,
    "calls": ("none", "open", "both"),
    "double_backfire": _BOOL,
    "point_table": ("S0", "S1", "S2", "S3"),
    "point_returned": _BOOL,
    "revolution": ("off", "may", "hold_three_only"),
    "revolution_by": ("dealt", "held"),
    "revolution_opens": ("at_once", "three"),
    "hold_three": _BOOL,
    "stifle": ("off", "tribute", "last_place"),
    "buy_from": ("off", "S0", "S1", "S3", "S4"),
    "buy_with": ("off", "S0", "S1", "S3", "S4"),
    "buy_none": ("off", "auto", "may"),
    "points": None,
    "record": ("positive_only", "signed"),
    "sweep_doubles": _BOOL,
    "fault_points": None,
    "tie_by_lot": _BOOL,
    "gap_doubles": _BOOL,
    "slam": _BOOL,
    "tribute": None,
    "return_": ("free", "may_refuse", "must_match"),
    "tribute_refusable": _BOOL,
    "sweep_tribute": ("match_ends", "redeal", "opposites", "by_place"),
    "swap_places": _BOOL,
    "waiver_shows": _BOOL,
    "report": ("shown", "asked", "none"),
    "peek": ("full", "ten", "none"),
    "feel_chances": (0, 3),
    "deals": None,
}

MOST_DEALS = 100
"""Deals of a match, by its rules or its table."""
_WHOLE = ("a whole number from -1000 to 1000", " -1000 到 1000 的整数")

_NAME_OF = {"return_": "return"}
_FIELD_OF = {"return": "return_"}

OPTION_NAMES: tuple[str, ...] = tuple(_NAME_OF.get(name, name) for name in _OPTIONS)
"""Every option by its name in docs/rules.md, in the order of its §12."""


def _checked(field: str, value: Any) -> OptionValue:
    """The value, lists made tuples, if the option has it."""
    name = _NAME_OF.get(field, field)
    values = _OPTIONS[field]
    if isinstance(value, list):
        value = tuple(value)
    if values is not None:
        for allowed in values:
            if value == allowed and type(value) is type(allowed):
                return allowed
        said = [format_option(allowed) for allowed in values]
        text_zh = f"{name} 只能是 {'、'.join(said)}，不能是{_shown(value)}"
        raise RuleSetError((name,), f"{name} is one of {', '.join(said)}, not {_shown(value)}", text_zh)
    if _well_formed(field, value):
        checked: OptionValue = value
        return checked
    text_en, text_zh = _shape(field)
    raise RuleSetError(
        (name,), f"{name} is {text_en}, not {_shown(value)}", f"{name} 须为{text_zh}，不能是{_shown(value)}"
    )


def _shown(value: Any) -> str:
    """A value that an option does not have, as people write it: texts in quotes, lists with strokes."""
    try:
        return shown(value) if isinstance(value, str) else shortened(format_option(value))
    except ValueError:  # a number of thousands of digits
        return shown(value)


def _shape(field: str) -> tuple[str, str]:
    """What the value of an option without a list of values looks like, in both languages."""
    if field == "points":
        return (
            "six whole numbers from -1000 to 1000, such as 4/2/0/0/-2/-4",
            "六个绝对值不过 1000 的整数，如 4/2/0/0/-2/-4",
        )
    if field == "burn_points":
        return "two whole numbers from -1000 to 1000, such as 1/-1", "两个绝对值不过 1000 的整数，如 1/-1"
    if field == "tribute":
        kinds = "/".join(TRIBUTE_KINDS)
        return f"none, or some of {kinds} in this order", f" none，或依次取自 {kinds}"
    if field == "removed":
        return "cards such as 345", "牌，如 345"
    if field == "deals":
        return f"a whole number from 0 to {MOST_DEALS}", f" 0 到 {MOST_DEALS} 的整数"
    return _WHOLE


def _well_formed(field: str, value: Any) -> bool:
    """Whether the value of an option without a list of values has the right shape."""
    if field in ("points", "burn_points"):
        wanted = 6 if field == "points" else 2
        numbers = isinstance(value, tuple) and all(type(v) is int and abs(v) <= 1000 for v in value)
        return numbers and len(value) == wanted
    if field == "tribute":
        return isinstance(value, tuple) and value == tuple(kind for kind in TRIBUTE_KINDS if kind in value)
    if field == "removed":
        return isinstance(value, str)
    return type(value) is int and (0 <= value <= MOST_DEALS if field == "deals" else abs(value) <= 1000)


def format_option(value: OptionValue | list[int] | list[str]) -> str:
    """An option's value as text: ``true``, ``4``, ``any_last``, ``4/2/0/0/-2/-4``; an empty list is ``none``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return "/".join(str(part) for part in value) or "none"
    return str(value)


def _built(name: str, column: Mapping[str, Any]) -> RuleSet:
    """The preset of a column, checked like a table's options. Raises :class:`RuleSetError`, which names the preset."""
    try:
        values: dict[str, Any] = {}
        for option, value in column.items():
            field = _FIELD_OF.get(option, option)
            if field not in _OPTIONS:
                raise RuleSetError((option,), f"there is no option {option}", f"没有选项 {option}")
            values[field] = _checked(field, value)
        made = RuleSet(name=name, **values)
        made.check()
    except RuleSetError as error:
        text_en = f"preset {name} ({', '.join(error.fields)}): {error.text_en}"
        text_zh = f"{name} 规则（{'、'.join(error.fields)}）：{error.text_zh}"
        raise RuleSetError(error.fields, text_en, text_zh) from None
    return made


PRESETS: dict[str, RuleSet] = {name: _built(name, column) for name, column in COLUMNS.items()}
"""The presets by name, in the order of docs/rules.md §12."""

QINGDAO = PRESETS["qingdao"]

PRESET_NAMES = tuple(PRESETS)


def preset(name: str) -> RuleSet:
    """A preset by name. Raises :class:`RuleSetError` for an unknown one."""
    found = PRESETS.get(name)
    if found is not None:
        return found
    near = get_close_matches(shortened(name), PRESETS, n=1)
    raise RuleSetError(
        ("rules",),
        f"there is no preset {shortened(name)}: use {', '.join(PRESETS)}" + (f"; perhaps {near[0]}?" if near else ""),
        f"没有 {shortened(name)} 规则：请用 {'、'.join(PRESETS)}" + (f"；是否指 {near[0]}？" if near else ""),
    )
