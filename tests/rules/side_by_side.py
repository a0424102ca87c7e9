"""A deal of the engine and one of the reference, answered alike and compared before every answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gouji_rules as gr
from tests.rules.reference_deal import SEATS, ReferenceDeal
from tests.rules.reference_plays import canonical

if TYPE_CHECKING:
    from random import Random

RULES = gr.preset("qingdao")
KIND_WORDS = {
    gr.Kind.LEAD: "lead",
    gr.Kind.FOLLOW: "follow",
    gr.Kind.WINDOW: "window",
    gr.Kind.REVOLT: "revolt",
    gr.Kind.HEAD: "head",
}
VERB_WORDS = {
    gr.Verb.PLAY: "play",
    gr.Verb.PASS: "pass",
    gr.Verb.YIELD: "yield",
    gr.Verb.WIND: "wind",
    gr.Verb.BURN: "burn",
    gr.Verb.DECLINE: "decline",
    gr.Verb.NO: "no",
    gr.Verb.REVOLT: "revolt",
    gr.Verb.KEEP_HEAD: "keep",
    gr.Verb.DROP_HEAD: "drop",
}
PLAIN = {
    "pass": gr.PASS,
    "yield": gr.YIELD,
    "wind": gr.WIND,
    "decline": gr.DECLINE,
    "no": gr.NO,
    "revolt": gr.REVOLT,
    "keep": gr.KEEP_HEAD,
    "drop": gr.DROP_HEAD,
}


class SideBySide:
    """Both machines on the same hands. `story` is what was answered so far, as a record writes it."""

    def __init__(self, hands: list[str], lead: int) -> None:
        self.hands = [canonical(hand) for hand in hands]
        self.lead = lead
        self.engine = gr.Deal.from_hands(RULES, self.hands, lead)
        self.reference = ReferenceDeal(list(self.hands), lead)
        self.story: list[str] = []

    def state_of_the_engine(self) -> dict[str, object]:
        question = self.engine.question
        if question is None:
            return {"kind": "over", "open": {}}
        asked = [seat for seat in SEATS if self.engine.is_asked(seat)]
        return {
            "kind": KIND_WORDS[question.kind],
            "open": {seat: {VERB_WORDS[v] for v in gr.Verb if self.engine.open_verbs(seat) >> v & 1} for seat in asked},
            "plays": {seat: self.plays_of_the_engine(seat) for seat in asked},
            "hands": {seat: canonical(gr.format_counts(self.engine.hand(seat))) for seat in SEATS},
        }

    def plays_of_the_engine(self, seat: int) -> set[str]:
        legal = self.engine.legal_actions(seat)
        plays = [gr.play_of(action) for action in legal]
        found = [canonical(gr.format_play(play)) for play in plays if play]
        assert len(found) == len(set(found)), "a play is listed twice"
        return set(found)

    def state_of_the_reference(self) -> dict[str, object]:
        ref = self.reference
        if ref.kind in ("over", "void"):
            return {"kind": "over", "open": {}}
        asked = [seat for seat in ref.asked if seat not in ref.answers]
        with_cards = ref.kind in ("lead", "follow", "window")
        return {
            "kind": ref.kind,
            "open": {seat: ref.verbs(seat) for seat in asked},
            "plays": {seat: {canonical(c) for c in ref.cards_for(seat)} if with_cards else set() for seat in asked},
            "hands": dict(enumerate(self.hands_left())),
        }

    def hands_left(self) -> list[str]:
        return list(self.reference.hands)

    def compare(self) -> None:
        mine, theirs = self.state_of_the_reference(), self.state_of_the_engine()
        assert theirs == mine, self.record()

    def compare_the_end(self) -> None:
        if self.reference.kind == "void":
            assert self.engine.over
            return
        result = self.engine.result
        assert list(result.places) == self.reference.finishing_order(), self.record()
        assert list(result.scores) == self.reference.scores(), self.record()

    def answer(self, seat: int, verb: str, cards: str = "") -> None:
        """One legal answer, given to both."""
        word = f"head {verb}" if verb in ("keep", "drop") else verb
        self.story.append(f"{seat} {word} {cards}".strip())
        self.reference.act(seat, verb, cards)
        if cards:
            play = gr.parse_play(cards)
            action = gr.burn_action(play) if verb == "burn" else gr.play_action(play)
        else:
            action = PLAIN[verb]
        self.engine.apply(seat, action)

    def record(self) -> str:
        """The deal so far as a record, to try a difference again."""
        actions = "\n".join(f'    "{line}",' for line in self.story)
        hands = ", ".join(f'"{hand}"' for hand in self.hands)
        head = f'format = "gouji-record/1"\nrules = "qingdao"\n\n[deal]\nhands = [{hands}]\nlead = {self.lead}\n'
        return f"\n{head}actions = [\n{actions}\n]\n"

    @property
    def running(self) -> bool:
        return self.reference.kind not in ("over", "void")

    def random_answer(self, rng: Random) -> None:
        """A seat asked answers with one of its legal answers; the verbs are drawn first, so that rare ones come up."""
        ref = self.reference
        seat = rng.choice([s for s in ref.asked if s not in ref.answers])
        verbs = sorted(ref.verbs(seat))
        weights = [WEIGHTS[verb] for verb in verbs]
        verb = rng.choices(verbs, weights)[0]
        cards = ""
        if verb in ("play", "burn"):
            cards = rng.choice(sorted(ref.cards_for(seat)))
        self.answer(seat, verb, cards)


WEIGHTS = {
    "play": 6,
    "pass": 5,
    "yield": 6,
    "wind": 6,
    "burn": 6,
    "decline": 2,
    "no": 12,
    "revolt": 1,
    "keep": 2,
    "drop": 1,
}


def random_hands(rng: Random) -> list[str]:
    """Six short hands rich in what makes plays gouji, within the pack; now and then nobody may revolt."""
    deck = "".join(rank * 16 for rank in "3456789TJQKA") + "2" * 16 + "ssss" + "bbbb"
    low = rng.sample("3456789TJQ", 3)
    left = [card for card in deck if card in low or card in "KA2sb"]
    left += [card for card in deck if card in "KA2sb"] if rng.random() < 0.5 else []
    rng.shuffle(left)
    hands = []
    counts = dict.fromkeys("3456789TJQKA2", 16) | {"s": 4, "b": 4}
    for _ in SEATS:
        hand = ""
        for _ in range(rng.randint(1, 8)):
            card = left.pop()
            if counts[card]:
                counts[card] -= 1
                hand += card
        hands.append(hand or "3")
    return hands
