"""`gouji rules`."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from rich.cells import cell_len

import gouji_rules as gr
from gouji_cli.folding import fold
from gouji_rules.option_texts import PRESET_TEXTS
from gouji_rules.rule_set import OPTION_NAMES, format_option
from tests.clients.cli_run import gouji, gouji_process, has_no_traceback

ENGLISH, CHINESE = "en_US.UTF-8", "zh_CN.UTF-8"
CASES = Path(__file__).parents[1] / "cases" / "compare.tsv"


def cases_of_qingdao() -> list[dict[str, str]]:
    """Return the cases of the shared table that the preset's options decide."""
    with CASES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [row for row in rows if row["mixed_jokers"] == "by_card" and row["joker_kill"] == "off"]


def test_r12_the_shared_cases_hold() -> None:
    """Every case of tests/cases/compare.tsv that qingdao decides comes out as written there, gouji (R13) included."""
    cases = cases_of_qingdao()
    assert len(cases) > 20
    for case in cases:
        # Six packs: one of the cases has five big jokers.
        six = ("--rules", "qingdao", "--set", "decks=6")
        result = gouji("rules", "beats", *six, "--json", case["on_table"], case["answer"])
        told = json.loads(result.stdout)
        assert result.exit_code == 0
        assert told["beats"] is (case["beats"] == "yes"), case
        assert told["answer_is_gouji"] is (case["answer_is_gouji"] == "yes"), case


def test_json_tells_the_rule_and_each_card() -> None:
    """The JSON holds the verdict, the rule, both texts and one entry per card, strongest first."""
    told = json.loads(gouji("rules", "beats", "--json", "ss999", "sbTTT").stdout)
    assert told == {
        "beats": False,
        "rule": "R12",
        "rules": "qingdao",
        "on_table": "ss999",
        "answer": "bsTTT",
        "answer_is_gouji": True,
        "covers": [
            {"on_table": "s", "answer": ["b"], "stronger": True},
            {"on_table": "s", "answer": ["s"], "stronger": False},
            {"on_table": "9", "answer": ["T"], "stronger": True},
            {"on_table": "9", "answer": ["T"], "stronger": True},
            {"on_table": "9", "answer": ["T"], "stronger": True},
        ],
        "text": told["text"],
    }
    assert told["text"]["en"]
    assert told["text"]["zh"]


@pytest.mark.parametrize(("answer", "word"), [("bbTTT", "beats"), ("bb999", "does not beat"), ("TTTT", "as many")])
def test_both_verdicts_are_a_success(answer: str, word: str) -> None:
    """Yes and no both end with 0 and say why, naming the rule."""
    result = gouji("rules", "beats", "--rules", "qingdao", "ss999", answer)
    assert result.exit_code == 0
    assert word in result.stdout
    assert "(R1" in result.stdout
    assert result.stderr == ""


def test_each_card_is_shown() -> None:
    """A person sees which card covers which, and which one fails."""
    lines = gouji("rules", "beats", "99999", "s9999").stdout.splitlines()
    assert [line.split() for line in lines[1:6]] == [
        ["1", "s", "✓", "9"],
        *[[str(n), "9", "✗", "9"] for n in (2, 3, 4, 5)],
    ]


@pytest.mark.parametrize("text", ["10 10 10 10", "tttt", "T T T T", "10TT10"])
def test_tens_are_read_however_they_are_written(text: str) -> None:
    """A ten may be T, t or 10, with or without spaces."""
    told = json.loads(gouji("rules", "beats", "--json", "9999", text).stdout)
    assert (told["answer"], told["beats"]) == ("TTTT", True)


