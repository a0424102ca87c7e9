"""`gouji record check` and `gouji record show`."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import gouji_rules as gr
from gouji_cli.record_words import STEPS
from gouji_rules.option_texts import OPTION_TEXTS
from gouji_rules.records import record_of_deal, write_record
from gouji_rules.records.telling import WORDS
from gouji_rules.rule_set import OPTION_NAMES
from tests.clients.cli_run import NEUTRAL, gouji, gouji_process, has_no_traceback

RECORDS = Path(__file__).parents[1] / "records"

SITUATION = """\
format = "gouji-record/1"
rules = "qingdao"
[deal]
hands = ["55", "66", "77", "88", "99", "TT"]
lead = 0
actions = [
  "0 play 5",
  "1 play 6",
]
"""


def full_deal(seed: int) -> str:
    """Return the record of a whole deal of random actions."""
    rng = random.Random(seed)
    deal = gr.Deal.start(gr.preset("qingdao"), rng.randbytes(32))
    while not deal.over:
        question = deal.question
        assert question is not None
        seat = next(seat for seat in question.seat_list if deal.is_asked(seat))
        deal.apply(seat, rng.choice(list(deal.legal_actions(seat))))
    return write_record(record_of_deal(deal))


@pytest.fixture
def situation(tmp_path: Path) -> Path:
    """A small record that holds."""
    file = tmp_path / "situation.toml"
    file.write_text(SITUATION, encoding="utf-8")
    return file


@pytest.mark.parametrize("seed", range(3))
def test_a_whole_deal_agrees(tmp_path: Path, seed: int) -> None:
    """The record of a deal that the engine played is accepted, and shown to its end."""
    file = tmp_path / "deal.toml"
    file.write_text(full_deal(seed), encoding="utf-8")
    checked = gouji("record", "check", str(file))
    assert (checked.exit_code, checked.stdout, checked.stderr) == (0, "1 of 1 record agrees with the rules\n", "")
    shown = gouji("record", "show", str(file))
    assert shown.exit_code == 0
    assert "trick 1" in shown.stdout
    assert "deal over" in shown.stdout or "void" in shown.stdout


def test_a_difference_is_named_with_file_and_line(situation: Path) -> None:
    """A line that the rules refuse is named; the exit status is 1 and the other files are still checked."""
    bad = situation.with_name("bad.toml")
    bad.write_text(SITUATION.replace("1 play 6", "1 play 66"), encoding="utf-8")
    result = gouji("record", "check", str(bad), str(situation))
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{bad}:8: ")
    assert "R11" in lines[0]
    assert lines[-1] == "1 of 2 records agree with the rules"


def test_a_wrong_expectation_differs(situation: Path) -> None:
    """What a record expects of the end is checked: a deal that is not over has no places."""
    situation.write_text(SITUATION + "[expect]\nplaces = [0, 1, 2, 3, 4, 5]\n", encoding="utf-8")
    result = gouji("record", "check", str(situation))
    assert result.exit_code == 1
    assert "not over" in result.stdout


def test_show_says_of_a_record_what_check_says(situation: Path) -> None:
    """`show` ends with the status of `check`, and names what differs, also where the deal can be told to its end."""
    good = situation.read_text(encoding="utf-8")
    for added in ("places = [0, 1, 2, 3, 4, 5]", "scores = [1, 2]"):
        situation.write_text(f"{good}[expect]\n{added}\n", encoding="utf-8")
        checked, shown = gouji("record", "check", str(situation)), gouji("record", "show", str(situation))
        assert (checked.exit_code, shown.exit_code) == (1, 1)
        assert "seat 1 follow 6" in shown.stdout
        assert shown.stderr == f"gouji: {checked.stdout.splitlines()[0]}\n"
        told = json.loads(gouji("record", "show", "--json", str(situation)).stdout)
        assert (told["ok"], [found["line"] for found in told["differences"]]) == (False, [11])
    situation.write_text(good, encoding="utf-8")
    assert json.loads(gouji("record", "show", "--json", str(situation)).stdout)["ok"] is True


def test_a_match_whose_last_deal_is_not_over_is_said_to_be_so(situation: Path) -> None:
    """`join` of an unfinished deal prints the match as far as it goes and says on stderr that it stops there."""
    joined = gouji("record", "join", str(situation))
    assert joined.exit_code == 0
    assert f"the deal of {situation} is not over" in joined.stderr
    match = situation.with_name("match.toml")
    match.write_text(joined.stdout, encoding="utf-8")
    assert gouji("record", "check", str(match)).exit_code == 0
    situation.with_name("whole.toml").write_text(full_deal(1), encoding="utf-8")
    assert gouji("record", "join", str(situation.with_name("whole.toml"))).stderr == ""


def test_check_tells_a_program_everything(situation: Path) -> None:
    """The JSON holds every file with its differences or its error."""
    bad = situation.with_name("bad.toml")
    bad.write_text(SITUATION.replace("1 play 6", "1 play 66"), encoding="utf-8")
    result = gouji("record", "check", "--json", str(situation), str(bad), "missing.toml")
    assert result.exit_code == 2
    told = json.loads(result.stdout)
    assert told["ok"] is False
    assert [file["ok"] for file in told["files"]] == [True, False, False]
    assert told["files"][1]["differences"][0]["line"] == 8
    assert told["files"][1]["error"] is None
    assert "missing.toml" in told["files"][2]["error"]


def test_show_tells_a_program_trick_by_trick(situation: Path) -> None:
    """The JSON holds the tricks with their steps."""
    told = json.loads(gouji("record", "show", "--json", str(situation)).stdout)
    assert told["rules"] == "qingdao"
    assert told["error"] is None
    assert [(step["seat"], step["what"], step["play"]) for step in told["tricks"][0]["steps"]] == [
        (0, "lead", "5"),
        (1, "follow", "6"),
    ]


def test_show_tells_what_came_before_a_refused_line(situation: Path) -> None:
    """A record that the rules refuse is told up to there; the refused line is named and the exit status is 1."""
    situation.write_text(SITUATION.replace("1 play 6", "1 play 66"), encoding="utf-8")
    result = gouji("record", "show", str(situation))
    assert result.exit_code == 1
    assert "seat 0 lead 5" in result.stdout
    assert f"{situation}:8:" in result.stderr


def test_standard_input_is_a_file_too() -> None:
    """`-` reads a record from a pipe."""
    done = subprocess.run(
        [sys.executable, "-m", "gouji_cli", "record", "check", "-"],
        input=SITUATION.encode(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"1 of 1 record agrees with the rules\n")


def unreadable() -> dict[str, bytes]:
    """Return contents that are no record, by what is wrong with them."""
    text = SITUATION.encode()
    return {
        "empty": b"",
        "no TOML": b"this is no TOML",
        "unclosed": text.replace(b"]\n", b"\n"),
        "binary": bytes(range(256)),
        "latin-1": "# ü\n".encode("latin-1") + text,
        "utf-16": SITUATION.encode("utf-16"),
        "zero bytes": bytes(1000),
        "another format": text.replace(b"record/1", b"record/2"),
        "no format": text.replace(b'format = "gouji-record/1"\n', b""),
        "no such rules": text.replace(b"qingdao", b"x"),
        "rules no text": text.replace(b'"qingdao"', b"7"),
        "five hands": text.replace(b'"TT"', b""),
        "bad card": text.replace(b"TT", b"T?"),
        "too many of a card": text.replace(b"TT", b"b" * 9),
        "lead too high": text.replace(b"lead = 0", b"lead = 6"),
        "lead no number": text.replace(b"lead = 0", b"lead = true"),
        "hands and seed": text.replace(b"lead = 0", b'seed = "00"'),
        "no deal": text.partition(b"[deal]")[0],
        "deal no table": text.partition(b"[deal]")[0] + b"deal = 3",
        "deal a list": text.partition(b"[deal]")[0] + b"deal = [3]",
        "deals that are none": text.partition(b"[deal]")[0] + b"deal = []",
        "unknown option": text.replace(b"[deal]", b"[options]\nnonsense = 1\n[deal]"),
        "option of a wrong type": text.replace(b"[deal]", b"[options]\ndecks = 1979-05-27\n[deal]"),
        "option with a list": text.replace(b"[deal]", b"[options]\npoints = [[1]]\n[deal]"),
        "options no table": text.replace(b"[deal]", b"options = 3\n[deal]"),
        "action no text": text.replace(b'"1 play 6"', b"1"),
        "action unreadable": text.replace(b"1 play 6", b"?"),
        "seat 7": text.replace(b"1 play 6", b"7 play 6"),
        "unknown key": text + b"nonsense = 1\n",
        "places no numbers": text + b'[expect]\nplaces = "x"\n',
        "deep": b"x = " + b"[" * 100_000,
        "long key": b"x" * 1_000_000,
        "huge": b"#" * (5 * 1024 * 1024),
    }


@pytest.mark.parametrize("what", unreadable())
@pytest.mark.parametrize("command", [("check",), ("check", "--json"), ("show",), ("show", "--json")])
def test_what_is_no_record_is_a_clear_error(tmp_path: Path, what: str, command: tuple[str, ...]) -> None:
    """A file that is no record ends with exit status 2 and a line that names it; never with a traceback."""
    file = tmp_path / "bad.toml"
    file.write_bytes(unreadable()[what])
    result = gouji("record", *command, str(file))
    assert result.exit_code == 2, result.output
    told = result.stdout if command == ("check", "--json") else result.stderr
    assert "bad.toml" in told
    assert has_no_traceback(result.output)
    assert len(result.stderr.splitlines()) <= 2


@pytest.mark.parametrize("command", ["check", "show"])
@pytest.mark.parametrize("kind", ["missing", "folder", "forbidden name", "no file at all"])
def test_a_file_that_cannot_be_read_is_a_clear_error(tmp_path: Path, command: str, kind: str) -> None:
    """A missing file, a folder and an impossible name end with exit status 2 and a line on stderr."""
    arguments = {
        "missing": [str(tmp_path / "nowhere.toml")],
        "folder": [str(tmp_path)],
        "forbidden name": ["a\0b"],
        "no file at all": [],
    }[kind]
    result = gouji("record", command, *arguments)
    assert result.exit_code == 2
    assert result.stderr
    assert has_no_traceback(result.output)


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_record_never_ends_in_a_traceback(tmp_path: Path, seed: int) -> None:
    """Whatever bytes of a record are lost, doubled or changed, the answer is a status and a message."""
    rng = random.Random(seed)
    data = bytearray((SITUATION if seed % 2 else full_deal(seed)).encode())
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(data))
        match rng.randrange(3):
            case 0:
                del data[at : at + rng.randint(1, 40)]
            case 1:
                data[at:at] = data[at : at + rng.randint(1, 40)]
            case _:
                data[at] = rng.choice(b'0123456789"[]=! ?-sbTJ\n\xff')
    file = tmp_path / "damaged.toml"
    file.write_bytes(bytes(data))
    for command in ("check", "show"):
        result = gouji("record", command, str(file))
        assert result.exit_code in (0, 1, 2)
        assert has_no_traceback(result.output)


def test_every_record_of_the_rules_can_be_shown() -> None:
    """The records that hold the rules down can all be told, with no line left in the middle."""
    files = sorted(RECORDS.glob("*.toml"))
    assert files
    for file in files:
        result = gouji("record", "show", str(file))
        assert result.exit_code == 0, (file.name, result.stderr)
        assert result.stdout.startswith("rules ")


def test_a_closed_pipe_is_no_fault(situation: Path) -> None:
    """`gouji record show … | head` ends quietly."""
    long = situation.with_name("long.toml")
    long.write_text(full_deal(1), encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "gouji_cli", "record", "show", str(long)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert has_no_traceback(process.stderr.read().decode())


def test_ascii_terminals_get_ascii(situation: Path) -> None:
    """A record is told in ASCII where the terminal has nothing else."""
    done = gouji_process("record", "show", str(situation), env=NEUTRAL | {"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert done.stdout.isascii()


def deals_of_a_match() -> list[str]:
    """The records of two deals in a row, the second with the tribute of the first, and of one that does not follow."""
    rules = gr.preset("qingdao").replace(tribute=("loser",), revolution="off")
    rng = random.Random(5)
    match = gr.Match(rules)
    texts = []
    for _ in range(2):
        deal = match.start_deal(rng.randbytes(32))
        while not deal.over:
            seat = next(seat for seat in range(6) if deal.is_asked(seat))
            deal.apply(seat, rng.choice(list(deal.legal_actions(seat)[:20])))
        match.finish(deal)
        texts.append(write_record(record_of_deal(deal)))
    return texts


def test_deals_are_joined_to_a_match(tmp_path: Path) -> None:
    """`record join` prints a match that `check` agrees with; out of order, or by other rules, it is refused."""
    files = []
    for number, text in enumerate(deals_of_a_match(), 1):
        files.append(tmp_path / f"deal-{number}.toml")
        files[-1].write_text(text, encoding="utf-8")
    joined = gouji("record", "join", *map(str, files))
    assert joined.exit_code == 0
    match = tmp_path / "match.toml"
    match.write_text(joined.stdout, encoding="utf-8")
    assert gouji("record", "check", str(match)).exit_code == 0
    assert "deal 2" in gouji("record", "show", str(match)).stdout
    backwards = gouji("record", "join", *map(str, reversed(files)))
    assert backwards.exit_code == 1
    assert "does not follow" in backwards.stderr
    other = tmp_path / "other.toml"
    other.write_text(
        files[0].read_text(encoding="utf-8").replace('revolution = "off"', 'show = "auto"'), encoding="utf-8"
    )
    for last, said in ((other, "other rules"), (match, "not of one deal")):
        refused = gouji("record", "join", str(files[0]), str(last))
        assert refused.exit_code == 1
        assert said in refused.stderr
    assert gouji("record", "join", str(files[0]), str(tmp_path / "none.toml")).exit_code == 2
    chinese = gouji("record", "join", *map(str, reversed(files)), env=CHINESE)
    assert "接不上" in chinese.stderr
    too_many = gouji("record", "join", "--deals", "1", *map(str, files))
    assert "the match was over" in too_many.stderr


def test_a_deal_given_twice_is_not_joined(tmp_path: Path) -> None:
    """Where no tribute tells the order, the same deal again is still told: by its seed, or written as hands."""
    rules = gr.preset("qingdao").replace(tribute=(), revolution="off", deals=2)
    deal = gr.Match(rules).start_deal(bytes(32))
    while not deal.over:
        seat = next(seat for seat in range(6) if deal.is_asked(seat))
        deal.apply(seat, deal.legal_actions(seat)[0])
    record = record_of_deal(deal)
    hands = tuple(gr.format_cards(held) for held in deal.dealt)
    assert record.seed is not None
    by_seed, by_hands = tmp_path / "1.toml", tmp_path / "2.toml"
    by_seed.write_text(write_record(record), encoding="utf-8")
    lead = next(play.seat for play in deal.public.plays)
    by_hands.write_text(write_record(replace(record, seed=None, hands=hands, lead=lead)), encoding="utf-8")
    assert gouji("record", "check", str(by_hands)).exit_code == 0
    for other in (by_seed, by_hands):
        again = gouji("record", "join", str(by_seed), str(other))
        assert again.exit_code == 1
        assert "record 2 is the deal of record 1 again" in again.stderr


CHINESE = {"LANG": "zh_CN.UTF-8"}
KNOWN_NAMES = {"hands", *gr.PRESETS, *OPTION_NAMES, *(value for text in OPTION_TEXTS for value, _ in text.values)}
"""Names that are the same in every language: a record's keys, and what is typed."""


