"""The records of tests/records against the engine, every number of docs/rules.md among them, and the checker itself."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import gouji_rules as gr
from gouji_rules.contradictions import contradictions
from gouji_rules.option_texts import OPTION_TEXTS
from gouji_rules.records import differences_of
from gouji_rules.rule_set import format_option
from tests.rules.option_values_tried import LISTS, VALUES
from tests.rules.turning import can_turn, turned, turned_entry

if TYPE_CHECKING:
    from gouji_rules.records import Record
    from gouji_rules.rule_set import OptionValue

HERE = Path(__file__).parent
RECORDS = sorted((HERE.parent / "records").glob("*.toml"))
NAMES = [path.stem for path in RECORDS]

RULES = (HERE.parents[1] / "docs" / "rules.md").read_text(encoding="utf-8")
RULE_NUMBERS = [int(number) for number in re.findall(r"^R(\d+)\. ", RULES, re.MULTILINE)]
"""Every number that docs/rules.md gives a rule."""

DECLARATION = re.compile(r"^# rule: R(\d+) (applies|refuses)$", re.MULTILINE)
ENTRY = re.compile(r'^    "(?P<text>[^"]*)",')


def declared(text: str) -> set[tuple[int, str]]:
    """What a record or a test module says it shows: rule numbers, each applying or refusing."""
    return {(int(number), how) for number, how in DECLARATION.findall(text)}


def entries(text: str) -> list[tuple[int, str]]:
    """The entries of a record's actions with their lines in the text, from 1."""
    found = [(number, ENTRY.match(line)) for number, line in enumerate(text.splitlines(), 1)]
    return [(number, match["text"]) for number, match in found if match]


def with_line(text: str, number: int, entry: str) -> str:
    """The record with another entry on a line."""
    lines = text.splitlines()
    lines[number - 1] = ENTRY.sub(f'    "{entry}",', lines[number - 1])
    return "\n".join(lines) + "\n"


def some_of(entries_of: list[tuple[int, str]], path: Path) -> list[tuple[int, str]]:
    """All entries of a record by hand, a few of a long one: the whole match is replayed for each."""
    long = len(entries(path.read_text(encoding="utf-8"))) > 150
    return Random(path.stem).sample(entries_of, min(4, len(entries_of))) if long else entries_of


