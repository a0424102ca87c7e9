"""The rule sets that tables can be made with, and what people are told of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from gouji_rules.rule_set import OPTION_NAMES, format_option
from gouji_server.tables.carried import carried_presets

if TYPE_CHECKING:
    from gouji_rules import RuleSet

PREFIX = "ruleSets/"


@dataclass(frozen=True, slots=True)
class RuleSetInfo:
    """A rule set: resource name, title and description in English and Chinese, options with their values as text."""

    name: str
    title_en: str
    title_zh: str
    description_en: str
    description_zh: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Texts:
    title_en: str
    title_zh: str
    description_en: str
    description_zh: str


_TEXTS = {
    "qingdao": _Texts(
        "Qingdao",
        "青岛够级",
        "Two sides of three. Burning is strict: what is left after a burn must let every play but the last hold a "
        "joker. A seat without 2s and jokers may revolt. Places score 4/2/0/0/-2/-4, a side below zero gets zero, and "
        "taking the first three places doubles. No opening, no holding of threes, no tribute.",
        "三人一方，两方对抗。烧牌从严：烧后余牌除最后一手外每手须带花。无 2 无花者可革命。"
        "名次记分 4/2/0/0/-2/-4，负分记零，串三户加倍。不开点、不憋三、不进贡。",
    ),
}


@cache
def rule_sets() -> tuple[RuleSetInfo, ...]:
    """Return the rule sets that tables can play, in the order of docs/rules.md §12."""
    return tuple(_info(rules.name, rules) for rules in carried_presets())


def _info(name: str, rules: RuleSet) -> RuleSetInfo:
    texts = _TEXTS[name]
    return RuleSetInfo(
        PREFIX + name,
        texts.title_en,
        texts.title_zh,
        texts.description_en,
        texts.description_zh,
        tuple((option, format_option(rules.option(option))) for option in OPTION_NAMES),
    )
