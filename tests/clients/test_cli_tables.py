"""`gouji table` as an account, and `gouji server-info`, against a real server."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from gouji_client import Credentials
from tests.clients.cli_run import gouji, has_no_traceback, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typer.testing import Result


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server, whose bots answer at once."""
    quick = ("--bot-least-seconds", "0", "--bot-most-seconds", "0", "--entropy-wait-seconds", "0")
    with serving(tmp_path_factory.mktemp("server"), *quick) as running:
        yield running.address


@pytest.fixture
def mei(address: str, tmp_path: Path) -> str:
    """The file of an account."""
    return new_account(address, tmp_path, "Mei")


@pytest.fixture
def bo(address: str, tmp_path: Path) -> str:
    """The file of another one."""
    return new_account(address, tmp_path, "Bo")


def new_account(address: str, folder: Path, name: str) -> str:
    """Make an account by the command, and return its file."""
    file = folder / f"{name}.json"
    account = told(gouji("account", "new", name, "--keep", str(file), "--server", address)).strip()
    assert Credentials.load(file).account == account
    return str(file)


def told(result: Result) -> str:
    """Return what a command printed; it has to end well."""
    assert result.exit_code == 0, result.output
    return result.output


def table(keep: str, *arguments: str) -> dict[str, Any]:
    """Run a command of `gouji table` that shows a table, and return what it shows."""
    shown: dict[str, Any] = json.loads(told(gouji("table", *arguments, "--keep", keep, "--json")))
    return shown


def refused(result: Result, status: int = 1) -> str:
    """Return the one line by which a command says why it failed."""
    assert result.exit_code == status, result.output
    assert has_no_traceback(result.output)
    (line,) = result.output.strip().splitlines()
    assert line.startswith("gouji: ")
    return line


def test_an_account_is_made_once(address: str, mei: str, tmp_path: Path) -> None:
    """`gouji account new` overwrites no file and wants a folder that is there: no account is lost."""
    for file in (mei, str(tmp_path / "none" / "x.json")):
        refused(gouji("account", "new", "Mei", "--keep", file, "--server", address), 2)
    assert "display_name" in refused(
        gouji("account", "new", "x" * 25, "--keep", str(tmp_path / "x.json"), "--server", address)
    )
    assert not (tmp_path / "x.json").exists()


def test_a_rated_table_tells_which_seats_share_an_address(mei: str, bo: str) -> None:
    """`--rated` gives neither hints nor team chat; two accounts of this machine are told as one address."""
    made = table(mei, "new", "--rated")
    assert (made["rated"], made["hints"], made["team_chat"], made["same_address"]) == (True, False, False, [])
    told(gouji("table", "join", made["name"], "--seat", "3", "--keep", bo))
    assert table(bo, "show", made["name"])["same_address"] == [[0, 3]]
    assert "same_address: 0+3\n" in told(gouji("table", "show", made["name"], "--keep", bo))
    assert "team_chat" in refused(gouji("table", "new", "--rated", "--team-chat", "--keep", mei))

    other = table(mei, "new", "--team-chat", "--no-hints")
    assert (other["rated"], other["hints"], other["team_chat"]) == (False, False, True)
    changed = table(mei, "update", other["name"], "--no-team-chat", "--hints")
    assert (changed["hints"], changed["team_chat"]) == (True, False)


def test_a_table_is_made_changed_and_filled(mei: str, bo: str) -> None:
    """new, update, join, kick with a ban, add-bot, ready and leave do what they say, as `show` tells."""
    made = table(mei, "new", "--title", "before", "--deals", "2", "--set", "feel_chances=3", "--time", "slow")
    name = made["name"]
    assert (made["title"], made["deals"], made["time"], made["seats"][0]["display_name"]) == (
        "before",
        2,
        "slow",
        "Mei",
    )
    assert made["options"]["feel_chances"] == "3"

    changed = table(mei, "update", name, "--title", "after", "--rules", "shandong", "--no-spectators")
    assert (changed["title"], changed["rule_set"], changed["spectators"]) == ("after", "shandong", False)
    assert changed["deals"] == 2
    assert "feel_chances" not in changed["options"]

    assert told(gouji("table", "join", name, "--seat", "3", "--keep", bo)) == "you sit in seat 3\n"
    assert told(gouji("table", "ready", name, "--keep", bo)) == "ready\n"
    assert table(bo, "show", name)["seats"][3]["ready"]
    assert told(gouji("table", "ready", name, "--off", "--keep", bo)) == "not ready\n"
    told(gouji("table", "leave", name, "--keep", bo))
    told(gouji("table", "join", name, "--seat", "3", "--keep", bo))
    told(gouji("table", "kick", name, "3", "--ban", "--keep", mei))
    assert "NOT_WELCOME" in refused(gouji("table", "join", name, "--keep", bo))

    assert told(gouji("table", "add-bot", name, "--policy", "random", "--seat", "5", "--keep", mei)).endswith("5\n")
    assert [seat["bot"] for seat in table(mei, "show", name)["seats"]] == ["", "", "", "", "", "random"]


