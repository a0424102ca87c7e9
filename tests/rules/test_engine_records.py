"""Reading, writing and showing records: what is malformed is named with its line, what is written is read back."""

from __future__ import annotations

import re

import pytest

import gouji_rules as gr

QINGDAO = gr.preset("qingdao")
GOOD = """format = "gouji-record/1"
rules = "qingdao"

[options]
gouji_twos = 2

[deal]
hands = ["KK345", "AA345", "345", "3456", "AA345", "345"]
lead = 0
actions = [
  "0 play KK",
  "4 ? burn,decline",
  "5 ? decline",
  "3 ? -",
  "4 burn AA ! R31",
  "3 ? pass",
  "3 pass",
  "= 0 leads",
]
"""


def test_a_good_record_has_no_difference() -> None:
    """The record of this page is read, holds, and comes back as it was after writing."""
    text = GOOD.replace("[options]\ngouji_twos = 2\n", "").replace('"4 ? burn,decline"', '"4 ? decline"')
    assert gr.check_record(text) == []
    record = gr.read_record(text)
    assert gr.read_record(gr.write_record(record)) == record


def test_options_are_kept() -> None:
    """Overrides of the preset are read and written."""
    record = gr.read_record(GOOD)
    assert record.rules == QINGDAO.replace(gouji_twos=2)
    assert gr.read_record(gr.write_record(record)).rules == record.rules


def is_chinese(text: str) -> bool:
    """Whether a text has a Chinese character."""
    return re.search("[一-鿿]", text) is not None


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('"gouji-record/1"', '"gouji-record/2"', 1, "format must be"),
        ('rules = "qingdao"', 'rules = "qingdoa"', 2, "no preset qingdoa"),
        ('rules = "qingdao"', 'rules = "tsingtao"', 2, "there is no preset tsingtao"),
        ('rules = "qingdao"', "rules = 3", 2, "must name a preset"),
        ("gouji_twos = 2", "gouji_twos = 3", 5, "one of 1, 2"),
        ("gouji_twos = 2", "goujitwos = 2", 5, "no option goujitwos"),
        ("gouji_twos = 2", 'calls = "open"', 5, "calls needs opening"),
        ("gouji_twos = 2", 'calls = "both"', 5, "calls needs opening"),
        ('"345", "3456"', '"3x5", "3456"', 8, "seat 2"),
        ('"AA345", "345"]', '"AA345"]', 8, "hands must be 6"),
        ("lead = 0", "lead = 6", 9, "lead must be a seat"),
        ("lead = 0", "led = 0", 9, "led is unknown"),
        ("lead = 0", 'lead = 0\nseed = "00"', 7, "either hands or seed"),
        ('"0 play KK"', '"0 paly KK"', 11, "“paly” is no verb"),
        ('"0 play KK"', '"0 play KX"', 11, "“X”"),
        ('"0 play KK"', '"0 play K3"', 11, "refused by R10"),
        ('"0 play KK"', '"6 play KK"', 11, "is no entry"),
        ('"0 play KK"', '"0 kill KK"', 11, "refused by R15"),
        ('"4 ? burn,decline"', '"4 ? burm"', 12, "“burm” is no verb"),
        ('"4 ? burn,decline"', '"4 ? kill"', 12, "open are decline"),
        ('"4 ? burn,decline"', '"4 ? decline', 12, "not a TOML file"),
        ('"= 0 leads"', '"= 9 leads"', 18, "is no fact"),
        ("[deal]", "[dael]", 7, "dael is unknown"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, line: int, said: str) -> None:
    """A malformed record gives one clear difference with the line where it is wrong, never a traceback."""
    assert old in GOOD
    differences = gr.check_record(GOOD.replace(old, new, 1))
    assert len(differences) >= 1
    assert said in differences[0].message
    assert differences[0].line == line
    assert is_chinese(differences[0].text_zh)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('"5 ? decline"', '"5 ? burn,decline"', 13, "open are decline"),
        ('"3 ? -"', '"2 ? -"', 14, "seat 2 is asked: decline"),
        ('"4 burn AA ! R31"', '"4 burn AA ! R12"', 15, "the record expects R12"),
        ('"4 burn AA ! R31"', '"4 decline !"', 15, "the rules allow it"),
        ('"3 ? pass"', '"1 ? pass"', 16, "open are decline"),
        ('"3 pass"', '"3 play 44"', 17, "refused by R"),
        ('"= 0 leads"', '"= 3 leads"', 18, "seat 0 leads"),
        ('"3 pass",\n', "", 17, "the trick is not over"),
    ],
)
def test_what_differs_is_named_with_its_line(old: str, new: str, line: int, said: str) -> None:
    """An assertion that does not hold, and an answer that is refused, are told with their line."""
    text = GOOD.replace("gouji_twos = 2", "gouji_twos = 1").replace('"4 ? burn,decline"', '"4 ? decline"')
    assert gr.check_record(text) == []
    assert old in text
    differences = gr.check_record(text.replace(old, new, 1))
    assert [difference.line for difference in differences] == [line]
    assert said in differences[0].message
    assert is_chinese(differences[0].text_zh)