def test_chinese_names_are_read() -> None:
    """大花 and 小王, 钱 and 老K are cards."""
    told = json.loads(gouji("rules", "beats", "--json", "小王999", "大花老K老K钱").stdout)
    assert (told["on_table"], told["answer"], told["beats"]) == ("s999", "bKK2", True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("ss99T", "bbTTT"),
        ("ss999", "345"),
        ("ss999", "x"),
        ("", "3"),
        ("3", ""),
        ("3", "   "),
        ("3", "1"),
        ("3", "🂡"),
        ("3" * 1000, "4" * 1000),
        ("--rules", "nowhere", "3", "4"),
        ("--rules", "tsingtao", "3", "4"),
        ("--set", "joker_kill=some", "b", "bb"),
        ("--set", "nonsense=1", "3", "4"),
        ("--set", "gouji_twos=x", "3", "4"),
        ("--set", "gouji_twos", "3", "4"),
        ("--set", "name=x", "3", "4"),
        ("--set", "points=1/2", "3", "4"),
        ("3",),
        ("3", "4", "5"),
        ("--nonsense", "3", "4"),
        (),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_r10_what_is_no_play_is_a_clear_error(arguments: tuple[str, ...], as_json: bool) -> None:
    """A text that is no play, an unknown rule set or option, too few arguments: exit status 2 and a line on stderr."""
    result = gouji("rules", "beats", *(["--json"] if as_json else []), *arguments)
    assert result.exit_code == 2
    assert result.stdout == "" or not arguments
    assert result.stderr or not arguments
    assert has_no_traceback(result.output)


def test_the_bad_piece_is_named() -> None:
    """An error names the piece that is no card, or the ranks that do not mix."""
    assert "“x”" in gouji("rules", "beats", "3", "33x").stderr
    assert "mixes the ranks 3 4 5" in gouji("rules", "beats", "3", "345").stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("３３", "33"),
        ("Ｋ", "K"),
        ("ＡＡ２", "AA2"),
        ("ｋｋ", "KK"),
        ("１０１０", "TT"),
        ("３　３", "33"),
        ("大王小王", "bs"),
        ("大王Ｋ", "bK"),
        ("小王", "s"),
    ],
)
def test_what_a_chinese_keyboard_writes_is_read(typed: str, meant: str) -> None:
    """Full-width digits, letters and spaces are the same cards, and so are 大王 and 小王, wherever cards are typed."""
    assert json.loads(gouji("rules", "explain", typed, "--on", typed, "--json").stdout)["play"] == meant
    told = json.loads(gouji("rules", "beats", "--json", typed, typed).stdout)
    assert (told["on_table"], told["answer"]) == (meant, meant)


@pytest.mark.parametrize(
    ("typed", "hint", "chinese"),
    [
        ("王", "b or 大王 for the big joker, s or 小王 for the small one", "小王写作 s"),
        ("3王", "b or 大王 for the big joker, s or 小王 for the small one", "小王写作 s"),
        ("红桃3", "leave out the suits", "花色不用写"),
        ("♠3", "leave out the suits", "花色不用写"),
        ("3,3", "one after the other", "牌连着写"),
        ("３，３", "one after the other", "牌连着写"),
        ("3、3", "one after the other", "牌连着写"),
    ],
)
def test_what_is_no_card_is_refused_with_what_is_written_instead(typed: str, hint: str, chinese: str) -> None:
    """A joker without its size, a suit and a sign between cards are refused with a hint, in both languages."""
    for words in (("explain", typed), ("explain", "3", "--on", typed), ("beats", typed, "4"), ("beats", "4", typed)):
        refused = gouji("rules", *words)
        assert refused.exit_code == 2
        assert hint in refused.stderr
        assert chinese in gouji("rules", *words, env={"LANG": CHINESE}).stderr