def line_of(text: str, start: str) -> int:
    """The first line that begins so, from 1."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.startswith(start))


def first_difference(text: str) -> int:
    """The line of the first difference; the record must have one."""
    differences = gr.check_record(text)
    assert differences, "the checker found nothing"
    return differences[0].line


# ── the records ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", RECORDS, ids=NAMES)
def test_a_record_holds(path: Path) -> None:
    """The engine plays the record as it is written: no difference."""
    assert gr.check_record(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", RECORDS, ids=NAMES)
def test_a_record_says_what_it_holds(path: Path) -> None:
    """A record begins with a sentence, and declares the rule that its name begins with."""
    text = path.read_text(encoding="utf-8")
    assert re.match(r"# [A-Za-z0-9][^\n]{30,}\n", text)
    named = re.match(r"R(\d\d)_", path.name)
    assert named is not None
    assert int(named[1]) in {number for number, _ in declared(text)}


NOT_IN_RECORDS = {(9, "applies"): "tests/server/test_table_seating.py"}
"""What no record can show, with the test module that does: who sits where is settled before any deal."""


def test_every_number_of_the_rules_is_taken() -> None:
    """The numbers come from the page itself, each once, in order, and up to the last part."""
    assert sorted(set(RULE_NUMBERS)) == RULE_NUMBERS
    assert len(RULE_NUMBERS) > 70
    assert RULE_NUMBERS[-1] > 80


def test_every_rule_applies_and_refuses_in_records() -> None:
    """Every number of docs/rules.md has a record where the rule applies and one where it refuses or does not apply."""
    shown = {pair for path in RECORDS for pair in declared(path.read_text(encoding="utf-8"))}
    for (number, how), module in NOT_IN_RECORDS.items():
        assert (number, how) not in shown, f"R{number} {how} is in a record now"
        assert (number, how) in declared((HERE.parents[1] / module).read_text(encoding="utf-8"))
    shown |= set(NOT_IN_RECORDS)
    missing = [f"R{n} {how}" for n in RULE_NUMBERS for how in ("applies", "refuses") if (n, how) not in shown]
    assert missing == []


def test_records_declare_rules_that_there_are() -> None:
    """No record declares a number that the rules do not have."""
    for path in RECORDS:
        assert {number for number, _ in declared(path.read_text(encoding="utf-8"))} <= set(RULE_NUMBERS), path.name


REFUSAL = re.compile(r'"R(\d+)",\s*"[A-Z_]+"|(?:Verb|Kind)\.\w+: "R(\d+)"')
"""How the engine names the rule and the reason of a refusal."""


def rules_that_refuse() -> set[int]:
    """The rules that the engine names when it refuses an answer."""
    sources = (HERE.parents[1] / "server" / "gouji_rules").rglob("*.py")
    texts = [path.read_text(encoding="utf-8") for path in sources]
    return {int(one or other) for text in texts for one, other in REFUSAL.findall(text)}


def test_what_refuses_is_refused_by_name() -> None:
    """A rule that answers are refused by is named by a record that declares it: an entry `! R24` or a set refused."""
    named = set()
    for path in RECORDS:
        text = path.read_text(encoding="utf-8")
        entries_named = {int(number) for number in re.findall(r"! R(\d+)\"", text)}
        entries_named |= {84} if '"= sealed"' in text else set()
        named |= {number for number, how in declared(text) if how == "refuses" and number in entries_named}
    wanted = rules_that_refuse()
    assert len(wanted) > 10
    assert sorted(wanted - named) == []


@pytest.mark.parametrize("path", RECORDS, ids=NAMES)
def test_a_record_asserts_something(path: Path) -> None:
    """A record that only plays could hold under any rules: each states a fact, verbs, a refusal or a result."""
    text = path.read_text(encoding="utf-8")
    results = "[expect]" in text or "[deal.expect]" in text
    assert results or any(re.search(r"[!?=]", entry) for _, entry in entries(text))


# ── the options ──────────────────────────────────────────────────────────────────────────────────────────────────────

NOT_IN_THE_ENGINE = ("direction", "seating")
"""How seats are drawn on a screen, and who sits where: tables and clients do that."""
PAYS_ALIKE = "buy_with"
"""Every text pays with a 2, else a small, else a big joker: no record can tell its values apart (R49)."""
SAME_EVERYWHERE = (*NOT_IN_THE_ENGINE, PAYS_ALIKE)

RULES_OF = {text.name: {int(rule[1:]) for rule in text.rules} for text in OPTION_TEXTS}


def values_to_hold() -> list[tuple[str, OptionValue]]:
    """Every option with every value that it has, of numbers and lists those that a preset has."""
    found: list[tuple[str, OptionValue]] = []
    for text in OPTION_TEXTS:
        if text.name not in SAME_EVERYWHERE:
            values = [value for value in VALUES[text.name] if text.name not in LISTS]
            values += [rules.option(text.name) for rules in gr.PRESETS.values()]
            found += [(text.name, value) for value in dict.fromkeys(values)]
    return found


HELD = values_to_hold()
READ = {path: gr.read_record(path.read_text(encoding="utf-8")) for path in RECORDS}
ABOUT = {path: {number for number, _ in declared(path.read_text(encoding="utf-8"))} for path in RECORDS}


def under(record: Record, option: str, value: OptionValue) -> Record | None:
    """The record by rules with another value of an option; None where that contradicts itself."""
    changes: dict[str, Any] = {"return_" if option == "return" else option: value}
    if option == "buy_from":
        changes["buy_with"] = value
    rules = dataclasses.replace(record.rules, **changes)
    if contradictions(rules):
        return None
    deals = tuple(dataclasses.replace(deal, rules=rules) for deal in record.deals)
    return dataclasses.replace(record, rules=rules, deals=deals)


def differs(record: Record) -> bool:
    """Whether the rules do not agree with a record, or cannot read it."""
    try:
        return bool(differences_of(record))
    except gr.RecordError:
        return True


def tells_apart(record: Record, option: str, value: OptionValue) -> bool:
    """Whether a record holds with this value of an option and not with another."""
    if record.refused or record.rules.option(option) != value:
        return False
    changed = (under(record, option, other) for other in VALUES[option] if other != value)
    return any(other is not None and differs(other) for other in changed)


@pytest.mark.parametrize(("option", "value"), HELD, ids=[f"{option}={format_option(value)}" for option, value in HELD])
def test_every_value_of_every_option_is_held_by_a_record(option: str, value: OptionValue) -> None:
    """A record about one of the option's rules holds with this value and fails with another."""
    about = [path for path in RECORDS if ABOUT[path] & RULES_OF[option]]
    assert any(tells_apart(READ[path], option, value) for path in about)


