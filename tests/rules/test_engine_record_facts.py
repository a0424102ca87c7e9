"""Facts, questions out of turn, ends and refusals in records: they hold where they do, and are reported where not."""

from __future__ import annotations

import json
import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gouji_rules as gr
from tests.rules.every_rule_set import RULE_SETS

HANDS = '"KK345", "AA345", "3452", "bb33345", "345666", "345"'


def record(actions: str, *, rules: str = "qingdao", options: str = "", deal: str = "", expect: str = "") -> str:
    """The text of a record of HANDS, seat 0 leading."""
    given = deal or f"hands = [{HANDS}]\nlead = 0"
    head = f'format = "gouji-record/1"\nrules = "{rules}"\n[options]\n{options}\n'
    return f"{head}[deal]\n{given}\nactions = [{actions}]\n{expect}"


def said_of(text: str) -> list[str]:
    """What the checker says of a record."""
    differences = gr.check_record(text)
    assert all(re.search("[一-鿿]", difference.text_zh) for difference in differences)
    return [difference.message for difference in differences]


@pytest.mark.parametrize(
    ("before", "holds", "wrong", "reported"),
    [
        ("", "= 3 shows 7", "= 3 shows 8", "seat 3 shows 7"),
        ("", "= 0 holds 3K45K", "= 0 holds 345K", "seat 0 holds 345KK"),
        ('"0 play KK", "3 play bb", "= 3 leads", ', "= 3 holds 33345", "= 3 holds -", "seat 3 holds 33345"),
        ("", "= 2 lets 0,4 look", "= 2 lets 0 look", "seat 2 lets 0,4 look"),
        ("", "= 2 showed -", "= 2 showed 33 hearts", "seat 2 showed -"),
        ("", "= 1 not opened", "= 1 opened", "seat 1 is not opened"),
        ("", "= 1 not headless", "= 1 headless", "seat 1 is not headless"),
        ("", "= 1 not called", "= 1 called blind", "seat 1 has not called"),
        ("", "= 1 felt 0", "= 1 felt 1", "seat 1 felt 0 times"),
        ("", "= 1 not stifled", "= 1 stifled by 4", "nobody knows of seat 1 stifled"),
        ("", "= 1 active", "= 1 busted", "seat 1 is active"),
        ("", "= 1 place -", "= 1 place 6", "seat 1 has place -"),
        ("", "= 5>0 tribute -", "= 5>0 tribute b", "seen was 5>0 tribute -"),
        ('"0 play KK", ', "= 30 cards", "= 216 cards", "there are 30 cards"),
        ("", "= no melee", "= melee", "it is not the melee"),
        ("", "= sealed", "= revealed", "nothing is open before the deal is over (R84)"),
        ('"0 play KK", "1 decline", ', "= silent", "", ""),
        ('"0 play KK", ', "", "= silent", "it told something"),
        ('"0 play KK", ', "= told 0 lead KK", "= told 0 lead K", "told was 0 lead KK"),
        ('"0 play KK", "2 decline", ', "", "= told 2 pass", "told was nothing"),
        ('"0 play KK", "3 pass", ', "= told 3 pass", "= told - melee", "told was 3 pass"),
    ],
)
def test_a_fact_holds_or_is_reported(before: str, holds: str, wrong: str, reported: str) -> None:
    """Each kind of fact: what is so is no difference, what is not so is one and tells what is."""
    if holds:
        assert said_of(record(f'{before}"{holds}"')) == []
    if wrong:
        assert said_of(record(f'{before}"{wrong}"')) == [f"“{wrong}”: {reported}"]


@pytest.mark.parametrize(
    "entry", ["= 3 shines 7", "= 6 leads", "= 3 shows", "= 3 holds 1", "= 3", "=", "= 5>6 tribute b", "= 3 lets 9 look"]
)
def test_no_fact(entry: str) -> None:
    """What is no fact is told with examples, never a traceback."""
    assert "is no" in said_of(record(f'"{entry}"'))[0]


def test_counts_are_asked_for() -> None:
    """R80 `asked`: what is told is checked; where none is told the question is refused."""
    asked = 'report = "asked"'
    for entry, reported in (
        ("1 ask 3 = 7", ""),
        ("1 ask 3", ""),
        ("1 ask 3 = more", "told is 7"),
        ("1 ask 1 ! R80", ""),
    ):
        assert said_of(record(f'"{entry}"', options=asked)) == ([f"“{entry}”: {reported}"] if reported else [])
    assert "refused by R80" in said_of(record('"1 ask 3"'))[0]
    assert "the record expects R82" in said_of(record('"1 ask 3 ! R82"'))[0]
    assert "the rules allow it" in said_of(record('"1 ask 3 ! R80"', options=asked))[0]


def test_hands_are_felt() -> None:
    """R82: three times a deal, in buckets of six; the fourth is refused."""
    feels = '"1 feel = 1-6", "= 1 felt 1", "1 feel", "1 feel", "1 feel ! R82", "= 1 felt 3"'
    assert said_of(record(feels, options="feel_chances = 3")) == []
    assert said_of(record('"0 feel = 1-6"', options="feel_chances = 3")) == ["“0 feel = 1-6”: told is 7-12"]
    assert "refused by R82" in said_of(record('"1 feel"'))[0]


