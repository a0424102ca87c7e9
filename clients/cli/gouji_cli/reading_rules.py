"""Rules and plays as they are typed on the command line."""

from __future__ import annotations

import unicodedata
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar

import gouji_rules as gr
from gouji_cli.terminal import fail, speaks_chinese
from gouji_rules.cards import pack_counts
from gouji_rules.errors import PlayError
from gouji_rules.option_texts import PRESET_TEXTS, TEXT_OF, OptionType
from gouji_rules.option_values import rules_from_settings
from gouji_rules.plays import counts_of_play
from gouji_rules.rule_set import OPTION_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

T = TypeVar("T")

_JOKERS = "王鬼虎花🃏"
_SUITS = "♠♥♦♣♤♡♢♧红紅黑方梅草桃片块心"
_SWITCH_WORDS = {"yes": "true", "on": "true", "no": "false", "off": "false", "true": "true", "false": "false"}
_SIGNS = ",、;/+-."


def understand(read: Callable[[], T]) -> T:
    """Return what `read` makes, or end with the error that it names and exit status 2."""
    try:
        return read()
    except (gr.RuleSetError, gr.NotationError, gr.RuleViolation) as error:
        rule = f" ({error.rule})" if isinstance(error, gr.RuleViolation) else ""
        fail((error.text_zh if speaks_chinese() else error.text_en) + rule)


def read_play(text: str, rules: gr.RuleSet) -> gr.Play:
    """Read a play, full-width digits and letters too. Raises NotationError, and PlayError for what is no play.

    More cards of a rank than the pack of the rule set has are no play of it (R1).
    """
    try:
        play = gr.parse_play(unicodedata.normalize("NFKC", text))
    except gr.NotationError as error:
        raise _helped(error) from None
    for rank, (held, packed) in enumerate(zip(counts_of_play(play), pack_counts(rules), strict=True)):
        if held > packed:
            name = gr.RANKS[rank]
            raise PlayError(
                "R1",
                "NOT_A_PLAY",
                f"{gr.format_play(play)} has {held} × {name}: the pack of {rules.name} has {packed}",
                f"{gr.format_play(play)} 有 {held} 张 {name}：{rules.name} 的整副牌里只有 {packed} 张",
            )
    return play


def _helped(error: gr.NotationError) -> gr.NotationError:
    """Return the error with what is written instead, where one can tell what was meant."""
    hints = {
        _JOKERS: (
            "write b or 大王 for the big joker, s or 小王 for the small one",
            "大王写作 b 或 大王，小王写作 s 或 小王",
        ),
        _SUITS: ("leave out the suits: no play depends on them", "花色不用写：出牌不看花色"),
        _SIGNS: ("write the cards one after the other, with spaces at most", "牌连着写，中间最多用空格"),
    }
    for pieces, (hint_en, hint_zh) in hints.items():
        if error.piece in pieces:
            text_en, text_zh = f"{error.text_en}; {hint_en}", f"{error.text_zh}；{hint_zh}"
            return gr.NotationError(error.text, error.position, error.piece, text_en, text_zh)
    return error


def rule_set(preset: str, settings: Sequence[str]) -> gr.RuleSet:
    """Make a rule set from a preset's name and `option=value` texts.

    Raises RuleSetError; for a name that there is not, it says which are near and where all are listed.
    """
    name, comma, _ = preset.partition(",")
    if comma and name.strip() in gr.PRESETS:
        change = preset[len(name) + 1 :].strip()
        raise gr.RuleSetError(
            ("rules",),
            f"{preset} names a preset and a change: write {name.strip()} --set {change or 'OPTION=VALUE'}",
            f"{preset} 既有规则名又有改动：请写 {name.strip()} --set {change or '选项=值'}",
        )
    if preset not in gr.PRESETS:
        near_en, near_zh = _near(preset, (*_titled(preset), *gr.PRESETS))
        names = tuple(gr.PRESETS)
        raise gr.RuleSetError(
            ("rules",),
            f"there is no preset {preset}: {near_en}use {', '.join(names)}",
            f"没有 {preset} 规则：{near_zh}请用 {'、'.join(names)}",
        )
    return rules_from_settings(preset, [_setting(setting, preset) for setting in settings])


def _setting(setting: str, preset: str) -> tuple[str, str]:
    option, equals, text = (part.strip() for part in setting.partition("="))
    if not equals:
        raise gr.RuleSetError((option,), f"{setting!r} is not option=value", f"{setting!r} 应写作 选项=值")
    if option not in OPTION_NAMES:
        near_en, near_zh = _near(option, OPTION_NAMES)
        raise gr.RuleSetError(
            (option,),
            f"there is no option {option}: {near_en}`gouji rules show {preset}` lists them",
            f"没有选项 {option}：{near_zh}`gouji rules show {preset}` 列出所有选项",
        )
    if TEXT_OF[option].type is OptionType.BOOL:
        text = _SWITCH_WORDS.get(text.lower(), text)
    return option, text


def _titled(name: str) -> list[str]:
    """Return the presets that are called so in Chinese or English."""
    titles = ((preset, PRESET_TEXTS[preset].title) for preset in gr.PRESETS if preset in PRESET_TEXTS)
    flat = name.strip().lower()
    return [preset for preset, title in titles if flat and (flat in title.zh or flat in title.en.lower())]


def _near(name: str, names: Iterable[str]) -> tuple[str, str]:
    """Return the question whether a name like this one was meant, in English and Chinese; empty where there is none."""
    # Words of a name may stand in another order, be joined by other signs, or be some of them.
    flat = name.lower().replace("-", "_")
    # A name that stands twice was found by its title, and is meant before all that are only spelled alike.
    names = tuple(names)
    found = [other for other in dict.fromkeys(names) if names.count(other) > 1]
    found += [other for other in get_close_matches(flat, names, n=3, cutoff=0.6) if other not in found]
    found += [other for other in names if flat and len(flat) > 2 and flat in other and other not in found]
    if not found:
        return "", ""
    return f"did you mean {' or '.join(found[:3])}? ", f"是否指 {'、'.join(found[:3])}？"