@pytest.mark.parametrize(
    ("settings", "play", "said"),
    [
        ((), "A" * 17, "has 17 × A: the pack of qingdao has 16 (R1)"),
        ((), "2" * 17, "has 17 × 2: the pack of qingdao has 16 (R1)"),
        ((), "bbbbb", "has 5 × b: the pack of qingdao has 4 (R1)"),
        ((), "sssss3", "has 5 × s: the pack of qingdao has 4 (R1)"),
        (("--set", "decks=6"), "A" * 25, "has 25 × A: the pack of qingdao has 24 (R1)"),
        (("--rules", "competition"), "3" * 7, "has 7 × 3: the pack of competition has 6 (R1)"),
    ],
)
def test_r1_no_play_has_more_cards_than_the_pack(settings: tuple[str, ...], play: str, said: str) -> None:
    """A play that no pack of the rule set can give is refused with the numbers; one card fewer is judged."""
    for words in (("explain", play), ("explain", "3", "--on", play), ("beats", play, "4"), ("beats", "4", play)):
        refused = gouji("rules", *words, *settings)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert said in refused.stderr
    assert gouji("rules", "explain", play[1:], *settings).exit_code == 0


def test_one_card_is_one_card() -> None:
    """Numbers of cards are told in the singular where it is one."""
    assert "3 has 1 card, 44 has 2" in gouji("rules", "beats", "44", "3").stdout
    assert "44 has 2 cards, 3 has 1" in gouji("rules", "beats", "3", "44").stdout


@pytest.mark.parametrize(
    ("words", "said", "chinese"),
    [
        (("show", "quingdao"), "did you mean qingdao? use ", "是否指 qingdao？"),
        (("show", "Shandong"), "did you mean shandong? use ", "是否指 shandong？"),
        (
            ("show", "qingdao", "--set", "gouji-twos=2"),
            "did you mean gouji_twos? `gouji rules show qingdao`",
            "gouji_twos",
        ),
        (("beats", "3", "4", "--set", "shwo=ask"), "did you mean show? `gouji rules show qingdao` lists", "show"),
        (("beats", "3", "4", "--rules", "shandong", "--set", "xyzzy=1"), "`gouji rules show shandong` lists", "列出"),
        (("diff", "qingdao", "shandong,hold_thre=true"), "did you mean hold_three?", "hold_three"),
        (("explain", "3", "--set", "twos=2"), "did you mean gouji_twos?", "gouji_twos"),
    ],
)
def test_a_name_that_there_is_not_is_answered_with_near_ones(words: tuple[str, ...], said: str, chinese: str) -> None:
    """A mistyped preset or option is refused with those like it, and where all are listed."""
    refused = gouji("rules", *words)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert said in refused.stderr
    assert chinese in gouji("rules", *words, env={"LANG": CHINESE}).stderr


def test_an_option_can_be_overridden() -> None:
    """With `gouji_twos=2` a single two is no gouji play (R13)."""
    told = json.loads(gouji("rules", "beats", "--json", "--set", "gouji_twos=2", "A", "2").stdout)
    assert told["answer_is_gouji"] is False
    assert json.loads(gouji("rules", "beats", "--json", "A", "2").stdout)["answer_is_gouji"] is True


@pytest.mark.parametrize(
    "setting", ["points=2/1/0/0/-1/-2", "sweep_doubles=false", "tribute=none", "report=none", "deals=3"]
)
def test_options_of_every_type_can_be_written(setting: str) -> None:
    """Lists, truth values, words and numbers are all read from text."""
    assert gouji("rules", "beats", "--set", setting, "3", "4").exit_code == 0


def test_chinese_speakers_get_chinese() -> None:
    """With a Chinese locale both the verdict and the errors are Chinese."""
    chinese = {"LANG": "zh_CN.UTF-8"}
    assert "大过" in gouji("rules", "beats", "3", "4", env=chinese).stdout
    assert "不是牌" in gouji("rules", "beats", "3", "x", env=chinese).stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk"])
def test_terminals_without_utf8_get_ascii(encoding: str) -> None:
    """On a stream that cannot show Chinese or boxes the answer is in ASCII, whatever the locale says."""
    done = gouji_process("rules", "beats", "3", "4", env={"PYTHONIOENCODING": encoding, "LANG": "zh_CN.UTF-8"})
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert b"beats" in done.stdout


