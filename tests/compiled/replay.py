"""Plays deals at random and prints what came of each as a hash: equal hashes mean equal deals, step by step.

    python replay.py FIRST COUNT

Needs nothing but `gouji_rules`, whichever build is installed; the first line tells which and from where. Then comes a
line a deal: its number, hash, number of answers and rule set. Deals come in matches of two, so that what is owed is
paid; six presets in turn, every second match with options at random. What is hashed of every answer: how many there
were to choose from, the choice, the events, every second time the digest of the whole deal; now and then what another
seat is refused, whether the deal survives being saved, and a simulation from there on with its end.
"""

from __future__ import annotations

import hashlib
import random
import sys
from typing import Any

import gouji_rules as gr
from gouji_rules import trick
from gouji_rules.option_texts import OPTION_TEXTS, OptionType
from gouji_rules.option_values import parse_option
from gouji_rules.playout import play_out, random_deal

DEALS_A_MATCH = 2
MOST_OPTIONS = 6

VALUES: dict[str, list[Any]] = {
    **{
        text.name: [parse_option(text.name, value) for value, _ in text.values]
        for text in OPTION_TEXTS
        if text.type in (OptionType.BOOL, OptionType.CHOICE)
    },
    "removed": ["", "3333333333" + "4444444444" + "5555", "333333"],
    "tribute": [(), ("loser",), ("stifle", "burn", "point", "loser"), ("burn", "point")],
}


def rules_of(match: int) -> gr.RuleSet:
    """Return the rule set of a match: a preset, every second time with options at random."""
    rules = list(gr.PRESETS.values())[match // 2 % len(gr.PRESETS)]
    if match % 2 == 0:
        return rules
    rng = random.Random(match)
    for option in rng.sample(sorted(VALUES), MOST_OPTIONS):
        try:
            rules = rules.replace(**{option: rng.choice(list(VALUES[option]))})
        except gr.RuleSetError:
            continue  # it contradicts the others
    return rules


class Story:
    """The hash of a deal as it goes on."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.answers = 0

    def tell(self, *what: object) -> None:
        """Add facts."""
        self._hash.update(repr(what).encode())

    def digest(self) -> str:
        """Return the hash so far."""
        return self._hash.hexdigest()


def step(deal: gr.Deal, rng: random.Random, story: Story) -> None:
    """Let one seat that is asked answer at random."""
    seat = rng.choice([seat for seat in range(6) if deal.is_asked(seat)])
    legal = deal.legal_actions(seat)
    action = legal[rng.randrange(len(legal))]
    story.tell(seat, len(legal), int(action), deal.question)
    chance = rng.randrange(128)
    if chance < 8:
        other = rng.randrange(6)
        tried = deal.legal_actions(other)[0] if chance < 2 and deal.is_asked(other) else action
        story.tell(other, deal.can(other, tried), deal.open_verbs(other), int(deal.default_action(seat)))
        try:
            deal.verify(other, tried)
        except gr.RuleViolation as refused:
            story.tell(refused.rule, refused.code, refused.text_en, refused.text_zh)
    elif chance == 8:
        saved = deal.to_bytes()
        story.tell(gr.Deal.from_bytes(saved).digest(), saved)
    elif chance == 9:
        end = deal.copy()
        story.tell(play_out(end, random.Random(story.answers)), end.digest(), end.result)
    elif chance == 10:
        view = deal.view(rng.randrange(6))
        story.tell(view.hand, view.cards, view.question, [repr(played) for played in view.public.plays])
    for event in deal.apply(seat, action):
        story.tell(event)
    if chance & 1:
        story.tell(deal.digest())
    story.answers += 1


def play(match: int, first: int, last: int) -> None:
    """Play a match of deals and print those wanted."""
    rules = rules_of(match)
    rng = random.Random(match)
    running = gr.Match(rules)
    for number in range(match * DEALS_A_MATCH, (match + 1) * DEALS_A_MATCH):
        if running.over:
            running = gr.Match(rules)
        deal = running.start_deal(rng.randbytes(32))
        story = Story()
        story.tell(deal.start_events, deal.digest())
        while not deal.over:
            step(deal, rng, story)
        story.tell(deal.result, deal.reveal().record, running.finish(deal))
        story.tell(random_deal(rules, random.Random(number)))
        if first <= number < last:
            print(number, story.digest(), story.answers, rules.name, rules.overrides(), flush=True)


def main() -> None:
    """Play the deals asked for."""
    first, count = map(int, sys.argv[1:])
    print(trick.__file__, flush=True)
    for match in range(first // DEALS_A_MATCH, (first + count + DEALS_A_MATCH - 1) // DEALS_A_MATCH):
        play(match, first, first + count)


if __name__ == "__main__":
    main()
