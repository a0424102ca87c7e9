"""Records of tribute, calls and whole matches: written, read back, checked and shown."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import gouji_rules as gr
from gouji_rules.option_values import difference
from gouji_rules.records import join_records
from tests.rules.every_rule_set import RULE_SETS

OPTIONS = {
    "tribute": ("loser",),
    "return": "may_refuse",
    "tribute_refusable": True,
    "sweep_tribute": "by_place",
    "record": "signed",
}
RULES = gr.preset("qingdao").replace(**OPTIONS)


def played(deal: gr.Deal, rng: Random) -> gr.Deal:
    """The deal, every answer at random and noted."""
    while not deal.over:
        seat = rng.choice([seat for seat in range(6) if deal.is_asked(seat)])
        legal = deal.legal_actions(seat)
        action = legal[rng.randrange(len(legal))]
        deal.apply(seat, gr.NO if action == gr.REVOLT and rng.random() < 0.9 else action)
    return deal


def whole_match(rules: gr.RuleSet, deals: int, seed: int) -> tuple[gr.Match, list[gr.Deal]]:
    """A match played at random."""
    rng = Random(seed)
    match = gr.Match(rules, deals)
    done: list[gr.Deal] = []
    while not match.over:
        done.append(played(match.start_deal(rng.randbytes(32)), rng))
        match.finish(done[-1])
    return match, done


@pytest.mark.parametrize("seed", range(4))
def test_a_match_round_trips(seed: int) -> None:
    """Three deals with tribute between: written, read back alike, and the rules agree with every line."""
    match, deals = whole_match(RULES, 3, seed)
    record = gr.record_of_match(match, deals)
    text = gr.write_record(record)
    read = gr.read_record(text)
    assert read == record
    assert gr.write_record(read) == text
    assert gr.check_record(text) == []
    _, last = gr.replay(read)
    assert last.digest() == deals[-1].digest()
    assert any(deal.obligations for deal in deals)


def test_deals_by_rules_of_one_value_are_joined() -> None:
    """R1: cards removed are the same rules in any order, for the deals of a match and where rules are compared."""
    rules, respelt = (gr.preset("qingdao").replace(removed=removed, deals=2) for removed in ("333444", "4 33 4 34"))
    match = gr.Match(rules)
    first = played(match.start_deal(bytes(32)), Random(1))
    match.finish(first)
    second = played(gr.Deal.start(respelt, bytes([1] * 32), number=2, obligations=match.obligations), Random(2))
    joined = join_records([gr.record_of_deal(first), gr.record_of_deal(second)])
    assert len(joined.deals) == 2
    assert gr.check_record(gr.write_record(joined)) == []
    assert difference(rules, respelt) == ()
    other = rules.replace(removed="333333")
    assert difference(rules, other) == (("removed", "333444", "333333"),)


@pytest.mark.parametrize("name", RULE_SETS)
def test_matches_of_every_rule_set_round_trip(name: str) -> None:
    """Two deals by every preset and mixture of options: written, read back alike, agreed with, the same deals again."""
    match, deals = whole_match(RULE_SETS[name], 2, 7)
    record = gr.record_of_match(match, deals)
    text = gr.write_record(record)
    read = gr.read_record(text)
    assert read == record
    assert gr.write_record(read) == text
    differences, last = gr.replay(read)
    assert differences == []
    assert last.digest() == deals[-1].digest()


def test_a_tied_match_tells_its_lot() -> None:
    """R64: the lot is part of the record, and another one is a difference."""
    rules = replace(RULES, points=(0,) * 6, tie_by_lot=True)
    match, deals = whole_match(rules, 1, 1)
    assert match.lot is not None
    text = gr.write_record(gr.record_of_match(match, deals))
    assert gr.check_record(text) == []
    lot = match.lot.team
    wrong = gr.check_record(text.replace(f"lot = {lot}", f"lot = {1 - lot}"))
    assert [(d.line, d.message) for d in wrong] == [
        (text.count("\n"), f"the lot fell on {lot}, the record expects {1 - lot}")
    ]


def test_differences_of_a_match_name_their_lines() -> None:
    """What is owed, the scores of a deal and of the match, and an answer refused: each at its own line."""
    match, deals = whole_match(RULES, 2, 0)
    record = gr.record_of_match(match, deals)
    text = gr.write_record(record)
    lines = text.splitlines()
    owed_at = next(at for at, line in enumerate(lines, 1) if line.startswith("obligations"))
    changed = text.replace(lines[owed_at - 1], 'obligations = ["0>1 loser 2"]')
    assert [d.line for d in gr.check_record(changed)] == [owed_at]
    scores_at = [at for at, line in enumerate(lines, 1) if line.startswith("scores")]
    assert len(scores_at) == 3
    for at in scores_at:
        bad = "\n".join([*lines[: at - 1], "scores = [99, -99]", *lines[at:]]) + "\n"
        assert [d.line for d in gr.check_record(bad)] == [at]
    first_answer = owed_at + 2
    bad = "\n".join([*lines[: first_answer - 1], '  "0 play 3",', *lines[first_answer:]]) + "\n"
    differences = gr.check_record(bad)
    assert (differences[-1].line, differences[-1].stops) == (first_answer, True)


def test_deals_beyond_the_end() -> None:
    """A deal after the match's last, and one after a deal that is not over, are told."""
    match, deals = whole_match(RULES, 1, 2)
    record = gr.record_of_match(match, deals)
    twice = replace(record, deals=record.deals * 2)
    assert "the match was over before this deal" in gr.check_record(gr.write_record(twice))[0].message
    cut = replace(record.deals[0], lines=record.deals[0].lines[:9], places=None, scores=None, owed=None)
    text = gr.write_record(replace(record, deals=(cut, record.deals[0])))
    assert "the deal before is not over" in gr.check_record(text)[0].message
    running = gr.write_record(replace(record, deals=(cut,), scores=None))
    assert gr.check_record(running) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("deals = -1", "deals must be a number"),
        ("deals = true", "deals must be a number"),
        ("length = 3", "length is unknown"),
        ("[expect]\nlot = 7", "lot must be"),
        ("[expect]\nplaces = [0]", "places is unknown"),
    ],
)
def test_a_match_that_cannot_be_read(line: str, said: str) -> None:
    """A key that a match does not have, or a value that it cannot have, is an error with a reason."""
    text = f'format = "gouji-record/1"\nrules = "qingdao"\n{line}\n[[deal]]\nseed = "{"0" * 64}"\n'
    differences = gr.check_record(text)
    assert said in differences[0].message
    assert differences[0].line


