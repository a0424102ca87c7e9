"""`gouji match`, against a real server."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.clients.cli_run import NEUTRAL, gouji, has_no_traceback, serving
from tests.clients.test_cli_tables import new_account, refused, told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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


@contextmanager
def finding(keep: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run `gouji match find` beside."""
    command = [sys.executable, "-m", "gouji_cli", "match", "find", "--keep", keep, *arguments]
    process = subprocess.Popen(command, env=NEUTRAL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def shown(*arguments: str) -> dict[str, Any]:
    """Run a command of `gouji match` and return the JSON that it prints."""
    data: dict[str, Any] = json.loads(told(gouji("match", *arguments, "--json")))
    return data


def line_of(process: subprocess.Popen[str], pattern: str) -> re.Match[str]:
    """Read on to the line that is like this."""
    assert process.stdout is not None
    read = []
    for line in process.stdout:
        read.append(line)
        if found := re.search(pattern, line):
            return found
    pytest.fail(f"no line is like {pattern!r}: {read}")


@pytest.mark.timeout(120)
def test_who_waits_is_called_plays_and_is_matched(mei: str) -> None:
    """`find` tells the command that plays the seat kept for one, and ends with 0 when the match has begun."""
    with finding(mei, "--bots-after", "0", "--rules", "qingdao", "--rules", "shandong") as process:
        table = line_of(process, r": called to (tables/\w+)$")[1]
        command = line_of(process, r"^play by .*: .* (bot run --keep .*)$")[1]
        assert command == f"bot run --keep {mei} --table {table}"
        played = json.loads(told(gouji(*command.split(), "--json")))
        assert (played["table"], played["complete"]) == (table, True)
        line_of(process, f": the match at {table} has begun$")
        assert process.wait(30) == 0


@pytest.mark.timeout(120)
def test_ctrl_c_gives_the_ticket_up(mei: str) -> None:
    """Whoever stops `find` waits no more; the command says that it was stopped, and by its status too."""
    with finding(mei) as process:
        ticket = line_of(process, r"^(tickets/\w+): waiting for others$")[1]
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=30)[0]
    assert has_no_traceback(rest)
    assert process.returncode == 130
    assert shown("show", ticket, "--keep", mei)["state"] == "cancelled"


def test_a_ticket_waits_on_by_itself(mei: str, bo: str) -> None:
    """`--detach` ends at once; show, watch and cancel go on with the ticket, which is nobody else's."""
    made = shown("find", "--detach", "--region", "east", "--keep", mei)
    ticket = made["ticket"]
    assert (made["state"], made["region"], made["rule_sets"]) == ("queued", "east", ["qingdao"])
    assert "TICKET_NOT_FOUND" in refused(gouji("match", "show", ticket, "--keep", bo))
    assert "TICKET_WAITS" in refused(gouji("match", "find", "--detach", "--keep", mei))
    assert told(gouji("match", "cancel", ticket, "--keep", mei)) == f"{ticket}: given up\n"
    over = gouji("match", "watch", ticket, "--keep", mei)
    assert (over.exit_code, over.output) == (1, f"{ticket}: given up\n")


def test_queues_are_shown(mei: str) -> None:
    """Each rule set has its line; fewer than three are not counted aloud."""
    queues = json.loads(told(gouji("match", "queues", "--keep", mei, "--json")))
    assert {queue["people"] for queue in queues} == {None}
    assert "qingdao" in {queue["rule_set"] for queue in queues}
    assert re.search("qingdao .* few .* –", told(gouji("match", "queues", "--keep", mei)))


def test_allies_wait_together(mei: str, bo: str) -> None:
    """A party is made, entered by its code, waits as one ticket by its leader's command, and is left."""
    party = shown("party", "new", "--keep", mei)
    joined = shown("party", "join", party["join_code"], "--keep", bo)
    assert (joined["party"], len(joined["accounts"])) == (party["party"], 2)
    assert "NOT_LEADER" in refused(gouji("match", "find", "--detach", "--party", party["party"], "--keep", bo))
    ticket = shown("find", "--detach", "--party", party["party"], "--keep", mei)
    assert ticket["accounts"] == joined["accounts"]
    assert shown("party", "show", party["party"], "--keep", bo)["ticket"] == ticket["ticket"]
    assert party["join_code"] in told(gouji("match", "party", "show", party["party"], "--keep", bo))
    assert told(gouji("match", "party", "leave", party["party"], "--keep", bo)) == "left\n"
    assert shown("show", ticket["ticket"], "--keep", mei)["state"] == "cancelled"
    assert "PARTY_NOT_FOUND" in refused(gouji("match", "party", "join", "222222", "--keep", bo))


def test_what_makes_no_sense_is_one_line(mei: str, tmp_path: Path) -> None:
    """Unknown rules, a bad region and a file that is not there: one line, no traceback."""
    assert "did you mean" in refused(gouji("match", "find", "--rules", "qingda", "--keep", mei), 2)
    assert "region" in refused(gouji("match", "find", "--detach", "--region", "East!", "--keep", mei))
    assert "none.json" in refused(gouji("match", "queues", "--keep", str(tmp_path / "none.json")))