def test_what_was_felt_is_written() -> None:
    """A deal's record has its feels where they were made, and its saved form and digest know them."""
    rules = gr.preset("qingdao").replace(feel_chances=3, revolution="off")
    deal = gr.Deal.from_hands(rules, ["345", "345", "345", "345", "345", "345"], 0)
    deal.feel(3)
    deal.apply(0, gr.parse_action("play 3"))
    deal.feel(3)
    deal.feel(1)
    deal.apply(1, gr.parse_action("play 4"))
    written = gr.record_of_deal(deal)
    assert [line.text for line in written.lines] == ["3 feel", "0 play 3", "3 feel", "1 feel", "1 play 4"]
    text = gr.write_record(written)
    assert gr.check_record(text) == []
    read = gr.read_record(text)
    assert read == written
    _, again = gr.replay(read)
    assert again.digest() == deal.digest()
    assert gr.Deal.from_bytes(deal.to_bytes()).digest() == deal.digest()
    assert gr.Deal.from_bytes(deal.to_bytes()).feels == deal.feels == deal.copy().feels


SEED = "00" * 32


def test_what_a_seed_gives() -> None:
    """R3: the hands and the seat that draws first, as one expects them of a seed."""
    seed = f'seed = "{SEED}"'
    deal = gr.Deal.start(gr.preset("qingdao"), bytes(32))
    hands = [gr.format_cards(held) for held in deal.dealt]
    first = gr.first_drawer(bytes(32))
    good = f"[expect]\nhands = {hands}\nfirst_drawer = {first}\n".replace("'", '"')
    text = record("", deal=seed, expect=good)
    assert said_of(text) == []
    assert gr.read_record(gr.write_record(gr.read_record(text))) == gr.read_record(text)
    wrong = good.replace(f"first_drawer = {first}", f"first_drawer = {(first + 1) % 6}").replace(hands[2], hands[3])
    assert [message.partition(" ")[0] for message in said_of(record("", deal=seed, expect=wrong))] == ["the", "seat"]
    for other in ('hands = ["3"]', "first_drawer = 6"):
        assert said_of(record("", deal=seed, expect=f"[expect]\n{other}\n"))
    assert said_of(record("", expect="[expect]\nfirst_drawer = 1\n"))
    assert said_of(record("", expect=f"[expect]\nhands = [{HANDS}]\n"))


def test_what_a_deal_leaves() -> None:
    """`owed`: the tribute that the deal leaves; a record that the rules write has it, and another one differs."""
    options = 'tribute = ["loser"]\nrevolution = "off"'
    deal = 'hands = ["K", "34", "K", "34", "33", "34"]\nlead = 0'
    actions = '"0 play K", "1 pass", "2 pass", "3 pass", "4 pass", "5 pass", "= 1 leads"'
    played = '"1 play 3", "2 play K", "3 play 3", "4 pass", "5 play 4", "1 pass", "3 pass", "4 pass", "5 play 3"'
    ends = f'{actions}, {played}, "1 play 4", "3 pass", "4 pass", "1 pass", "= 3 leads", "3 play 4"'
    text = record(ends, options=options, deal=deal, expect='[expect]\nowed = ["9"]\n')
    assert "no obligation" in said_of(text)[0]
    messages = said_of(record(ends, options=options, deal=deal, expect="[expect]\nowed = []\n"))
    assert messages


REFUSED = """format = "gouji-record/1"
rules = "qingdao"
[options]
calls = "both"
[expect]
refused = ["calls", "opening"]
"""


def test_options_that_are_refused() -> None:
    """A record may say that options contradict each other, and in which fields; it reads back as it was."""
    assert said_of(REFUSED) == []
    read = gr.read_record(REFUSED)
    assert gr.read_record(gr.write_record(read)) == read
    assert said_of(REFUSED.replace('["calls", "opening"]', '["calls"]')) == [
        "refused are calls, opening: calls needs opening"
    ]
    assert said_of(REFUSED.replace('"both"', '"none"')) == ["the rules allow it, the record expects a refusal"]
    assert said_of(REFUSED.replace('["calls", "opening"]', "[]")) == ["refused must name the fields"]
    assert said_of(REFUSED.replace('"both"', "1.5")) == ["calls is no value of an option: 1.5"]
    assert "deal is unknown" in said_of(REFUSED + '[deal]\nseed = ""\n')[0]
    assert [step.what for trick in gr.show_record(REFUSED) for step in trick.steps] == ["refused"]
    with pytest.raises(gr.RecordError, match="nothing to replay"):
        gr.replay(read)
    with pytest.raises(gr.RecordError, match="the rules allow it"):
        list(gr.show_record(REFUSED.replace('"both"', '"none"')))


