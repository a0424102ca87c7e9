"""What in a rule set contradicts itself (docs/rules.md §12): the options concerned and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from gouji_rules.cards import SEATS, TWO, parse_ranks
from gouji_rules.errors import shortened

if TYPE_CHECKING:
    from gouji_rules.rule_set import RuleSet

Contradiction: TypeAlias = tuple[tuple[str, ...], str, str]
"""The options, and the reason in English and Chinese."""

LEAST_EACH = 18
"""Cards that a seat is dealt at least: half a hand of four packs."""

THREE = 0


def contradictions(rules: RuleSet) -> list[Contradiction]:
    """Everything that contradicts itself, the plainest first; empty for a sound set."""
    return [*_three(rules), *_opening(rules), *_burning(rules), *_tribute(rules), *_teams(rules), *_cards(rules)]


def _needs(option: str, needed: str) -> Contradiction:
    return (option, needed), f"{option} needs {needed}", f"{option} 须先开 {needed}"


def _three(rules: RuleSet) -> list[Contradiction]:
    found: list[Contradiction] = []
    if not rules.hold_three:
        options = ("stifle", "buy_from", "buy_with", "buy_none")
        on = [option for option in options if rules.option(option) != "off"]
        for option in on:
            fields, text_en, text_zh = _needs(option, "hold_three")
            # All at once: one after the other they would be asked for in as many tries.
            others = [other for other in on if other != option]
            if others:
                text_en += f", and so do {', '.join(others)}: set them to off, too"
                text_zh += f"，{'、'.join(others)} 也是：请一并设为 off"
            found.append((fields, text_en, text_zh))
        if rules.revolution == "hold_three_only":
            fields = ("revolution", "hold_three")
            found.append((fields, "hold_three_only needs hold_three", "hold_three_only 须先开 hold_three"))
        return found
    if rules.report != "none":
        fields = ("report", "hold_three")
        found.append((fields, "hold_three allows no report (R47)", "hold_three（憋三）不报牌，report 只能是 none"))
    if (rules.buy_from == "off") != (rules.buy_with == "off"):
        fields = ("buy_from", "buy_with")
        found.append((fields, "buy_from and buy_with go together", "buy_from 与 buy_with 须同开同关"))
    if rules.buy_none != "off" and rules.buy_from == "off":
        found.append(_needs("buy_none", "buy_from"))
    if rules.buy_none != "off" and rules.revolution == "off":
        found.append(_needs("buy_none", "revolution"))
    return found


def _opening(rules: RuleSet) -> list[Contradiction]:
    found: list[Contradiction] = []
    if not rules.opening:
        if rules.calls != "none":
            found.append(_needs("calls", "opening"))
        if rules.open_leads_four:
            found.append(_needs("open_leads_four", "opening"))
    if rules.double_backfire and rules.calls == "none":
        found.append(_needs("double_backfire", "calls"))
    return found


def _burning(rules: RuleSet) -> list[Contradiction]:
    found: list[Contradiction] = []
    if rules.kill_anyone and rules.joker_kill == "off":
        found.append(_needs("kill_anyone", "joker_kill"))
    if rules.burn == "off":
        options = [option for option in ("burn_after_pass", "counter_burn_doubles") if rules.option(option)]
        options += ["burn_points"] if any(rules.burn_points) else []
        if options:
            fields = ("burn", *options)
            found.append((fields, f"without burn there is no {', '.join(options)}", "烧牌的选项须先开 burn"))
    return found


def _tribute(rules: RuleSet) -> list[Contradiction]:
    found: list[Contradiction] = []
    without = (
        ("stifle", "stifle", rules.stifle != "tribute"),
        ("burn", "burn", rules.burn == "off"),
        ("point", "opening", not rules.opening),
    )
    for kind, option, missing in without:
        if kind in rules.tribute and missing:
            wanted = "stifle = tribute" if kind == "stifle" else option
            fields = ("tribute", option)
            found.append((fields, f"tribute of kind {kind} needs {wanted}", f"{kind} 贡须先开 {wanted}"))
    return found


def _teams(rules: RuleSet) -> list[Contradiction]:
    found: list[Contradiction] = []
    if rules.teams == "federation":
        if rules.gap_doubles:
            fields = ("gap_doubles", "teams")
            found.append((fields, "gap_doubles needs individual play", "gap_doubles 须个人计分"))
        return found
    alone = (
        ("seating", rules.seating != "free"),
        ("record", rules.record != "signed"),
        ("sweep_doubles", rules.sweep_doubles),
        ("peek", rules.peek != "none"),
    )
    found += [
        (
            (option, "teams"),
            f"individual play has no allies: {option} cannot be {value}",
            f"个人计分没有联邦：{option} 不能是 {value}",
        )
        for option, wrong in alone
        for value in ["true" if rules.option(option) is True else rules.option(option)]
        if wrong
    ]
    return found


def _cards(rules: RuleSet) -> list[Contradiction]:
    try:
        gone = parse_ranks(rules.removed)
    except ValueError:
        said = shortened(rules.removed)
        return [(("removed",), f"removed is no list of cards: {said}", f"removed 不是牌：{said}")]
    held = [4 * rules.decks] * 13 + [rules.decks] * 2
    if any(out > have for out, have in zip(gone, held, strict=True)):
        fields = ("removed", "decks")
        return [(fields, "more cards are removed than the packs have", "去掉的牌比牌中有的还多")]
    left = sum(held) - sum(gone)
    if left % SEATS or not left:
        fields = ("removed", "decks")
        text_en = f"{left} cards cannot be dealt to six seats evenly"
        return [(fields, text_en, f"{left} 张牌不能平分给六家")]
    return _scarce(rules, [have - out for out, have in zip(gone, held, strict=True)])


def _scarce(rules: RuleSet, left: list[int]) -> list[Contradiction]:
    """Packs with which no deal could be played: hands of next to nothing, or revolutions that nobody escapes."""
    found: list[Contradiction] = []
    if sum(left) < LEAST_EACH * SEATS:
        text_en = f"at least {LEAST_EACH} cards a seat have to stay"
        found.append((("removed", "decks"), text_en, f"每家至少须有 {LEAST_EACH} 张牌"))
    if rules.buy_none == "auto" and left[THREE] < SEATS:
        text_en = f"buy_none = auto needs at least {SEATS} 3s in the pack: who gets none must revolt"
        found.append((("removed", "buy_none"), text_en, f"buy_none = auto 至少须有 {SEATS} 张 3"))
    if rules.revolution != "off" and sum(left[TWO:]) < SEATS:
        text_en = f"revolution needs at least {SEATS} 2s and jokers in the pack: whoever holds none may revolt"
        found.append((("removed", "revolution"), text_en, f"revolution（革命）至少须有 {SEATS} 张 2 或花"))
    return found