WITHOUT_ITS_OPTION = {
    (1, "refuses"): "hands and packs that are refused have no play",
    (47, "applies"): "under hold-three no other report can be chosen",
    (60, "refuses"): "what is no sweep is not doubled whether sweeps are or not",
    (76, "refuses"): "without a sweep nothing hangs on the option",
}
"""What does not hang on the options that the rule is listed with, and why."""

OPTIONS_OF = {
    number: [option for option, rules in RULES_OF.items() if number in rules and option not in SAME_EVERYWHERE]
    for number in RULE_NUMBERS
}
GOVERNED = [
    (number, how)
    for number, options in OPTIONS_OF.items()
    for how in ("applies", "refuses")
    if options and (number, how) not in WITHOUT_ITS_OPTION
]


@pytest.mark.parametrize(("number", "how"), GOVERNED, ids=[f"R{number} {how}" for number, how in GOVERNED])
def test_what_a_record_declares_hangs_on_the_rules_own_option(number: int, how: str) -> None:
    """A rule with an option: a record that declares it holds as it is and fails with another value of that option."""
    declaring = [path for path in RECORDS if (number, how) in declared(path.read_text(encoding="utf-8"))]
    assert any(
        tells_apart(READ[path], option, READ[path].rules.option(option))
        for option in OPTIONS_OF[number]
        for path in declaring
    )


def test_what_a_three_costs_is_the_same_everywhere() -> None:
    """Records of buying hold with every other `buy_with` too: the texts name the same price."""
    bought = [record for path, record in READ.items() if 49 in ABOUT[path] and record.rules.option(PAYS_ALIKE) != "off"]
    assert len(bought) > 5
    for record in bought:
        for value in VALUES[PAYS_ALIKE]:
            other = under(record, PAYS_ALIKE, value)
            assert other is None or not differs(other)


TURNABLE = [path for path in RECORDS if can_turn(READ[path])]


@pytest.mark.parametrize("path", TURNABLE, ids=[path.stem for path in TURNABLE])
def test_a_record_holds_wherever_one_sits(path: Path) -> None:
    """No seat is special: with all seats moved on by one to five steps the record holds as well."""
    for steps in range(1, 6):
        assert gr.check_record(gr.write_record(turned(READ[path], steps))) == [], f"moved on by {steps}"


@pytest.mark.parametrize(
    ("entry", "by_two"),
    [
        ("1 play 55", "3 play 55"),
        ("= 5 leads", "= 1 leads"),
        ("= 3 lets 1,5 look", "= 5 lets 3,1 look"),
        ("= 5>0 tribute 2", "= 1>2 tribute 2"),
        ("= 4 stifled by 1", "= 0 stifled by 3"),
        ("= told 4 pay 2", "= told 0 pay 2"),
        ("= told - void", "= told - void"),
        ("1 ask 4 = 7", "3 ask 0 = 7"),
        ("1 feel = 1-6", "3 feel = 1-6"),
        ("= 4 cards", "= 4 cards"),
        ("= 3 place 1", "= 5 place 1"),
        ("4 ? -", "0 ? -"),
    ],
)
def test_seats_are_moved_on_in_every_entry(entry: str, by_two: str) -> None:
    """What is moved on are seats, not cards, counts and places."""
    assert turned_entry(entry, 2) == by_two