def test_hands_that_are_refused() -> None:
    """R1: hands that the pack does not hold, said so, and not."""
    deal = 'hands = ["sssss", "3", "3", "3", "3", "3"]\nlead = 0'
    refused = '[expect]\nrefused = ["hands"]\n'
    text = record("", deal=deal, expect=refused)
    assert said_of(text) == []
    assert gr.read_record(gr.write_record(gr.read_record(text))) == gr.read_record(text)
    assert said_of(record("", deal=deal.replace("sssss", "ssss"), expect=refused)) == [
        "the rules allow it, the record expects a refusal"
    ]
    assert said_of(record("", deal=deal)) == ["the hands hold 5 of rank s, the pack has 4"]


MATCH = """format = "gouji-record/1"
rules = "qingdao"
deals = 2
[options]
revolution = "off"
[[deal]]
hands = ["b", "34", "b", "47", "b", "55"]
lead = 0
actions = ["0 play b", "1 play 3", "2 play b", "3 play 4", "4 play b"]
[deal.expect]
scores = [12, 0]
[[deal]]
hands = ["3", "4", "5", "6", "7", "8"]
lead = 0
actions = [
ENDING
]
[expect]
scores = [12, 0]
dissolved = true
"""
ALL = ", ".join(f'"{seat} dissolve"' for seat in range(6))


def test_a_match_is_dissolved() -> None:
    """R17: with the sixth that agrees the match is over; the running deal is not scored; one may object."""
    for ending in (f'"0 play 3", {ALL}', f'"2 dissolve", "3 object", {ALL}, "= 0 active"'):
        text = MATCH.replace("ENDING", ending)
        assert said_of(text) == []
        assert gr.read_record(gr.write_record(gr.read_record(text))) == gr.read_record(text)
    assert "dissolved" in [step.what for trick in gr.show_record(MATCH.replace("ENDING", ALL)) for step in trick.steps]
    five = ALL.rpartition(",")[0]
    assert said_of(MATCH.replace("ENDING", five)) == ["the match was not dissolved"]
    assert "was dissolved before this" in said_of(MATCH.replace("ENDING", f'{ALL}, "0 play 3"'))[0]
    assert "the match is over" in said_of(MATCH.replace("ENDING", f'{ALL}, "0 dissolve"'))[0]
    assert "only a match" in said_of(record('"0 dissolve"'))[0]
    assert "true or false" in said_of(MATCH.replace("dissolved = true", "dissolved = 1").replace("ENDING", ALL))[0]


def test_a_dissolved_match_is_written() -> None:
    """The record of a match that its players ended says so and reads back."""
    match = gr.Match(gr.preset("qingdao"), 3)
    deal = match.start_deal(bytes(32))
    for seat in range(6):
        match.agree_to_dissolve(seat)
    written = gr.record_of_match(match, [deal])
    text = gr.write_record(written)
    assert "dissolved = true" in text
    assert gr.check_record(text) == []
    assert gr.read_record(text) == written


WORDS = ("leads", "shows", "holds", "KK", "b", "lets", "look", "told", "pay", "feel", "ask", "dissolve", "by")
PIECES = [*"0125=?!>-", *WORDS]


@given(st.lists(st.sampled_from(PIECES), max_size=6), st.text(max_size=4))
def test_no_entry_is_a_fault(pieces: list[str], text: str) -> None:
    """Whatever is written as an entry holds, or is a difference with its line: never a traceback."""
    for entry in (" ".join(pieces), "".join(pieces), f"= {' '.join(pieces)}", " ".join([*pieces, text])):
        for difference in gr.check_record(record(json.dumps(entry))):
            assert difference.message
            assert difference.line >= 0


@pytest.mark.parametrize("name", RULE_SETS)
def test_facts_hold_wherever_a_deal_stands(name: str) -> None:
    """What the engine says of a deal at random, written as facts of its record, is no difference."""
    rng = Random(name)
    deal = gr.Deal.start(RULE_SETS[name], rng.randbytes(32))
    for _ in range(rng.randrange(10, 120)):
        if deal.over:
            break
        seat = next(seat for seat in range(6) if deal.is_asked(seat))
        deal.apply(seat, rng.choice(list(deal.legal_actions(seat)[:30])))
    p = deal.public
    facts = [f"= {seat} {'opened' if p.opened >> seat & 1 else 'not opened'}" for seat in range(6)]
    facts += [f"= {seat} {p.standing[seat].name.lower()}" for seat in range(6)]
    facts += [f"= {seat} shows {p.count_shown[seat] if p.count_shown[seat] >= 0 else '-'}" for seat in range(6)]
    facts += [f"= {seat} holds {gr.format_counts(deal.hand(seat)) or '-'}" for seat in range(6)]
    facts += ["= melee" if p.melee else "= no melee", "= revealed" if deal.over else "= sealed"]
    facts += [f"= {sum(map(len, deal.dealt))} cards"]
    text = gr.write_record(gr.record_of_deal(deal))
    lines = ",\n".join(json.dumps(fact) for fact in facts)
    start, _, rest = text.partition("\n]")
    assert gr.check_record(f"{start}\n{lines}\n]{rest}") == []
