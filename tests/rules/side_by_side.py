"""A deal of the engine and one of the reference, answered alike and compared before every answer."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji_rules.peeking import may_look
from tests.rules import reference_scoring as scoring
from tests.rules import reference_sight as sight
from tests.rules.reference_deal import ReferenceDeal
from tests.rules.reference_events import in_any_order, told_by_the_engine
from tests.rules.reference_plays import BODY_RANKS, RANKS, canonical
from tests.rules.reference_table import SEATS, Debt, opposite

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

RULES = gr.preset("qingdao")
SUITS = ("clubs", "diamonds", "hearts", "spades")
KIND_WORDS = {
    gr.Kind.LEAD: "lead",
    gr.Kind.FOLLOW: "follow",
    gr.Kind.WINDOW: "window",
    gr.Kind.REVOLT: "revolt",
    gr.Kind.HEAD: "head",
    gr.Kind.SHOW: "show",
    gr.Kind.RETURN: "return",
    gr.Kind.REFUSE: "refuse",
    gr.Kind.WAIVE: "waive",
    gr.Kind.SWAP: "swap",
    gr.Kind.ACCEPT: "take",
}
VERB_WORDS = {verb: verb.name.lower().replace("_", " ") for verb in gr.Verb} | {
    gr.Verb.KEEP_HEAD: "head keep",
    gr.Verb.DROP_HEAD: "head drop",
}
IN_A_TRICK = (gr.Kind.LEAD, gr.Kind.FOLLOW, gr.Kind.WINDOW)
WITH_CARDS = ("play", "burn", "kill", "give")


def seats_in(mask: int) -> set[int]:
    return {seat for seat in SEATS if mask >> seat & 1}


def verbs_in(mask: int) -> set[str]:
    return {VERB_WORDS[verb] for verb in gr.Verb if mask >> verb & 1}


class SideBySide:
    """Both machines on the same cards. `story` is what was answered so far, as a record writes it."""

    def __init__(
        self,
        hands: list[str],
        lead: int,
        rules: gr.RuleSet = RULES,
        debts: Sequence[Debt] = (),
        *,
        as_dealt: bool = False,
        number: int = 1,
    ) -> None:
        """A deal of given hands, before buying and tribute if `as_dealt`."""
        self.rules = rules
        self.hands = [canonical(hand) for hand in hands]
        self.lead = lead
        self.debts = list(debts)
        self.as_dealt = as_dealt
        owed = [gr.Obligation(*debt) for debt in debts]
        self.seed: bytes | None = None
        self.engine = gr.Deal.from_hands(rules, self.hands, lead, owed, as_dealt=as_dealt, number=number)
        self.reference = ReferenceDeal(rules, self.hands, lead, self.debts, as_dealt=as_dealt)
        self.story: list[str] = []

    @classmethod
    def from_seed(
        cls, rules: gr.RuleSet, seed: bytes, debts: Sequence[Debt] = (), *, match: gr.Match | None = None
    ) -> SideBySide:
        """A deal from its seed (docs/shuffle.md), the engine's from its match if there is one."""
        made = cls.__new__(cls)
        made.rules, made.seed, made.debts, made.story = rules, seed, list(debts), []
        made.hands, made.lead, made.as_dealt = [], -1, True
        owed = [gr.Obligation(*debt) for debt in debts]
        made.engine = match.start_deal(seed) if match else gr.Deal.start(rules, seed, obligations=owed)
        made.reference = reference_from_seed(rules, seed, made.debts)
        return made

    # ── comparing ─────────────────────────────────────────────────────────────────────────────────────────────────

    def compare(self, *, plays: bool = True) -> None:
        """What is asked, of whom, what each seat may answer, and every public fact; `plays`: each legal play too."""
        mine, theirs = self.state_of_the_reference(plays=plays), self.state_of_the_engine(plays=plays)
        assert theirs == mine, self.difference(theirs, mine)

    def difference(self, theirs: dict[str, object], mine: dict[str, object]) -> str:
        """Where they differ, and the deal so far as a record, to try it again."""
        lines = [
            f"{what}: engine {theirs.get(what)!r}, reference {mine.get(what)!r}"
            for what in {**theirs, **mine}
            if theirs.get(what) != mine.get(what)
        ]
        return "\n" + "\n".join(lines) + self.record()

    def state_of_the_engine(self, *, plays: bool) -> dict[str, object]:
        question, public = self.engine.question, self.engine.public
        state: dict[str, object] = {
            "hands": {seat: canonical(gr.format_counts(self.engine.hand(seat))) for seat in SEATS},
            **facts_of_the_engine(public),
        }
        if question is None:
            return {"kind": "over", **state}
        asked = [seat for seat in SEATS if self.engine.is_asked(seat)]
        kind = KIND_WORDS.get(question.kind, "")
        if question.kind == gr.Kind.CALL:
            kind = "call blind" if question.verbs >> gr.Verb.CALL_BLIND & 1 else "call open"
        questions = {seat: public.question_for(seat) for seat in asked}
        state |= {
            "kind": kind,
            "seats": set(question.seat_list),
            "rights": {seat: verbs_in(q.verbs) for seat, q in questions.items() if q},
            "open": {seat: verbs_in(self.engine.open_verbs(seat)) for seat in asked},
        }
        if question.kind == gr.Kind.LEAD:
            state["burning"] = question.must_hold_joker
            state["four"] = question.must_hold_four
        if plays:
            state["plays"] = {seat: self.plays_of_the_engine(seat) for seat in asked}
        return state

    def plays_of_the_engine(self, seat: int) -> set[str]:
        found = []
        for action in self.engine.legal_actions(seat):
            play = gr.play_of(action)
            if play:
                found.append(f"{VERB_WORDS[gr.verb_of(action)]} {canonical(gr.format_play(play))}")
            elif gr.verb_of(action) == gr.Verb.SHOW:
                found.append(f"show {gr.suit_shown(action)}")
        assert len(found) == len(set(found)), "a play is listed twice"
        return set(found)

    def state_of_the_reference(self, *, plays: bool) -> dict[str, object]:
        ref = self.reference
        state: dict[str, object] = {"hands": dict(enumerate(ref.hands)), **facts_of_the_reference(ref)}
        if ref.over_or_void:
            return {"kind": "over", **state}
        asked = [seat for seat in ref.asked if seat not in ref.answers]
        state |= {
            "kind": ref.kind,
            "seats": set(ref.asked),
            "rights": {seat: ref.rights(seat) for seat in asked},
            "open": {seat: ref.verbs(seat) for seat in asked},
        }
        if ref.kind == "lead":
            state["burning"] = ref.burner == ref.leader
            state["four"] = ref.four_due
        if plays:
            state["plays"] = {seat: self.plays_of_the_reference(seat) for seat in asked}
        return state

    def plays_of_the_reference(self, seat: int) -> set[str]:
        ref = self.reference
        if ref.kind == "show":
            return {f"show {suit}" for suit in ref.suits_to_show(seat)}
        words = [verb for verb in WITH_CARDS if verb in ref.rights(seat)]
        return {f"{verb} {canonical(cards)}" for verb in words for cards in ref.cards_for(seat, verb)}

    def compare_the_end(self) -> None:
        """Places, scores and all else that a deal leaves."""
        ref = self.reference
        assert self.engine.over, self.record()
        result = self.engine.result
        if ref.kind == "void":
            assert result.void, self.record()
            return
        mine = {
            "places": tuple(ref.finishing_order()),
            "scores": tuple(scoring.scores(ref)),
            "sweep": scoring.is_sweep(ref),
            "void": False,
            "burned": tuple(burns_told(ref)),
            "stifled": tuple(ref.stifles),
            "opened": ref.opened,
            "slam": ref.slam,
            "doubled": scoring.gap(ref),
            "debts": scoring.debts_left(ref),
        }
        theirs = {
            "places": result.places,
            "scores": result.scores,
            "sweep": result.sweep,
            "void": result.void,
            "burned": result.burned,
            "stifled": result.stifled,
            "opened": seats_in(result.opened),
            "slam": result.slam,
            "doubled": result.doubled,
            "debts": [Debt(o.payer, o.receiver, o.kind, o.count) for o in result.obligations],
        }
        assert theirs == mine, self.difference(theirs, mine)

    # ── answering ─────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def running(self) -> bool:
        return not self.reference.over_or_void

    def answer(self, seat: int, verb: str, cards: str = "") -> None:
        """One legal answer, given to both; the cards of a show are its suit's number."""
        words = f"{verb} {SUITS[int(cards)] if verb == 'show' else cards}".strip()
        self.story.append(f"{seat} {words}")
        self.reference.told = []
        self.reference.act(seat, verb, cards)
        told = told_by_the_engine(self.engine.apply(seat, gr.parse_action(words)))
        mine = in_any_order(self.reference.told)
        assert told == mine, self.difference({"told": told}, {"told": mine})

    def random_answer(self, rng: Random, *, eager: bool = False) -> None:
        """A seat asked answers with one of its legal answers; the verbs are drawn first, so that rare ones come up.

        `eager` for deals of full hands that have to end soon: long plays, and revolutions.
        """
        ref = self.reference
        seat = rng.choice([s for s in ref.asked if s not in ref.answers])
        verbs = sorted(ref.verbs(seat))
        verb = rng.choices(verbs, [EAGER[verb] if eager else WEIGHTS[verb] for verb in verbs])[0]
        cards = ""
        if verb == "show":
            cards = str(rng.choice(ref.suits_to_show(seat)))
        elif verb in WITH_CARDS:
            choices = sorted(ref.cards_for(seat, verb))
            cards = rng.choice(choices)
            if rng.random() < (0.9 if eager else 0.4):  # else long plays hide among the many short ones
                cards = max(rng.sample(choices, min(8 if eager else 4, len(choices))), key=len)
        self.answer(seat, verb, cards)

    def try_any_answer(self, rng: Random) -> None:
        """Any seat, any answer: the engine takes what the reference would, and a refusal changes nothing (R16)."""
        ref = self.reference
        seat, verb = rng.choice(SEATS), rng.choice(sorted(WEIGHTS))
        cards, words = "", verb
        if verb in WITH_CARDS:
            rank = rng.choice(BODY_RANKS)
            cards = (
                rng.choice(RANKS)
                if verb == "give"
                else canonical("".join(rng.choices(rank * 3 + "2sb", k=rng.choice([1, 2, 3]))))
            )
            held = [card for card in ref.hands[seat] if card in "2sb" + rank]
            if held and verb != "give" and rng.random() < 0.7:
                cards = canonical("".join(rng.sample(held, rng.randint(1, min(4, len(held))))))
            words = f"{verb} {cards}"
        elif verb == "show":
            cards = str(rng.randrange(4))
            words = f"show {SUITS[int(cards)]}"
        legal = verb in ref.verbs(seat)
        if legal and verb == "show":
            legal = int(cards) in ref.suits_to_show(seat)
        elif legal and cards:
            legal = cards in ref.cards_for(seat, verb)
        action = gr.parse_action(words)
        told = f"{seat} {words}: {legal} by the reference {self.record()}"
        assert self.engine.can(seat, action) == legal, told
        if not legal:
            before = self.engine.digest()
            with pytest.raises(gr.RuleViolation) as refused:
                self.engine.apply(seat, action)
            assert refused.value.rule.startswith("R"), told
            assert self.engine.digest() == before, told

    def ask_out_of_turn(self, rng: Random) -> None:
        """A count asked for (R80), a hand felt (R82), and who may look at a hand (R81), whatever is being asked."""
        ref, engine = self.reference, self.engine
        asker, of = rng.sample(SEATS, 2)
        told = sight.count_told(ref, of)
        if told is None:
            with pytest.raises(gr.NotTold):
                engine.ask_count(asker, of)
        else:
            assert engine.ask_count(asker, of) == gr.CountTold(asker, of, told), self.record()
        bucket = sight.felt(ref, asker, ref.felt)
        if bucket is None:
            with pytest.raises(gr.NotTold):
                engine.feel(asker)
        else:
            ref.felt[asker] += 1
            assert engine.feel(asker) == (gr.Felt(asker, opposite(asker)), bucket), self.record()
        if ref.kind not in ("swap", "call blind"):
            left = sum(engine.hand(of))
            assert seats_in(may_look(engine.public, of, left)) == sight.lookers(ref, of), self.record()

    def record(self) -> str:
        """The deal so far as a record, to try a difference again."""
        actions = "\n".join(f'    "{line}",' for line in self.story)
        hands = ", ".join(f'"{hand}"' for hand in self.hands)
        dealt = f"hands = [{hands}]\nlead = {self.lead}\n" if self.hands else f"seed = {(self.seed or b'').hex()}\n"
        dealt += "dealt = true\n" if self.as_dealt and self.hands else ""
        owed = ", ".join(f'"{debt.payer}>{debt.receiver} {debt.kind} {debt.count}"' for debt in self.debts)
        dealt += f"obligations = [{owed}]\n" if owed else ""
        options = f"# {self.rules.overrides()}\n" if self.rules != gr.preset(self.rules.name) else ""
        head = f'format = "gouji-record/1"\nrules = "{self.rules.name}"\n{options}\n[deal]\n{dealt}'
        return f"\n{head}actions = [\n{actions}\n]\n"


