"""The rules that a table was asked for by, and those that a table of the lobby has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_cli.terminal import by_locale, own_command
from gouji_rules.option_values import difference, rules_from_settings, settings_of
from gouji_rules.rule_set import format_option

if TYPE_CHECKING:
    from gouji.lobby.v1 import lobby_pb2


class OtherRules(Exception):
    """A table has other rules than those asked for; the text says which."""


@dataclass(frozen=True, slots=True)
class AskedRules:
    """What was asked of a table: its rules and its number of deals, None for what nobody asked."""

    rules: gr.RuleSet | None = None
    deals: int | None = None

    def differences(self, table: lobby_pb2.Table) -> list[str]:
        """Return in what a table differs from what was asked, in words; nothing where it does not."""
        found = [] if self.rules is None else _differences(self.rules, table)
        if self.deals is not None and table.deals != self.deals:
            there = deals_text(table.deals)
            found.append(by_locale(f"it has {there}, not {self.deals}", f"该桌打 {there}，不是 {self.deals} 盘"))
        return found

    def met_by(self, table: lobby_pb2.Table) -> bool:
        """Whether a table is as was asked."""
        return not self.differences(table)

    def insist(self, table: lobby_pb2.Table) -> None:
        """Raise `OtherRules` for a table that is not as was asked."""
        if found := self.differences(table):
            said = by_locale("; ", "；").join(found)
            raise OtherRules(
                by_locale(
                    f"{table.name} is not played as asked: {said}; leave these options out to join it all the same",
                    f"{table.name} 的规则与所要求的不同：{said}；去掉这些选项即可照样加入",
                )
            )


def _differences(asked: gr.RuleSet, table: lobby_pb2.Table) -> list[str]:
    try:
        there = rules_of(table)
    except gr.RuleSetError as error:
        # A newer server may have rules that this program does not know: they are none that can have been asked for.
        unknown = by_locale(error.text_en, error.text_zh)
        return [by_locale(f"its rules are not known here: {unknown}", f"本程序不认识该桌的规则：{unknown}")]
    # The number of deals of a table is compared by itself: it may be another than its rules say.
    found = [
        (name, format_option(wanted) or "-", format_option(given) or "-")
        for name, wanted, given in difference(asked, there)
        if name != "deals"
    ]
    if found and asked.name != there.name:
        one, other = spelled(asked), spelled(there)
        diff = f"{own_command()} rules diff {one} {other}"
        return [
            by_locale(
                f"its rules are {other}, not {one} (`{diff}` tells the difference)",
                f"该桌用 {other} 规则，不是 {one}（差别见 `{diff}`）",
            )
        ]
    return [
        by_locale(f"{name} is {given}, not {wanted}", f"{name} 为 {given}，不是 {wanted}")
        for name, wanted, given in found
    ]


def rules_of(table: lobby_pb2.Table) -> gr.RuleSet:
    """Return the rules of a table. Raises RuleSetError for rules that are not known here."""
    settings = [(option.field, option.value) for option in table.options]
    return rules_from_settings(table.rule_set.removeprefix("ruleSets/"), settings)


def spelled(rules: gr.RuleSet) -> str:
    """Return a rule set as `gouji rules diff` takes it: `qingdao,show=ask`."""
    return ",".join((rules.name, *(f"{name}={value}" for name, value in settings_of(rules))))


def deals_text(deals: int) -> str:
    """Return a number of deals in words."""
    return by_locale("1 deal" if deals == 1 else f"{deals} deals", f"{deals} 盘")


def told(table: lobby_pb2.Table) -> str:
    """Return a table's rules and number of deals in words: `qingdao, show=ask, 3 deals`."""
    changed = [f"{option.field}={option.value}" for option in table.options if option.field != "deals"]
    parts = [table.rule_set.removeprefix("ruleSets/"), *changed, deals_text(table.deals)]
    return by_locale(", ", "，").join(parts)
