"""`gouji bot run`, against a real server."""

from __future__ import annotations

import asyncio
import json
import signal
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji_client import NewTable, connect
from gouji_client.lobby import free_seats
from tests.clients.cli_run import NEUTRAL, gouji, has_no_traceback, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typer.testing import Result

LOWEST = '''
import asyncio
import json

from gouji_client import Bot


class Lowest(Bot):
    """Plays the first legal action."""

    def choose(self, view):
        return view.legal_actions()[0]


class Crashing(Bot):
    def choose(self, view):
        raise RuntimeError("no idea")


class Cheating(Bot):
    def choose(self, view):
        return "play bbbb"


class Mumbling(Bot):
    def choose(self, view):
        return "play something"


class Slow(Bot):
    async def choose(self, view):
        await asyncio.Event().wait()


class Deep(Bot):
    def choose(self, view):
        return json.loads("no JSON\\n")


class Needy(Bot):
    def __init__(self, more):
        pass


class NoBot:
    pass


a_thing = 3
'''


ONE_DEAL = NewTable(deals=1, with_seat=False)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running server whose own bots answer at once; gives its address."""
    folder = tmp_path_factory.mktemp("server")
    with serving(folder, "--bot-least-seconds", "0", "--bot-most-seconds", "0") as running:
        yield running.address


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `mybot.py`, in which the command is run."""
    (tmp_path / "mybot.py").write_text(LOWEST, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", sys.modules.copy())
    return tmp_path


def run(server: str, *flags: str) -> Result:
    """Run one match of one deal."""
    return gouji("bot", "run", "--server", server, "--deals", "1", *flags)


async def open_table(server: str, bots: int = 5, new: NewTable = ONE_DEAL) -> str:
    """Make a table at which this many of the server's bots wait for others."""
    async with connect(server) as client:
        await client.sign_in("organiser")
        table = await client.lobby.create(new)
        for _ in range(bots):
            await client.lobby.add_bot(table.name, "simple")
        return table.name


async def facts(server: str, table: str) -> lobby_pb2.Table:
    """Return what the lobby tells of a table."""
    async with connect(server) as client:
        await client.sign_in("onlooker")
        return await client.lobby.get(table)


@pytest.mark.parametrize("policy", ["simple", "random"])
def test_a_built_in_policy_plays_a_match(server: str, policy: str) -> None:
    """A beginner's first command plays a whole match and prints the result."""
    done = run(server, "--policy", policy, "--name", "小明", "--table", "new")
    assert done.exit_code == 0, done.stderr
    text = done.stdout
    assert text.startswith("made tables/")
    assert "deal 1: even seats " in text
    assert "小明" in text
    assert text.splitlines()[-1].endswith("in seat 0")
    assert done.stderr == ""


@pytest.mark.parametrize("policy", ["mybot:Lowest", "mybot.py:Lowest"])
def test_ones_own_bot_plays_a_match(server: str, bots: Path, policy: str) -> None:
    """A class in the current folder is found by module and by file, and the JSON tells what came of the match."""
    done = run(server, "--policy", policy, "--table", "new", "--json", "--records", "out")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["seat"] == 0
    assert told["close_reason"] == "CLOSE_REASON_MATCH_OVER"
    assert (told["complete"], told["faults"]) == (True, 0)
    assert sorted(told["deals"][0]["places"]) == [0, 1, 2, 3, 4, 5]
    assert told["own_score"] == told["scores"][0]
    assert told["won"] is (told["scores"][0] > told["scores"][1])
    assert told["records"] == ["out/deal-1.toml"]
    assert gouji("record", "check", str(bots / "out" / "deal-1.toml")).exit_code == 0


def test_r64_a_match_settled_by_lot_is_won_or_lost(server: str) -> None:
    """R64: a match in which nothing is to be won goes by lot, and is told as won or lost, never as drawn."""
    options = ("--set", "points=0/0/0/0/0/0", "--set", "tie_by_lot=true", "--deals", "1", "--table", "new")
    done = run(server, *options, "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["scores"], told["winner"], told["won"]) == ([0, 0], told["lot"], told["lot"] == 0)
    done = run(server, *options)
    assert done.exit_code == 0, done.stderr
    ending = " won by lot in seat 0" if "lot: the even seats" in done.stdout else " lost by lot in seat 0"
    assert done.stdout.splitlines()[-1].endswith(ending)


def test_watching_tells_every_trick(server: str) -> None:
    """With --watch the plays are told as they come."""
    done = run(server, "--watch", "--table", "new")
    assert done.exit_code == 0
    assert " leads " in done.stdout
    assert " is out: 1st" in done.stdout


def test_the_server_may_play_the_other_seats(server: str) -> None:
    """With --house the other seats are the server's own bots."""
    done = run(server, "--house", "--fill", "random", "--table", "new", "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["complete"] is True


@pytest.mark.parametrize("way", ["any", "name", "short name"])
def test_an_open_table_is_joined(server: str, way: str) -> None:
    """`any` finds the open table; its name, with or without `tables/`, does too."""
    name = asyncio.run(open_table(server))
    table = {"any": "any", "name": name, "short name": name.removeprefix("tables/")}[way]
    done = run(server, "--table", table, "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["table"], told["seat"]) == (name, 5)


BLUFF = NewTable(rule_set="shandong", deals=1, with_seat=False)
ASKING = NewTable(deals=1, options={"show": "ask"}, with_seat=False)
SHORT = NewTable(deals=1, options={"removed": "444333"}, with_seat=False)


@pytest.mark.parametrize(
    ("there", "asked"),
    [
        (ONE_DEAL, ("--rules", "shandong", "--deals", "1")),
        (BLUFF, ("--rules", "qingdao", "--deals", "1")),
        (BLUFF, ("--set", "show=ask", "--deals", "1")),
        (ASKING, ("--rules", "qingdao", "--deals", "1")),
        (ONE_DEAL, ("--deals", "2")),
        (ONE_DEAL, ("--set", "deals=2")),
    ],
)
def test_a_table_of_other_rules_is_passed_over(server: str, there: NewTable, asked: tuple[str, ...]) -> None:
    """With `any` no open table is joined whose rules, options or number of deals are others than asked for."""
    name = asyncio.run(open_table(server, bots=5, new=there))
    done = gouji("bot", "run", "--server", server, *asked, "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["table"] != name
    by_name = gouji("bot", "run", "--server", server, *asked, "--table", name)
    assert by_name.exit_code == 1
    assert by_name.stdout == ""
    assert f"{name} is not played as asked: " in by_name.stderr
    assert len(free_seats(asyncio.run(facts(server, name)))) == 1
    assert (
        gouji("bot", "run", "--server", server, "--table", name).exit_code == 0
    )  # it plays there when nothing is asked


@pytest.mark.parametrize(
    ("there", "asked", "told"),
    [
        (BLUFF, ("--rules", "shandong"), "shandong, 1 deal"),
        (ASKING, ("--set", "show=ask"), "qingdao, show=ask, 1 deal"),
        (ASKING, ("--rules", "qingdao", "--set", "show=ask", "--deals", "1"), "qingdao, show=ask, 1 deal"),
        (ONE_DEAL, ("--set", "show=auto", "--set", "deals=1"), "qingdao, 1 deal"),
        (BLUFF, (), "shandong, 1 deal"),
        (SHORT, ("--set", "removed=33 4 44 3"), "qingdao, removed=444333, 1 deal"),
    ],
)
@pytest.mark.parametrize("by_name", [False, True])
def test_a_table_as_asked_is_joined_and_its_rules_are_told(
    server: str, there: NewTable, asked: tuple[str, ...], told: str, *, by_name: bool
) -> None:
    """A table of the rules asked for is joined, by `any` and by name, and told with its rules and number of deals."""
    name = asyncio.run(open_table(server, new=there))
    done = gouji("bot", "run", "--server", server, *asked, *(("--table", name) if by_name else ()))
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[0] == f"joined {name}, seat 5: {told}"


@pytest.mark.parametrize(
    ("there", "asked", "said"),
    [
        (BLUFF, ("--rules", "qingdao"), "its rules are shandong, not qingdao (`"),
        (ASKING, ("--rules", "qingdao"), "show is ask, not auto"),
        (ASKING, ("--rules", "qingdao", "--deals", "3"), "show is ask, not auto; it has 1 deal, not 3"),
        (ONE_DEAL, ("--deals", "3"), "it has 1 deal, not 3"),
    ],
)
def test_what_differs_at_a_table_is_said(server: str, there: NewTable, asked: tuple[str, ...], said: str) -> None:
    """A table named by its name that is not as asked is refused with what differs, and how to join it all the same."""
    name = asyncio.run(open_table(server, new=there))
    done = gouji("bot", "run", "--server", server, *asked, "--table", name)
    assert done.exit_code == 1
    assert said in done.stderr
    assert "leave these options out" in done.stderr
    assert gouji("bot", "run", "--server", server, "--table", name).exit_code == 0


def test_a_kept_account_comes_back(server: str, tmp_path: Path) -> None:
    """With --keep the account is made once, kept for its owner's eyes alone, and used again."""
    kept = tmp_path / "me.json"
    assert run(server, "--keep", str(kept), "--table", "new").exit_code == 0
    first = kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert run(server, "--keep", str(kept), "--table", "new").exit_code == 0
    assert kept.read_text() == first


@pytest.mark.parametrize("name", ["Crashing", "Cheating"])
def test_a_bot_that_fails_plays_on_by_default_and_is_told(server: str, bots: Path, name: str) -> None:
    """A bot that raises, or chooses what the rules forbid, costs a default action and is counted."""
    done = run(server, "--policy", f"mybot:{name}", "--table", "new", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["faults"] > 0


@pytest.mark.parametrize(
    ("name", "flags", "said", "line"),
    [
        ("Crashing", (), "its choose failed: RuntimeError: no idea", 'raise RuntimeError("no idea")'),
        ("Deep", (), "its choose failed: json.decoder.JSONDecodeError: Expecting value", "return json.loads("),
        ("Mumbling", (), "is no card: cards are written", ""),
        ("Cheating", (), "it chose what R", ""),
        ("Slow", ("--time-limit", "0.01"), "it took longer than 0.01 s (--time-limit)", ""),
    ],
)
def test_a_strict_bot_ends_at_its_first_mistake(
    server: str, bots: Path, name: str, flags: tuple[str, ...], said: str, line: str
) -> None:
    """With --strict the first mistake ends the run with 1: one line says what it was, and the bot's file and line."""
    done = run(server, "--policy", f"mybot.py:{name}", "--strict", "--table", "new", *flags)
    assert done.exit_code == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert has_no_traceback(done.stderr)
    if line:
        lines = (bots / "mybot.py").read_text(encoding="utf-8").splitlines()
        number = next(number for number, text in enumerate(lines, 1) if line in text)
        assert f"mybot.py:{number})" in done.stderr


@pytest.mark.parametrize("flags", [(), ("--strict",)])
def test_a_bot_that_ends_the_program_is_told(server: str, bots: Path, flags: tuple[str, ...]) -> None:
    """sys.exit() in a bot's code is no good end of a match: the run ends with 1 and one line."""
    code = "import sys\nfrom gouji_client import Bot\nclass Leaving(Bot):\n  def choose(self, view): sys.exit(0)\n"
    (bots / "leaving.py").write_text(code, encoding="utf-8")
    done = run(server, "--policy", "leaving.py:Leaving", "--table", "new", *flags)
    assert done.exit_code == 1
    assert "sys.exit(0)" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_slips_of_a_run_are_told(server: str) -> None:
    """A table's name that is none gets the forms there are; a folder that cannot be is told in Chinese, too."""
    done = run(server, "--table", "foo")
    assert done.exit_code == 1
    assert "--table takes tables/…" in done.stderr
    chinese = gouji("bot", "run", "--server", server, "--keep", "/dev/null/x", env={"LANG": "zh_CN.UTF-8"})
    assert "/dev/null/x：无法" in chinese.stderr


def test_waiting_tells_how_to_join_and_can_be_stopped(server: str) -> None:
    """With --fill none it names the table and the command that joins it; Ctrl-C ends it with a word."""
    command = [sys.executable, "-m", "gouji_cli", "bot", "run", "--server", server, "--table", "new", "--fill", "none"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        made = process.stdout.readline().split()[1].rstrip(":")
        _, _, joining = process.stdout.readline().strip().partition(": ")
        assert joining == f"{sys.executable} -m gouji_cli bot run --server {server} --table {made}"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, "gouji: stopped\n")
    assert asyncio.run(facts(server, made)).state == lobby_pb2.TABLE_STATE_FINISHED


def test_a_bot_that_joins_tells_whom_it_waits_for_and_leaves_when_stopped(server: str) -> None:
    """Joining a table of others it says how many are missing; stopped before the match it frees its seat."""
    name = asyncio.run(open_table(server, bots=3))
    command = [sys.executable, "-m", "gouji_cli", "bot", "run", "--server", server]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"joined {name}, seat 3: qingdao, 1 deal\n"
        assert process.stdout.readline().startswith("waiting for 2 other players; `--table new` ")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    assert len(free_seats(asyncio.run(facts(server, name)))) == 3


def test_a_folder_for_records_that_cannot_be_is_told_before_the_match(server: str, tmp_path: Path) -> None:
    """Records are told once, at the end of a match: where they could not be written, none is begun."""
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file" / "records", tmp_path / "file"):
        done = run(server, "--table", "new", "--records", str(folder))
        assert (done.exit_code, done.stdout) == (1, "")
        assert f"{folder}: there is a file where a folder is needed" in done.stderr


def test_a_chinese_locale_gets_chinese(server: str, bots: Path) -> None:
    """With a Chinese locale what the command says itself, and what the server refuses, is Chinese."""
    chinese = {"LANG": "zh_CN.UTF-8"}
    words = ("bot", "run", "--server", server, "--name", "小明", "--deals", "1")
    name = asyncio.run(open_table(server))
    joined = gouji(*words, env=chinese)
    assert joined.exit_code == 0
    assert joined.stdout.startswith(f"已加入 {name}，座位 5：qingdao，1 盘\n")
    assert "第 1 盘：双号 " in joined.stdout
    assert joined.stdout.splitlines()[-1].startswith(f"{name}：座位 5，")
    made = gouji(*words, "--table", "new", "--policy", "mybot:Crashing", env=chinese)
    assert made.stdout.startswith("已开桌 tables/")
    assert "次决定出错" in made.stdout.splitlines()[-1]
    other = asyncio.run(open_table(server))
    for flags, said in (
        (("--table", "tables/nowhere"), "没有"),
        (("--table", other, "--rules", "shandong"), "该桌用 qingdao 规则，不是 shandong"),
        (("--table", other, "--deals", "2"), "该桌打 1 盘，不是 2 盘"),
        (("--fill", "clever"), "没有 'clever' 这种机器人"),
        (("--policy", "clever"), "没有 'clever' 这种机器人"),
        (("--policy", "mybot:Highest"), "没有类 Highest"),
        (("--server", "192.0.2.1"), "请用 --tls"),
        (("--records", str(bots / "mybot.py")), "那里却是文件"),
    ):
        refused = gouji(*words, *flags, env=chinese)
        assert refused.exit_code in (1, 2)
        assert said in refused.stderr
    assert gouji("bot", "run", "--server", server, "--table", other).exit_code == 0


def test_nobody_at_the_address_is_a_clear_error() -> None:
    """Where no server answers, the command says where it looked and what starts one."""
    result = gouji("bot", "run", "--server", "127.0.0.1:1", "--json", env=NEUTRAL)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "no Gouji server answers at 127.0.0.1:1" in result.stderr
    assert "gouji serve" in result.stderr
    assert has_no_traceback(result.stderr)


@pytest.mark.parametrize(
    ("flags", "status", "said"),
    [
        (("--table", "tables/nowhere"), 1, ""),
        (("--table", "no/such/table"), 1, ""),
        (("--name", "x" * 25), 1, ""),
        (("--name", "a\nb"), 1, ""),
        (("--keep", "/dev/null/x"), 1, "/dev/null/x"),
    ],
)
def test_what_the_server_refuses_is_a_clear_error(server: str, flags: tuple[str, ...], status: int, said: str) -> None:
    """A refusal is told in one line, with no traceback."""
    done = run(server, *flags)
    assert done.exit_code == status
    text = done.stderr
    assert text.startswith("gouji: ")
    assert len(text.splitlines()) == 1
    assert said in text


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--server", ""), "address"),
        (("--server", "a b"), "address"),
        (("--server", "localhost:99999"), "address"),
        (("--server", "http://localhost:1"), "address"),
        (("--server", "https://localhost:1", "--json"), "address"),
        (("--policy", "clever"), "clever"),
        (("--policy", ""), "policy"),
        (("--policy", ":"), ""),
        (("--policy", "mybot:"), "class"),
        (("--policy", ":Lowest"), ""),
        (("--policy", "nobot:Lowest"), "nobot"),
        (("--policy", "nobot.py:Lowest"), "nobot.py"),
        (("--policy", "mybot:Highest"), "Highest"),
        (("--policy", "mybot:NoBot"), "subclass"),
        (("--policy", "mybot:a_thing"), "subclass"),
        (("--policy", "mybot:Needy"), "Needy"),
        (("--policy", "broken:Lowest"), "SyntaxError"),
        (("--policy", "broken.py:Lowest"), "SyntaxError"),
        (("--policy", "gouji_client:Bot"), "choose"),
        (("--fill", "clever"), "clever"),
        (("--rules", "nowhere"), "there is no preset nowhere"),
        (("--rules", "quingdao"), "did you mean qingdao?"),
        (("--set", "shwo=ask"), "did you mean show? `gouji rules show qingdao` lists them"),
        (("--set", "show"), "option=value"),
        (("--set", "show=loudly"), "show is one of auto, ask"),
        (("--seat", "6"), "seat"),
        (("--deals", "0"), "deals"),
        (("--deals", "1", "--set", "deals=3"), "two lengths of one match"),
        (("--time-limit", "0"), "time-limit"),
        (("--nonsense",), "nonsense"),
        (("extra",), "extra"),
    ],
)
def test_options_that_make_no_sense_are_clear_errors(bots: Path, flags: tuple[str, ...], said: str) -> None:
    """A bad option ends with exit status 2, and names what is wrong, before a server is looked for."""
    (bots / "broken.py").write_text("def f(:\n")
    arguments = flags if "--server" in flags else ("--server", "127.0.0.1:1", *flags)
    result = gouji("bot", "run", *arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert "=True" not in result.stderr  # an argument of the SDK
    assert has_no_traceback(result.output)


def test_another_machine_is_not_spoken_to_in_the_clear() -> None:
    """Cleartext to another machine is refused before anything is sent, in the words of the command's own options."""
    for server in ("192.0.2.1:50151", "nonsense"):
        result = gouji("bot", "run", "--server", server)
        assert result.exit_code == 1
        assert f"{server} is another machine" in result.stderr
        assert "in the clear: use --tls, or --insecure" in result.stderr
        assert "tls=True" not in result.stderr
