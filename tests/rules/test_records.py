"""The records of tests/records against the engine, every rule number of qingdao among them, and the checker itself."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from random import Random

import pytest

import gouji_rules as gr

HERE = Path(__file__).parent
RECORDS = sorted((HERE.parent / "records").glob("*.toml"))
NAMES = [path.stem for path in RECORDS]

RULE_NUMBERS = [
    *range(1, 7),
    8,
    *range(10, 15),
    16,
    *range(20, 38),
    *range(50, 53),
    54,
    *range(60, 64),
    80,
    84,
]
"""The rules that preset qingdao plays by (docs/rules.md)."""

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
    assert re.match(r"# [A-Z0-9qs][^\n]{30,}\n", text)
    named = re.match(r"R(\d\d)_", path.name)
    assert named is not None
    assert int(named[1]) in {number for number, _ in declared(text)}


def test_every_rule_applies_and_refuses_somewhere() -> None:
    """Each rule of qingdao has a record, or a test module where none can say it, that applies and one that refuses."""
    shown = set()
    for path in [*RECORDS, *HERE.glob("test_R*.py")]:
        shown |= declared(path.read_text(encoding="utf-8"))
    missing = [f"R{n} {how}" for n in RULE_NUMBERS for how in ("applies", "refuses") if (n, how) not in shown]
    assert missing == []


def turned(text: str, steps: int) -> str:
    """The record with every seat moved on by so many steps, in its payers and receivers too."""
    data = tomllib.loads(text)
    deal = data["deal"]
    hands = [deal["hands"][(seat - steps) % 6] for seat in range(6)]
    actions = [re.sub(r"\d", lambda seat: str((int(seat[0]) + steps) % 6), entry, count=1) for entry in deal["actions"]]
    owed = [gr.parse_obligation(debt) for debt in deal.get("obligations", [])]
    debts = [f"{(o.payer + steps) % 6}>{(o.receiver + steps) % 6} {o.kind} {o.count}" for o in owed]
    lines = ['format = "gouji-record/1"', f'rules = "{data["rules"]}"', "[options]"]
    lines += [f"{option} = {json.dumps(value)}" for option, value in data.get("options", {}).items()]
    lines += [
        "[deal]",
        f"dealt = {json.dumps(deal.get('dealt', False))}",
        f"obligations = {json.dumps(debts)}",
        f"hands = {json.dumps(hands)}",
        f"lead = {(deal['lead'] + steps) % 6}",
        f"actions = {json.dumps(actions)}",
    ]
    expect = data.get("expect", {})
    if expect:
        lines += ["[expect]", f"places = {[(seat + steps) % 6 for seat in expect['places']]}"]
    if "scores" in expect:
        lines.append(f"scores = {expect['scores'][::-1] if steps % 2 else expect['scores']}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", RECORDS, ids=NAMES)
def test_a_record_holds_wherever_one_sits(path: Path) -> None:
    """No seat is special: with all seats moved on by one to five steps the record holds as well."""
    text = path.read_text(encoding="utf-8")
    for steps in range(1, 6):
        assert gr.check_record(turned(text, steps)) == [], f"moved on by {steps}"


# ── the checker ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", RECORDS, ids=NAMES)
def test_a_legal_answer_marked_as_refused_is_reported(path: Path) -> None:
    """An answer that the rules allow is a difference on its own line once it is marked `!`."""
    text = path.read_text(encoding="utf-8")
    answers = [(number, entry) for number, entry in entries(text) if not re.search(r"[!?=]", entry)]
    for number, entry in answers:
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
    for number, entry in [(number, entry) for number, entry in entries(text) if entry.startswith("=")]:
        wrong = f"= {(int(entry[2]) + 1) % 6} leads"
        assert first_difference(with_line(text, number, wrong)) == number


WITH_RESULT = [path for path in RECORDS if "[expect]" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", WITH_RESULT, ids=[path.stem for path in WITH_RESULT])
def test_wrong_places_and_scores_are_reported(path: Path) -> None:
    """Two places exchanged, or a score one too high, are a difference on the line that expects them."""
    text = path.read_text(encoding="utf-8")
    order = re.search(r"^places = \[(\d), (\d)", text, re.MULTILINE)
    assert order is not None
    exchanged = text.replace(order[0], f"places = [{order[2]}, {order[1]}")
    assert first_difference(exchanged) == line_of(text, "places")
    score = re.search(r"^scores = \[(\d+)", text, re.MULTILINE)
    if score is not None:
        higher = text.replace(score[0], f"scores = [{int(score[1]) + 1}")
        assert first_difference(higher) == line_of(text, "scores")


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