def english_words(text: str) -> set[str]:
    """Return the English words in a text; cards and the names of rules, options and their values are none."""
    words = set(re.findall(r"[A-Za-z][A-Za-z_0-9]*", text))
    return {word for word in words if not set(word) <= set(gr.RANKS) and word not in KNOWN_NAMES}


def test_every_record_of_the_rules_is_told_in_chinese() -> None:
    """With a Chinese locale no English word is left in what `show` and `check` tell of a record that holds."""
    for file in sorted(RECORDS.glob("*.toml")):
        shown = gouji("record", "show", str(file), env=CHINESE).stdout
        options = shown.splitlines()[0].partition("(")[2]  # values such as lists of kinds are what is typed, too
        assert english_words(shown.replace(options, "")) == set(), file.name
    checked = gouji("record", "check", *map(str, RECORDS.glob("R2*.toml")), env=CHINESE).stdout
    assert english_words(checked) == set()


@pytest.mark.parametrize("word", WORDS.split("|"))
def test_every_word_of_a_record_has_a_chinese_one(word: str) -> None:
    """Whatever a step is called, there is a Chinese word for it."""
    assert word in STEPS


def test_options_of_a_record_are_told_as_they_are_typed() -> None:
    """The first line names the options as `--set` takes them, lists too."""
    text = (RECORDS / "R79_paid_and_done.toml").read_text(encoding="utf-8")
    assert "[" in text
    first = gouji("record", "show", str(RECORDS / "R79_paid_and_done.toml")).stdout.splitlines()[0]
    assert "tribute = loser" in first


