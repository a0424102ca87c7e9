"""Where the entries of a record stand, that finding it is work in step with the text, and what no record may be."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, SupportsIndex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gouji_rules as gr
from gouji_rules.records import RecordError
from gouji_rules.records.places import MOST_CHARACTERS, places_in
from gouji_rules.records.reading import read_record

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

RECORDS = sorted((Path(__file__).parents[1] / "records").glob("*.toml"))
TOP = 'format = "gouji-record/1"\nrules = "qingdao"\n'
DEAL = '[deal]\nhands = ["345", "345", "345", "345", "345", "345"]\nlead = 0\n'


def refused(text: str) -> RecordError:
    """What a text is refused with."""
    with pytest.raises(RecordError) as caught:
        read_record(text)
    return caught.value


# ── where things stand ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "entry",
    [
        '"0 play\\u00204",',
        "'0 play 4',",
        '"""0 play 4""",',
        "'''0 play 4''',",
        '"0 play 4", # "1 pass", [',
        '"\\u0030 play 4",',
    ],
)
def test_an_entry_has_its_line_however_it_is_written(entry: str) -> None:
    """Escapes, the four kinds of quotes and comments: each entry is named with the line on which it stands."""
    text = f'{TOP}# actions = ["9"]\n{DEAL}actions = [\n{entry}\n"1 pass",\n]\n'
    assert [line.line for line in read_record(text).lines] == [8, 9]
    assert [line.said for line in read_record(text).lines] == ["play 4", "pass"]


def test_an_escaped_entry_that_is_wrong_is_named_with_its_line() -> None:
    """A spoiled entry with an escape is reported where it stands, like any other."""
    assert [found.line for found in gr.check_record(f'{TOP}{DEAL}actions = [\n"0 play\\u00206"]\n')] == [7]
    assert refused(f'{TOP}{DEAL}actions = [\n"0 \\u0021"]\n').line == 7


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('format = "gouji-record/1"\nrules = "qingdao"\ndeal.hands = 3\ndeal.lead = 0\n', 3),
        ('format = "gouji-record/1"\nrules = "qingdao"\ndeal = {lead = 0, hands = 3}\n', 3),
        ('format = "gouji-record/1"\nrules = "qingdao"\n"deal" . "hands" = 3\n', 3),
        ('format = "gouji-record/1"\nrules = "qingdao"\n[ "deal" ]\nlead = 0\n"hands" = 3\n', 5),
        ('format = "gouji-record/1"\nrules = "qingdao"\n["de\\u0061l"]\nlead = 0\n"\\U00000068ands" = 3\n', 5),
        ('# [deal]\n# hands = 3\nformat = "gouji-record/1"\nrules = "qingdao"\n[deal]\n  hands=3\n', 6),
        ('format = "gouji-record/1"\nrules = "qingdao"\n[deal]\nlead = """\nhands = 1\n"""\nhands=3\n', 7),
    ],
)
def test_a_key_has_its_line_however_it_is_written(text: str, line: int) -> None:
    """Dotted, quoted and inline keys are named with their line; the same words in comments and texts are not taken."""
    assert refused(text).line == line


def test_each_deal_has_its_own_lines() -> None:
    """Of several deals each has the lines of its own keys and entries, and the table [expect] those of the match."""
    part = 'hands = ["3", "4", "5", "6", "7", "8"]\nlead = 1\nactions = [\n"1 play 4"]\n[deal.expect]\nplaces = [0]\n'
    record = read_record(f"{TOP}[[deal]]\n{part}[[ deal ]] # next\n{part}[expect]\nscores = [1]\n")
    assert [deal.key_lines["deal"] for deal in record.deals] == [3, 10]
    assert [deal.key_lines["places"] for deal in record.deals] == [9, 16]
    assert [deal.lines[0].line for deal in record.deals] == [7, 14]
    assert record.key_lines["scores"] == 18


def test_escaped_keys_name_the_same_deals() -> None:
    """Keys and headers with escapes are those that they stand for: each deal and entry keeps its line."""
    part = 'hands = ["3", "4", "5", "6", "7", "8"]\nlead = 1\n"act\\u0069ons" = [\n"1 play 4"]\n'
    record = read_record(f'{TOP}[[deal]]\n{part}[["de\\u0061l"]]\n{part}')
    assert [deal.key_lines["deal"] for deal in record.deals] == [3, 8]
    assert [deal.lines[0].line for deal in record.deals] == [7, 12]


def test_a_byte_order_mark_is_no_part_of_a_record() -> None:
    """A file that an editor began with a mark is read, and its lines count alike; anywhere else the mark is refused."""
    text = f'{TOP}{DEAL}actions = [\n"0 play 6"]\n'
    assert gr.check_record(f"\ufeff{text}") == gr.check_record(text)
    assert refused(f"\ufeff\ufeff{text}").message.startswith("not a TOML file")


HUGE = "0x" + "f" * 5000
"""A number that Python does not write in decimals."""


@pytest.mark.parametrize("value", ['"' + "v" * 5000 + '"', HUGE, f"[{HUGE}]"])
@pytest.mark.parametrize(
    "text",
    [
        "format = {value}",
        TOP + DEAL.replace("lead = 0", "lead = {value}"),
        TOP + DEAL + "dealt = {value}",
        TOP + DEAL + "actions = [{value}]",
        TOP + DEAL + "[expect]\nfirst_drawer = {value}",
        TOP + "deals = {value}\n[[deal]]\n",
        TOP + "[expect]\nlot = {value}\n[[deal]]\n" + DEAL.partition("\n")[2],
        TOP + "[expect]\ndissolved = {value}\n[[deal]]\n" + DEAL.partition("\n")[2],
        TOP + "[options]\ndecks = {value}\n" + DEAL,
        TOP + "[options]\npoints = {value}\n" + DEAL,
        TOP + "[options]\nremoved = {value}\n" + DEAL,
        TOP + '[options]\n"{key}" = 1\n' + DEAL,
        TOP + '"{key}" = {value}\n' + DEAL,
        TOP + DEAL + '"{key}" = 1',
        TOP + DEAL + '[expect]\n"{key}" = {value}',
        TOP + '[options]\n"{key}" = {value}\n[expect]\nrefused = {value}',
        'format = "gouji-record/1"\nrules = {value}\n' + DEAL,
    ],
)
def test_a_refusal_repeats_little_of_what_it_refuses(text: str, value: str) -> None:
    """However long a key or a value is, the message is short, and says at its end what is wanted."""
    said = refused(text.replace("{value}", value).replace("{key}", "k" * 5000)).message
    assert len(said) < 400
    assert "v" * 200 not in said


def test_deals_in_one_list_have_the_lines_of_their_entries() -> None:
    """Deals written as a list of inline tables are told apart too, one without entries among them."""
    one = 'hands = ["3", "4", "5", "6", "7", "8"], lead = 1'
    text = f'{TOP}deal = [\n{{{one}, actions = ["1 play 4"]}},\n{{{one}}},\n{{{one}, actions = ["1 play 4"]}}]\n'
    assert [[line.line for line in deal.lines] for deal in read_record(text).deals] == [[4], [], [6]]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_entry_of_every_record_stands_on_its_line(path: Path) -> None:
    """In all records of the project the line named for an entry has the entry's text."""
    text = path.read_text(encoding="utf-8")
    record = read_record(text)
    lines = text.splitlines()
    for deal in record.deals or (record,):
        assert all(f'"{entry.text}"' in lines[entry.line - 1] for entry in deal.lines)
        assert all(key in lines[line - 1] for key, line in deal.key_lines.items() if line)


