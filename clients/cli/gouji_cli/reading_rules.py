"""Rules and plays as they are typed on the command line."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar

import gouji_rules as gr
from gouji_cli.terminal import fail, speaks_chinese
from gouji_rules.option_values import rules_from_settings
from gouji_rules.rule_set import OPTION_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

T = TypeVar("T")


def understand(read: Callable[[], T]) -> T:
    """Return what `read` makes, or end with the error that it names and exit status 2."""
    try:
        return read()
    except (gr.RuleSetError, gr.NotationError, gr.RuleViolation) as error:
        rule = f" ({error.rule})" if isinstance(error, gr.RuleViolation) else ""
        fail((error.text_zh if speaks_chinese() else error.text_en) + rule)


def rule_set(preset: str, settings: Sequence[str]) -> gr.RuleSet:
    """Make a rule set from a preset's name and `option=value` texts.

    Raises RuleSetError; for a name that there is not, it says which are near and where all are listed.
    """
    if preset not in gr.PRESETS:
        near_en, near_zh = _near(preset, gr.PRESETS)
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
    return option, text


def _near(name: str, names: Iterable[str]) -> tuple[str, str]:
    """Return the question whether a name like this one was meant, in English and Chinese; empty where there is none."""
    # Words of a name may stand in another order, be joined by other signs, or be some of them.
    flat = name.lower().replace("-", "_")
    found = get_close_matches(flat, names := tuple(names), n=3, cutoff=0.6)
    found += [other for other in names if flat and len(flat) > 2 and flat in other and other not in found]
    if not found:
        return "", ""
    return f"did you mean {' or '.join(found[:3])}? ", f"是否指 {'、'.join(found[:3])}？"