WEIGHTS = Counter(
    {
        "play": 6,
        "pass": 5,
        "yield": 6,
        "wind": 6,
        "burn": 6,
        "kill": 4,
        "decline": 2,
        "no": 12,
        "revolt": 1,
        "head keep": 2,
        "head drop": 1,
        "call blind": 8,
        "call open": 12,
        "show": 12,
        "give": 1,
        "accept": 3,
        "refuse": 2,
        "waive": 20,
        "swap": 20,
    }
)

EAGER = WEIGHTS | {"revolt": 1000, "play": 12}


def reference_from_seed(rules: gr.RuleSet, seed: bytes, debts: list[Debt]) -> ReferenceDeal:
    """R3 and R5 by docs/shuffle.md: the first drawer, the seat that leads by lot, and the cards one by one."""
    lots = hashlib.sha512(b"gouji/seats/1" + seed).digest()
    drawer, lead = (int.from_bytes(lots[at : at + 8], "big") % 6 for at in (0, 8))
    drawn = [
        ((drawer + number) % 6, RANKS[gr.rank_of(card)], gr.suit_of(card))
        for number, card in enumerate(gr.shuffled(rules, seed))
    ]
    return ReferenceDeal.drawn_from(rules, drawn, lead, debts)


# ── public facts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def facts_of_the_engine(p: gr.PublicState) -> dict[str, object]:
    """What the engine's public state says, in the words of the reference."""
    facts: dict[str, object] = {
        "finished": list(p.finished),
        "busted": {seat for seat in SEATS if p.standing[seat] == gr.Standing.BUSTED},
        "revolted": p.revolted,
        "opened": seats_in(p.opened),
        "calls": {seat: ("", "open", "blind")[call] for seat, call in enumerate(p.calls) if call},
        "moves": [(m.giver, m.taker, m.why, RANKS[rank]) for m in p.moves for rank in m.ranks],
        "places": {seat: place for seat, place in enumerate(p.place) if place},
        "stifled": set(p.stifled),
        "burns": list(p.burns),
        "slam": p.slam,
        "live_dead": 0 if p.revolted >= 0 and p.standing[opposite(p.revolted)] == gr.Standing.BUSTED else p.live_dead,
        "felt": Counter(dict(enumerate(p.felt))),
        "counts": list(p.count_shown),
    }
    if p.kind in IN_A_TRICK:
        facts |= {
            "melee": p.melee,
            "burner": p.burner,
            "leader": p.leader,
            "first_leader": p.first_leader,
            "trick": p.trick,
            "headless": seats_in(p.headless),
            "dead_left": {} if p.melee else {s: n for s, n in enumerate(p.dead_left) if n > 0},
        }
        if p.burner >= 0:
            facts |= {"burned": p.burned, "counter_burn": p.counter_burn}
    if p.kind in (gr.Kind.RETURN, gr.Kind.REFUSE) and p.due:
        facts["due"] = (p.due.payer, p.due.receiver, p.due.kind, p.due.count)
        facts["barred"] = {rank for number, rank in enumerate(RANKS) if p.barred >> number & 1}
        facts["pick"] = gr.format_play(p.top) if p.kind == gr.Kind.REFUSE else ""
    elif p.top and p.kind in IN_A_TRICK:
        facts |= {
            "top": canonical(gr.format_play(p.top)),
            "top_owner": p.top_owner,
            "top_last": p.top_last,
            "passed": seats_in(p.passed),
        }
        if not p.melee:
            facts |= {
                "top_gouji": p.top_gouji,
                "top_dead": p.top_dead,
                "top_headless": p.top_headless,
                "yielded": seats_in(p.yielded),
                "winded": seats_in(p.winded),
                "closed": p.closed,
                "chance": p.chance,
                "yielder": p.yielder,
            }
    return facts