@pytest.mark.parametrize("path", RECORDS, ids=NAMES)
def test_a_record_reads_back_as_it_was(path: Path) -> None:
    """Written and read again a record says the same, and the same text comes of it."""
    text = gr.write_record(READ[path])
    assert gr.read_record(text) == READ[path]
    assert gr.write_record(gr.read_record(text)) == text
    assert gr.check_record(text) == []


# ── the checker ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", RECORDS, ids=NAMES)
def test_a_legal_answer_marked_as_refused_is_reported(path: Path) -> None:
    """An answer that the rules allow is a difference on its own line once it is marked `!`."""
    text = path.read_text(encoding="utf-8")
    answers = [(number, entry) for number, entry in entries(text) if not re.search(r"[!?=]", entry)]
    for number, entry in some_of(answers, path):
        assert first_difference(with_line(text, number, f"{entry} !")) == number


@pytest.mark.parametrize("path", RECORDS, ids=NAMES)
def test_a_refused_answer_taken_for_legal_is_reported(path: Path) -> None:
    """An answer that the rules refuse is a difference on its line once the `!` is gone, and so is a wrong rule."""
    text = path.read_text(encoding="utf-8")
    for number, entry in [(number, entry) for number, entry in entries(text) if "!" in entry]:
        assert first_difference(with_line(text, number, entry.partition("!")[0].strip())) == number
        assert first_difference(with_line(text, number, entry.partition("!")[0] + "! R99")) == number


@pytest.mark.parametrize("path", RECORDS, ids=NAMES)
def test_a_wrong_assertion_about_verbs_is_reported(path: Path) -> None:
    """A verb too many, a verb too few and `-` in place of verbs are each a difference on that line."""
    text = path.read_text(encoding="utf-8")
    rng = Random(path.stem)
    words = ["play", "pass", "yield", "wind", "burn", "decline", "revolt", "no", "head"]
    for number, entry in [(number, entry) for number, entry in entries(text) if re.search(r"\? \w", entry)]:
        seat, _, verbs = entry.partition(" ? ")
        listed = verbs.split(",")
        more = [*listed, rng.choice([word for word in words if word not in listed])]
        assert first_difference(with_line(text, number, f"{seat} ? {','.join(more)}")) == number
        if len(listed) > 1:
            fewer = listed[:-1]
            assert first_difference(with_line(text, number, f"{seat} ? {','.join(fewer)}")) == number


@pytest.mark.parametrize("path", RECORDS, ids=NAMES)
def test_a_wrong_leader_is_reported(path: Path) -> None:
    """Another seat in `= N leads` is a difference on that line."""
    text = path.read_text(encoding="utf-8")
    about_leads = [(number, entry) for number, entry in entries(text) if entry.endswith("leads")]
    for number, entry in some_of(about_leads, path):
        wrong = f"= {(int(entry[2]) + 1) % 6} leads"
        assert first_difference(with_line(text, number, wrong)) == number


def wrong_facts(entry: str) -> list[str]:
    """What is not so where this is: the fact denied, or told of other cards, seats and counts."""
    said = entry.removeprefix("= ")
    denied = {"sealed": "revealed", "revealed": "sealed", "melee": "no melee", "no melee": "melee"}
    if said in denied:
        return [f"= {denied[said]}"]
    if found := re.fullmatch(r"(\d+) cards", said):
        return [f"= {int(found[1]) - 1} cards"]
    if found := re.fullmatch(r"(.* (?:place|shows|felt|by) )(\d+)", said):
        return [f"= {found[1]}{(int(found[2]) + 1) % 6 if 'by' in found[1] else int(found[2]) + 1}"]
    if found := re.fullmatch(r"([0-5]) (not )?(opened|headless)", said):
        return [f"= {found[1]} {found[3]}" if found[2] else f"= {found[1]} not {found[3]}"]
    if found := re.fullmatch(r"(.* )(-|[2-9TJQKAsb]+)", said):
        return [f"= {found[1]}{'33' if found[2] in ('-', '3') else '3'}"] if "told" not in said else []
    return []