def test_an_empty_list_of_deals() -> None:
    """``deal = []`` is no match, and neither is a list of numbers."""
    for deal in ("[]", "[1]"):
        text = f'format = "gouji-record/1"\nrules = "qingdao"\ndeal = {deal}\n'
        assert len(gr.check_record(text)) == 1


def test_a_match_is_shown_deal_by_deal() -> None:
    """Every deal has its heading, its tribute and its end."""
    match, deals = whole_match(RULES, 2, 0)
    shown = list(gr.show_record(gr.write_record(gr.record_of_match(match, deals))))
    words = [step.what for trick in shown for step in trick.steps]
    assert [word for word in words if word.startswith("deal")] == ["deal 1", "deal over", "deal 2", "deal over"]
    assert "owed" in words
    assert {"pay", "refuse tribute"} & set(words)


HAND_MADE = """
format = "gouji-record/1"
rules = "qingdao"

[options]
tribute = ["loser"]
return = "may_refuse"
swap_places = true

[deal]
hands = ["34567", "345", "345", "348b", "345", "3489s2"]
lead = 0
dealt = true
obligations = ["5>0 loser 2", "3>2 loser 1"]
actions = [
  "3 ? swap,no",
  "0 ? -",
  "3 swap",
  "5 swap",
  "0 ? give",
  "0 give 5",
  "3 ? accept,refuse",
  "3 refuse",
  "0 give 5 ! R73",
  "0 give 3",
  "3 refuse ! R73",
  "3 accept",
  "2 give 4",
  "5 ? accept",
  "5 accept",
  "= 0 leads",
  "0 play 4",
]
"""


def test_a_record_by_hand_from_the_cards_as_dealt() -> None:
    """`dealt = true`: a record by hand of a swap, payment, a refused return and one that stands."""
    assert gr.check_record(HAND_MADE) == []
    read = gr.read_record(HAND_MADE)
    assert read.as_dealt
    assert gr.read_record(gr.write_record(read)) == read


def test_calls_left_out_are_answered_no() -> None:
    """Calls, like revolution, may be left out; one that is named comes at its place."""
    rules = replace(gr.preset("qingdao"), opening=True, calls="both")
    hands = ("4567",) * 6
    record = gr.Record(
        rules=rules,
        hands=hands,
        lines=tuple(
            gr.Line(gr.LineKind.ACTION, seat, f"{seat} {said}", said=said)
            for seat, said in ((2, "call open"), (3, "no"), (0, "play 4"))
        ),
    )
    differences, deal = gr.replay(record)
    assert differences == []
    assert deal.public.calls == (0, 0, 1, 0, 0, 0)
    assert deal.public.kind == gr.Kind.FOLLOW


@pytest.mark.parametrize(
    ("line", "said"),
    [('obligations = ["5>0 gift 1"]', "no kind of tribute"), ("dealt = 1", "true or false")],
)
def test_what_a_deal_cannot_say(line: str, said: str) -> None:
    """A debt that is none and a `dealt` that is neither are named with their line."""
    text = (
        'format = "gouji-record/1"\nrules = "qingdao"\n[deal]\n'
        'hands = ["3", "3", "3", "3", "3", "3"]\nlead = 0\n' + line + "\nactions = []\n"
    )
    differences = gr.check_record(text)
    assert said in differences[0].message
    assert differences[0].line == 6