def facts_of_the_reference(ref: ReferenceDeal) -> dict[str, object]:
    """The same of the reference."""
    over = ref.kind == "over"
    facts: dict[str, object] = {
        "finished": ref.finished,
        "busted": set(ref.busted),
        "revolted": ref.revolted,
        "opened": ref.opened,
        "calls": ref.calls,
        "moves": [(giver, taker, why, card) for giver, taker, why, cards in ref.moved for card in cards],
        "places": ref.places,
        "stifled": {(seat, by) for seat, by in ref.stifles if over or not ref.active(seat)},
        "burns": burns_told(ref),
        "slam": ref.slam,
        "live_dead": 0 if ref.keeper in ref.busted else ref.live_dead,
        "felt": ref.felt,
        "counts": [count_shown(ref, seat) for seat in SEATS],
    }
    if ref.kind in ("lead", "follow", "window"):
        facts |= {
            "melee": ref.melee,
            "burner": ref.burner,
            "leader": ref.leader,
            "first_leader": ref.first_leader,
            "trick": ref.trick,
            "headless": {seat for seat in SEATS if ref.headless(seat)},
            "dead_left": {ref.keeper: ref.heads_left} if ref.heads_left and not ref.melee else {},
        }
        if ref.burner >= 0:
            facts |= {"burned": ref.burned, "counter_burn": ref.counter_burn}
    top = ref.top
    if ref.kind in ("return", "refuse"):
        now = ref.returning[0]
        facts["due"] = (now.debt.payer, now.debt.receiver, now.debt.kind, now.count)
        facts["barred"] = now.refused
        facts["pick"] = now.pick if ref.kind == "refuse" else ""
    elif top is not None and not ref.over_or_void:
        facts |= {
            "top": top.cards,
            "top_owner": top.owner,
            "top_last": bool(top.last),
            "passed": ref.passed,
        }
        if not ref.melee:
            facts |= {
                "top_gouji": top.gouji,
                "top_dead": top.dead,
                "top_headless": top.headless,
                "yielded": ref.yielded,
                "winded": ref.winded,
                "closed": ref.closed,
                "chance": ref.chance,
                "yielder": ref.yielding,
            }
    return facts


def burns_told(ref: ReferenceDeal) -> list[tuple[int, int, bool]]:
    """R35: whose play was burned, by whom, and whether that counts double."""
    return [(owner, by, counter and ref.rules.counter_burn_doubles) for owner, by, counter in ref.burns]


def count_shown(ref: ReferenceDeal, seat: int) -> int:
    """R80 `report = shown`."""
    count = len(ref.hands[seat])
    undrawn = ref.kind in ("swap", "call blind")
    if ref.rules.report != "shown" or undrawn or seat == ref.revolted or count > 10:
        return -1
    return count