@given(st.text(alphabet="ab.=[]{}\"'\\#\n, "))
@settings(deadline=None)
def test_whatever_the_text_it_is_read_or_refused(text: str) -> None:
    """A text of quotes, brackets and keys in any order is a record or is refused with a reason."""
    assert isinstance(gr.check_record(text)[0].message, str)


# ── work in step with the text ───────────────────────────────────────────────────────────────────────────────────────


class Watched(str):
    """A text that counts how many of its characters were looked through or copied by its own methods."""

    __slots__ = ("looked",)
    looked: int

    def find(self, sub: str, start: SupportsIndex | None = None, end: SupportsIndex | None = None, /) -> int:
        """Find, counting up to what is found."""
        found = super().find(sub, start, end)
        self.looked += (len(self) if found < 0 else found) - int(start or 0)
        return found

    def count(self, sub: str, start: SupportsIndex | None = None, end: SupportsIndex | None = None, /) -> int:
        """Count, counting the characters between."""
        self.looked += int(len(self) if end is None else end) - int(start or 0)
        return super().count(sub, start, end)

    def __getitem__(self, key: SupportsIndex | slice, /) -> str:
        """Cut a piece out, counting its characters."""
        piece = super().__getitem__(key)
        self.looked += len(piece)
        return piece


def work_on(text: str) -> tuple[int, int]:
    """The calls made while a record is checked, of C's functions too, and the characters looked through."""
    calls = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    watched = Watched(text)
    watched.looked = 0
    sys.setprofile(note)
    try:
        gr.check_record(watched)
    finally:
        sys.setprofile(None)
    return calls, watched.looked