@pytest.mark.parametrize("path", RECORDS, ids=NAMES)
def test_a_wrong_fact_is_reported(path: Path) -> None:
    """A fact that is not so is a difference on its line."""
    text = path.read_text(encoding="utf-8")
    facts = [(number, entry) for number, entry in entries(text) if entry.startswith("= ")]
    for number, entry in some_of(facts, path):
        for wrong in wrong_facts(entry):
            assert number in [difference.line for difference in gr.check_record(with_line(text, number, wrong))], wrong


WITH_RESULT = [path for path in RECORDS if READ[path].places or READ[path].scores]


@pytest.mark.parametrize("path", WITH_RESULT, ids=[path.stem for path in WITH_RESULT])
def test_wrong_places_and_scores_are_reported(path: Path) -> None:
    """Two places exchanged, or a score one too high, are a difference on the line that expects them."""
    text = path.read_text(encoding="utf-8")
    order = re.search(r"^places = \[(\d), (\d)", text, re.MULTILINE)
    if order is not None:
        exchanged = text.replace(order[0], f"places = [{order[2]}, {order[1]}")
        assert first_difference(exchanged) == line_of(text, "places")
    score = re.search(r"^scores = \[(-?\d+)", text, re.MULTILINE)
    if score is not None:
        higher = text.replace(score[0], f"scores = [{int(score[1]) + 1}")
        assert first_difference(higher) == line_of(text, "scores")


WITH_DEBTS = [path for path in RECORDS if READ[path].owed is not None]


@pytest.mark.parametrize("path", WITH_DEBTS, ids=[path.stem for path in WITH_DEBTS])
def test_wrong_debts_are_reported(path: Path) -> None:
    """One debt more than the deal leaves is a difference on the line that expects them."""
    text = path.read_text(encoding="utf-8")
    more = re.sub(r"^owed = \[", 'owed = ["0>3 loser 7", ', text, flags=re.MULTILINE)
    assert first_difference(more) == line_of(text, "owed")


UNFINISHED = """format = "gouji-record/1"
rules = "qingdao"
[deal]
hands = ["45", "67", "67", "67", "67", "67"]
lead = 0
actions = [
    "0 play 4",
    "1 ? play,pass",
    "2 ? -",
    "1 play 6",
]
"""


def test_a_short_record_is_the_ground_for_the_cases_below() -> None:
    """The record that the next tests spoil is in order itself."""
    assert gr.check_record(UNFINISHED) == []


@pytest.mark.parametrize(
    ("was", "becomes", "line"),
    [
        ('"2 ? -"', '"1 ? -"', 9),
        ('"1 ? play,pass"', '"1 ? -"', 8),
        ('"2 ? -"', '"2 ? play,pass"', 9),
        ('"1 play 6"', '"1 play 67"', 10),
        ('"1 play 6"', '"1 play 9"', 10),
        ('"1 play 6"', '"2 play 6"', 10),
        ('"1 play 6"', '"1 jump 6"', 10),
        ('"1 play 6"', '"1 play Z"', 10),
        ('"1 play 6"', '"6 play 6"', 10),
        ('"1 play 6"', '"1 kill 6"', 10),
        ('"1 ? play,pass"', '"1 ? play,leap"', 8),
        ('"0 play 4"', '"= 1 leads"', 7),
        ("lead = 0", "lead = 6", 5),
        ('"qingdao"', '"atlantis"', 2),
        ('"gouji-record/1"', '"gouji-record/2"', 1),
        ('"67"]', '"6799999999999999999"]', 4),
        ('"67"]', '"67sssss"]', 4),
        ('"67"]', '"67?"]', 4),
        (', "67"]', "]", 4),
    ],
)
def test_a_spoiled_record_is_reported_where_it_is_spoiled(was: str, becomes: str, line: int) -> None:
    """Whatever is wrong with a record is told with its line, never as a traceback."""
    assert was in UNFINISHED
    spoiled = UNFINISHED.replace(was, becomes, 1)
    assert first_difference(spoiled) == line