def test_what_is_no_record_is_said_in_chinese(tmp_path: Path) -> None:
    """The command's own errors about files are Chinese, too."""
    bad = tmp_path / "1.toml"
    for data, said in ((b"#" * (5 * 1024 * 1024), "大于任何牌谱"), (b"\xff", "第 1 字节不是 UTF-8")):
        bad.write_bytes(data)
        for command in ("check", "show", "join"):
            assert said in gouji("record", command, str(bad), env=CHINESE).stderr


@pytest.mark.parametrize("what", unreadable())
def test_every_refusal_of_a_record_is_told_in_chinese(tmp_path: Path, what: str) -> None:
    """What is wrong with a file is said in Chinese where the terminal asks for it, beyond the file's name."""
    file = tmp_path / "bad.toml"
    file.write_bytes(unreadable()[what])
    told = gouji("record", "check", str(file), env=CHINESE).stderr
    assert re.search("[一-鿿]", told.partition("bad.toml")[2]), told


def test_differences_are_told_in_chinese(situation: Path) -> None:
    """`record check` and `record show` say in Chinese how a record differs; JSON has both."""
    situation.write_text(SITUATION.replace("1 play 6", "1 play 4"), encoding="utf-8")
    for command in ("check", "show"):
        told = gouji("record", command, str(situation), env=CHINESE)
        assert told.exit_code == 1
        assert "不合 R1" in told.stdout + told.stderr
    (difference,) = json.loads(gouji("record", "check", "--json", str(situation)).stdout)["files"][0]["differences"]
    assert difference["message"] == difference["text"]["en"]
    assert "不合 R1" in difference["text"]["zh"]