LONG: dict[str, Callable[[int], str]] = {
    "entries with escapes": lambda n: f"{TOP}{DEAL}actions = [\n" + '"0 ? play\\u0020",\n' * n + "]\n",
    "entries": lambda n: f"{TOP}{DEAL}actions = [\n" + '"0 ? play",\n' * n + "]\n",
    "refused answers": lambda n: f"{TOP}{DEAL}actions = [\n" + '"0 play 4444 ! R16",\n' * n + "]\n",
    "facts": lambda n: f"{TOP}{DEAL}actions = [\n" + '"= 0 holds 345",\n' * n + "]\n",
    "deals": lambda n: f"{TOP}" + '[[deal]]\nhands = ["3", "4", "5", "6", "7", "8"]\nlead = 1\n' * n,
    "debts": lambda n: f"{TOP}{DEAL}obligations = [\n" + '"0>3 point 1",\n' * n + "]\n",
    "tables": lambda n: TOP + "".join(f"[t{number}]\n" for number in range(n)),
    "options": lambda n: f"{TOP}[options]\n" + "".join(f"k{number} = 1\n" for number in range(n)),
    "comments": lambda n: TOP + "# actions = [\n" * n,
}


@pytest.mark.parametrize("shape", LONG)
def test_twice_the_text_is_twice_the_work(shape: str) -> None:
    """Calls and characters looked through grow with the text's size, whatever the text is long of."""
    small, large = (work_on(LONG[shape](n)) for n in (400, 800))
    assert large[0] <= 2.1 * small[0] + 1000
    assert large[1] <= 2.1 * small[1] + 1000
    assert large[1] <= 4 * len(LONG[shape](800))


# ── what no record may be ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (f"{TOP}x = " + "[" * 100_000, 3, "nested more than 8 deep"),
        (f"{TOP}x = " + "{a = " * 1000 + "1" + "}" * 1000, 3, "nested more than 8 deep"),
        (f"{TOP}a" + ".a" * 100_000 + " = 1\n", 3, "nested more than 8 deep"),
        (f"{TOP}[a" + ".a" * 100_000 + "]\n", 3, "nested more than 8 deep"),
        (f"{TOP}{DEAL}" + 'actions = [\n"0' + " " * 500 + '!"]\n', 7, "at most 400 characters"),
        (f"{TOP}{DEAL}obligations = [\n" + '"0>3 point 1",\n' * 201 + "]\n", 6, "at most 200 entries"),
        (TOP + '[[deal]]\nhands = ["3", "4", "5", "6", "7", "8"]\nlead = 1\n' * 1001, 3003, "at most 1000 deals"),
        (f"{TOP}deal = [" + "{}," * 1001 + "]\n", 3, "at most 1000 deals"),
    ],
    ids=["arrays", "inline tables", "key", "header", "entry", "debts", "deals", "deals in a list"],
)
def test_what_is_larger_than_any_record_is_refused(text: str, line: int, said: str) -> None:
    """Depth, entries, debts and deals are bounded, each refused with its line instead of costing more and more."""
    error = refused(text)
    assert (error.line, said in error.message) == (line, True)


def test_a_text_longer_than_any_record_is_refused_unread() -> None:
    """The length comes first: nothing of such a text is read."""
    assert f"at most {MOST_CHARACTERS} characters" in refused("#" * (MOST_CHARACTERS + 1)).message


def test_a_refusal_stays_short() -> None:
    """What is wrong is named without the whole of it, however long a key or a value is."""
    assert len(refused(TOP + "k" * 1_000_000 + " = 1\n").message) < 2100
    assert len(refused(f'format = "{"x" * 1_000_000}"\n').message) < 2100


def test_what_no_string_closes_is_no_record() -> None:
    """A text whose quotes never close is gone through once and refused as no TOML."""
    text = f'{TOP}x = """' + '\\"""x\n' * 1000
    assert len(places_in(text).whole.lines) == 3
    assert "not a TOML file" in refused(text).message