def test_an_empty_hand_must_revolt() -> None:
    """An empty hand is a revolutionary's: a record in which its seat does not revolt is reported."""
    spoiled = UNFINISHED.replace('"67"]', '""]')
    assert first_difference(spoiled) == line_of(spoiled, '    "0 play 4"')
    revolting = spoiled.replace('"0 play 4",', '"5 revolt",\n    "2 head drop",\n    "0 play 4",')
    assert gr.check_record(revolting) == []


@pytest.mark.parametrize("dealt", ["", "dealt = true\n"], ids=["ready", "as dealt"])
def test_an_empty_hand_is_refused_where_nobody_revolts(dealt: str) -> None:
    """Without revolution a seat without cards could do nothing: such a hand is refused, and its seat named."""
    off = UNFINISHED.replace("[deal]\n", f'[options]\nrevolution = "off"\n\n[deal]\n{dealt}')
    assert gr.check_record(off) == []
    found = gr.check_record(off.replace('"67"]', '""]'))
    assert [(difference.line, "seat 5 has no cards" in difference.message) for difference in found] == [
        (line_of(off, "hands"), True)
    ]


def test_a_result_expected_of_an_unfinished_deal_is_reported() -> None:
    """Places expected of a deal that is not over are a difference."""
    text = UNFINISHED + "[expect]\nplaces = [0, 1, 2, 3, 4, 5]\n"
    assert first_difference(text) == line_of(text, "places")


def test_missing_declines_are_supplied_where_the_format_says_so() -> None:
    """A `?` with verbs about a seat outside the window, an action and `= N leads` supply declines; `? -` does not."""
    head = UNFINISHED[: UNFINISHED.index("actions")].replace('"45"', '"KK5"').replace('"67"', '"AA7"', 1)
    for supplying in ("3 ? pass", "3 pass"):
        assert gr.check_record(f'{head}actions = ["0 play KK", "1 ? burn,decline", "{supplying}"]\n') == []
    silent = '"3 ? -", "1 ? burn,decline", "0 ? -", "4 ? decline"'
    assert gr.check_record(f'{head}actions = ["0 play KK", {silent}]\n') == []
    dead = head.replace('"KK5"', '"5"').replace('"67"', '"27"', 2)
    before = '"0 play 5", "1 pass", "2 pass", "3 play 2", "4 ? decline"'
    assert gr.check_record(f'{dead}actions = [{before}, "= 3 leads", "3 play 7"]\n') == []
    two_windows = ["b", "KK3", "AA4", "22A3", "345", "346"]
    head = f'format = "gouji-record/1"\nrules = "qingdao"\n[deal]\nhands = {json.dumps(two_windows)}\nlead = 0\n'
    burned = '"0 play b", "1 play KK", "2 burn AA"'
    for supplying in ('"3 ? play,pass", "3 play 22"', '"3 play 22"', '"3 pass"'):
        assert gr.check_record(f"{head}actions = [{burned}, {supplying}]\n") == []
    assert gr.check_record(f'{head}actions = [{burned}, "3 ? -", "5 ? decline", "5 decline", "1 ? decline"]\n') == []


def test_declines_are_supplied_for_one_window_alone() -> None:
    """The last decline supplied may open another window: its seats are still asked, seat 5 of a higher number too."""
    hands = ["54", "bb345", "b345", "345", "345", "345"]
    head = f'format = "gouji-record/1"\nrules = "competition"\n[deal]\nhands = {json.dumps(hands)}\nlead = 0\n'
    story = '"0 play 5", "1 pass", "2 play b", "1 kill bb"'
    for asked in ("5 ? decline", "5 decline", "2 ? decline"):
        assert gr.check_record(f'{head}actions = [{story}, "{asked}"]\n') == []