def test_json_on_an_ascii_stream_is_the_same_document() -> None:
    """JSON escapes what the stream cannot show, so nothing is lost."""
    plain = gouji_process("rules", "beats", "--json", "3", "4", env={"PYTHONIOENCODING": "ascii"})
    assert plain.stdout.isascii()
    assert json.loads(plain.stdout) == json.loads(gouji("rules", "beats", "--json", "3", "4").stdout)


def test_list_names_every_rule_set() -> None:
    """Each preset that the rules know is there, for people and for programs."""
    names = list(gr.PRESETS)
    assert [told["name"] for told in json.loads(gouji("rules", "list", "--json").stdout)] == names
    lines = gouji("rules", "list").stdout.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == names


@pytest.mark.parametrize("preset", gr.PRESETS)
def test_show_tells_every_option(preset: str) -> None:
    """Every option of the rule set is shown with its value, changed ones as changed."""
    told = json.loads(gouji("rules", "show", preset, "--json").stdout)
    rules = gr.preset(preset)
    assert {option["name"]: option["value"] for option in told["options"]} == {
        name: format_option(rules.option(name)) for name in OPTION_NAMES
    }
    shown = gouji("rules", "show", preset).stdout
    assert all(f"  {name} " in shown for name in OPTION_NAMES)
    changed = json.loads(gouji("rules", "show", preset, "--set", "show=ask", "--json").stdout)
    assert [option["value"] for option in changed["options"] if option["name"] == "show"] == ["ask"]


def test_diff_prints_what_differs_and_nothing_else() -> None:
    """Two sets, changed on the spot or not, are compared option by option."""
    told = json.loads(gouji("rules", "diff", "qingdao", "qingdao,show=ask,deals=4", "--json").stdout)
    assert [(d["name"], d["one"]["value"], d["other"]["value"]) for d in told["differences"]] == [
        ("show", "auto", "ask"),
        ("deals", "0", "4"),
    ]
    lines = gouji("rules", "diff", "qingdao", "qingdao,show=ask").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["qingdao", "show"]
    same = gouji("rules", "diff", "qingdao", "qingdao")
    assert (same.exit_code, same.stdout.strip()) == (0, "they do not differ")


@pytest.mark.parametrize("one", list(gr.PRESETS))
def test_any_two_presets_can_be_compared(one: str) -> None:
    """Whichever two are compared, each option is listed exactly when its values differ."""
    for other in gr.PRESETS:
        told = json.loads(gouji("rules", "diff", one, other, "--json").stdout)
        mine, theirs = gr.preset(one), gr.preset(other)
        differing = [name for name in OPTION_NAMES if mine.option(name) != theirs.option(name)]
        assert [found["name"] for found in told["differences"]] == differing


def test_explain_says_what_a_play_is() -> None:
    """A play's parts and its being gouji are told with their rules; with --on, so is the comparison."""
    told = json.loads(gouji("rules", "explain", "TTTT2", "--on", "99999", "--json").stdout)
    assert told["gouji"] is True
    assert [reason["rule"] for reason in told["reasons"]] == ["R10", "R13"]
    assert told["comparison"]["beats"] is True
    lines = gouji("rules", "explain", "44").stdout.splitlines()
    assert [line.rpartition("(")[2] for line in lines] == ["R10)", "R13)"]


@pytest.mark.parametrize(
    "words",
    [
        ("show", "marsh"),
        ("show", "qingdao", "--set", "cheating=true"),
        ("show", "qingdao", "--set", "show"),
        ("diff", "qingdao", "qingdao,show=loudly"),
        ("explain", "45"),
        ("explain", "44", "--on", "x"),
    ],
)
def test_what_cannot_be_read_ends_with_one_line(words: tuple[str, ...]) -> None:
    """Wrong names, options, values and plays end with exit status 2 and one clear line."""
    result = gouji("rules", *words)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


CUT = "…"