def test_what_makes_no_sense_is_one_line(mei: str, bo: str) -> None:
    """An update of nothing, unknown rules and times, another's table, a table that is not: one line each."""
    name = table(mei, "new")["name"]
    assert "say what is to change" in refused(gouji("table", "update", name, "--keep", mei), 2)
    assert "did you mean" in refused(gouji("table", "update", name, "--rules", "qingda", "--keep", mei), 2)
    assert "time control" in refused(gouji("table", "update", name, "--time", "fast", "--keep", mei), 2)
    assert "NOT_OWNER" in refused(gouji("table", "kick", name, "0", "--keep", bo))
    assert "TABLE_NOT_FOUND" in refused(gouji("table", "show", "tables/none", "--keep", bo))
    assert "NO_CHOOSING" in refused(gouji("table", "opposite", name, "3", "--keep", mei))
    assert "NOT_PRIVATE" in refused(gouji("table", "code", name, "--keep", mei))


def test_a_private_table_is_found_by_its_code(mei: str, bo: str) -> None:
    """The code is told to who sits there, opens the table for others, and opens nothing once another one is drawn."""
    made = table(mei, "new", "--private")
    code = made["join_code"]
    assert re.fullmatch("[2-9A-HJKMNP-Z]{6}", code)
    assert "TABLE_NOT_FOUND" in refused(gouji("table", "show", made["name"], "--keep", bo))
    assert table(bo, "find", code.lower())["name"] == made["name"]
    assert table(bo, "show", made["name"], "--join-code", code)["private"]
    told(gouji("table", "join", made["name"], "--join-code", code, "--keep", bo))
    assert told(gouji("table", "code", made["name"], "--keep", bo)).strip() == code
    other = told(gouji("table", "code", made["name"], "--reset", "--keep", mei)).strip()
    assert other != code
    assert "TABLE_NOT_FOUND" in refused(gouji("table", "find", code, "--keep", bo))
    opened = table(mei, "update", made["name"], "--public")
    assert "join_code" not in opened
    assert "join_code" in table(mei, "update", made["name"], "--private")


def test_a_match_is_played_at_ones_own_table_and_again(mei: str) -> None:
    """`gouji bot run` plays a filled table where the account's file says; rematch leads to another like it."""
    name = table(mei, "new", "--fill", "simple", "--deals", "1")["name"]
    played = json.loads(told(gouji("bot", "run", "--table", name, "--keep", mei, "--json")))
    assert (played["table"], played["complete"]) == (name, True)
    again = table(mei, "rematch", name)
    assert again["name"] != name
    assert [seat["bot"] for seat in again["seats"]] == ["", *["simple"] * 5]
    assert table(mei, "show", name)["rematch"] == again["name"]


def test_a_table_is_shown_to_people(mei: str) -> None:
    """Without --json it is a line for each thing, and one for each seat."""
    shown = told(gouji("table", "new", "--title", "tea", "--private", "--keep", mei)).splitlines()
    assert "title: tea" in shown
    assert any(re.fullmatch(r"seat 0: Mei \(accounts/\S+\)", line) for line in shown)
    assert "seat 5: free" in shown
    assert re.search(r"bot run --server 127\.0\.0\.1:\d+ --join-code [2-9A-Z]{6}$", shown[-1])


def test_a_server_says_what_it_is(tmp_path: Path) -> None:
    """Version, clock and least client versions, without an account; a server that is not there is one line."""
    with serving(tmp_path, "--minimum-client-versions", "web=1.0.3") as running:
        data = json.loads(told(gouji("server-info", "--server", running.address, "--json")))
        assert data["minimum_client_versions"] == {"web": "1.0.3"}
        shown = told(gouji("server-info", "--server", running.address))
        assert f"server_version: {data['server_version']}\n" in shown
        assert "minimum_client_versions: web=1.0.3\n" in shown
    refused(gouji("server-info", "--server", "127.0.0.1:1"))
