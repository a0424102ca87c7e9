"""Rules and plays as they are typed on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import gouji_rules as gr
from gouji_cli.terminal import fail, speaks_chinese
from gouji_rules.option_values import rules_from_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")


def understand(read: Callable[[], T]) -> T:
    """Return what `read` makes, or end with the error that it names and exit status 2."""
    try:
        return read()
    except (gr.RuleSetError, gr.NotationError, gr.RuleViolation) as error:
        rule = f" ({error.rule})" if isinstance(error, gr.RuleViolation) else ""
        fail((error.text_zh if speaks_chinese() else error.text_en) + rule)


def rule_set(preset: str, settings: Sequence[str]) -> gr.RuleSet:
    """Make a rule set from a preset's name and `option=value` texts. Raises RuleSetError."""
    return rules_from_settings(preset, [_setting(setting) for setting in settings])


def _setting(setting: str) -> tuple[str, str]:
    option, equals, text = setting.partition("=")
    if not equals:
        raise gr.RuleSetError((option,), f"{setting!r} is not option=value", f"{setting!r} 应写作 选项=值")
    return option, text