@pytest.mark.parametrize("columns", [None, 80, 72, 71, 40])
@pytest.mark.parametrize("locale", [ENGLISH, CHINESE])
@pytest.mark.parametrize(
    "words",
    [("list",), *(("show", name) for name in gr.PRESETS), ("diff", "qingdao", "lianzhong,show=ask,seating=draw")],
)
def test_no_text_is_cut(words: tuple[str, ...], locale: str, columns: int | None) -> None:
    """Texts fold where the terminal is narrow, and piped: what a wide one shows is all there, no line is too long."""
    wide = gouji("rules", *words, env={"LANG": locale, "COLUMNS": "1000"}).stdout
    shown = gouji("rules", *words, env={"LANG": locale, "COLUMNS": "" if columns is None else str(columns)}).stdout
    assert CUT not in shown
    assert not Counter(wide.replace(" ", "")) - Counter(shown.replace(" ", ""))
    assert max(map(cell_len, shown.splitlines())) <= (columns or 80)


@pytest.mark.parametrize("width", [2, 7, 20, 40])
@pytest.mark.parametrize("preset", gr.PRESETS)
def test_a_folded_text_keeps_every_character(preset: str, width: int) -> None:
    """Folding changes white space alone, keeps to the width, and leaves no closing sign at the head of a line."""
    for text in (PRESET_TEXTS[preset].text.en, PRESET_TEXTS[preset].text.zh, "A" * 50, "x " + "四" * 50 + "。", ""):
        lines = fold(text, width)
        assert "".join("".join(lines).split()) == "".join(text.split())
        assert max(map(cell_len, lines)) <= width
        if width >= 20:
            assert [line for line in lines if line[:1] in tuple("，。；：、）")] == []


def test_a_long_text_fills_its_lines() -> None:
    """English breaks between words and Chinese between characters, and a line takes what fits into it."""
    assert fold("two sides of three", 9) == ["two sides", "of three"]
    assert fold("三人一方，两方对抗。", 8) == ["三人一", "方，两方", "对抗。"]
    assert fold("憋三：3 留到最后", 10) == ["憋三：3 留", "到最后"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "qingdao,hold_three=true"), "write qingdao --set hold_three=true"),
        (("beats", "--rules", "qingdao,gouji_twos=2", "A", "2"), "write qingdao --set gouji_twos=2"),
        (("diff", "--set", "show=ask", "qingdao", "shandong"), "write shandong,show=ask"),
        (("diff", "qingdao", "qingdao,"), "nothing stands after a comma"),
        (("show", "青岛"), "did you mean qingdao?"),
        (
            ("show", "lianzhong", "--set", "hold_three=false"),
            "stifle needs hold_three, and so do buy_from, buy_with, buy_none",
        ),
    ],
)
def test_what_was_meant_is_said(words: tuple[str, ...], said: str) -> None:
    """A slip in how rules are named is told with what to write instead, in either language."""
    told = gouji("rules", *words)
    assert told.exit_code == 2
    assert said in told.stderr
    assert re.search("[一-鿿]", gouji("rules", *words, env={"LANG": "zh_CN.UTF-8"}).stderr.replace("青岛", ""))


@pytest.mark.parametrize("word", ["yes", "Yes", "True", "on", "true"])
def test_a_switch_is_set_by_the_words_for_yes(word: str) -> None:
    """An option that is true or false takes yes, on and True too; a word that is neither is refused."""
    told = gouji("rules", "diff", "qingdao", f"qingdao,kill_anyone={word},joker_kill=two_big", "--json")
    values = {found["name"]: found["other"]["value"] for found in json.loads(told.stdout)["differences"]}
    assert values["kill_anyone"] == "true"
    assert gouji("rules", "diff", "qingdao", "qingdao,kill_anyone=perhaps").exit_code == 2


def test_values_that_are_bare_numbers_are_told() -> None:
    """`deals 0`, no tribute and the two numbers of a burn's points say what they mean and whose they are."""
    told = gouji("rules", "diff", "qingdao", "competition")
    assert "0: as many as the table says" in told.stdout
    assert "nobody owes any" in gouji("rules", "show", "qingdao").stdout
    assert "0/-2: the burner 0, the burned seat -2" in told.stdout