def test_empty_hands_are_revolutionaries() -> None:
    """A seat without cards must revolt; one that does not is named (R50)."""
    text = GOOD.replace('"3456"', '""').replace("gouji_twos = 2", "")
    differences = gr.check_record(text)
    assert [difference.message for difference in differences] == [
        "“0 play KK”: seat 3 has no cards and does not revolt"
    ]
    story = '"3 revolt", "0 head keep", "0 play KK", "4 ? decline", "= 0 leads"'
    before, _, _ = text.partition("actions")
    assert gr.check_record(f"{before}actions = [{story}]\n") == []


def test_show_tells_trick_by_trick() -> None:
    """The story of a record: what came before the first lead, then each trick with who won it."""
    text = GOOD.replace('"4 ? burn,decline"', '"4 ? decline"').replace("gouji_twos = 2", "")
    tricks = list(gr.show_record(text))
    assert [trick.number for trick in tricks] == [1]
    trick = tricks[0]
    assert [(step.seat, step.what, step.play) for step in trick.steps] == [(0, "lead", "KK"), (3, "pass", "")]
    assert trick.steps[0].notes == ("gouji",)
    assert (trick.owner, trick.next_leader) == (0, 0)


def test_show_stops_where_the_rules_refuse() -> None:
    """A record that cannot be replayed is told as far as it goes, then named with its line."""
    story = gr.show_record(GOOD.replace('"3 pass"', '"3 play 3"'))
    assert next(story).steps[0].play == "KK"
    with pytest.raises(gr.RecordError, match="refused by R11") as caught:
        next(story)
    assert caught.value.line == 17


def test_a_seed_instead_of_hands() -> None:
    """A record may name a seed; then the lead follows from it and must not be given."""
    seed = "ab" * 32
    text = f'format = "gouji-record/1"\nrules = "qingdao"\n[deal]\nseed = "{seed}"\nactions = []\n'
    assert gr.check_record(text) == []
    assert gr.read_record(text).seed == bytes.fromhex(seed)
    assert "lead follows" in gr.check_record(text + "lead = 0\n")[0].message
    assert "64 hexadecimal" in gr.check_record(text.replace("ab" * 32, "ab"))[0].message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "format = 1",
        'format = "gouji-record/1"',
        "\x00",
        'format = "gouji-record/1"\nrules = "qingdao"\ndeal = 3',
    ],
)
def test_nonsense_is_a_difference(text: str) -> None:
    """Whatever the text, checking it answers with differences."""
    assert gr.check_record(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("expect = 5\n[deal]\n", "expect must be a table"),
        ("[options]\nself = 1\n", "there is no option self"),
        ("[expect]\nplaces = [" + "9" * 5000 + "]\n", "not a TOML file"),
    ],
    ids=["no table", "a word of the language", "an endless number"],
)
def test_spoiled_records_are_refused_in_words(text: str, said: str) -> None:
    """A record whose parts are of the wrong kind is a RecordError like any other, whatever the text holds."""
    with pytest.raises(gr.RecordError, match=said):
        gr.read_record(f'format = "gouji-record/1"\nrules = "qingdao"\n{text}')
