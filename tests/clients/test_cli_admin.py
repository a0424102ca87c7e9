"""`gouji admin` at a real server."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.clients.cli_run import gouji, has_no_traceback, serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clients.cli_run import Serving


def run(folder: Path, *arguments: str) -> str:
    """Run a command at the server of a folder; return what it prints."""
    done = gouji("admin", *arguments, "--data-dir", str(folder / "data"))
    assert done.exit_code == 0, (arguments, done.stderr)
    assert has_no_traceback(done.output)
    return done.stdout


def table_of(server: Serving, folder: Path) -> tuple[str, str]:
    """Make an account and a private table of it; return both names."""
    keep = str(folder / "me")
    made = gouji("account", "new", "tester", "--keep", keep, "--server", server.address)
    assert made.exit_code == 0, made.stderr
    made = gouji("table", "new", "--private", "--keep", keep, "--server", server.address)
    assert made.exit_code == 0, made.stderr
    account = re.search(r"accounts/\w+", run(folder, "accounts", "tester"))
    table = re.search(r"tables/\w+", made.stdout)
    assert account
    assert table
    return account.group(), table.group()


def test_operators_see_and_change_what_a_server_does(tmp_path: Path) -> None:
    """Status, tables, a look, kick, close, bans and the audit log, by the data directory alone; then the server drains
    and is gone."""
    with serving(tmp_path) as server:
        account, table = table_of(server, tmp_path)
        assert "tables: 1 open" in run(tmp_path, "status")
        assert json.loads(run(tmp_path, "status", "--json"))["address"] == server.address
        assert f"{table} waiting qingdao 1 people 0 bots private" in run(tmp_path, "tables")
        assert "no table" in run(tmp_path, "tables", "--held")
        assert f"seat 0: tester {account}" in run(tmp_path, "inspect", table, "--operator", "boss")
        assert "cheats" in run(tmp_path, "ban", account, "--reason", "cheats", "--hours", "2")
        assert account in run(tmp_path, "bans")
        assert "banned until" in run(tmp_path, "accounts", "test")
        run(tmp_path, "unban", account)
        assert "nobody is banned" in run(tmp_path, "bans")
        assert "nothing was reported" in run(tmp_path, "reports")
        assert "finished" in run(tmp_path, "close", table, "--reason", "idle")
        log = run(tmp_path, "audit").splitlines()
        assert [line.split()[2] for line in log] == ["CloseTable", "UnbanAccount", "BanAccount", "InspectTable"]
        assert " boss " in log[-1]
        assert len(run(tmp_path, "audit", table).splitlines()) == 2
        assert "does not drain" in run(tmp_path, "drain", "--look")
        assert "stops" in run(tmp_path, "drain", "--reason", "update")
        assert server.process.wait(timeout=30) == 0


def test_a_match_is_held_looked_into_and_let_go(tmp_path: Path) -> None:
    """Frozen it is among the held ones and shows its hands to who says why; unfrozen it is not."""
    with serving(tmp_path) as server:
        keep = str(tmp_path / "me")
        assert gouji("account", "new", "tester", "--keep", keep, "--server", server.address).exit_code == 0
        made = gouji("table", "new", "--without-seat", "--fill", "simple", "--keep", keep, "--server", server.address)
        assert made.exit_code == 0, made.stderr
        found = re.search(r"tables/\w+", made.stdout)
        assert found
        table = found.group()
        assert "held" in run(tmp_path, "freeze", table, "--reason", "dispute")
        assert table in run(tmp_path, "tables", "--held")
        seats = [line for line in run(tmp_path, "inspect", table).splitlines() if line.startswith("seat ")]
        shown = run(tmp_path, "inspect", table, "--reveal", "--reason", "dispute").splitlines()
        hands = [line for line in shown if line.startswith("seat ")]
        assert len(seats) == len(hands) == 6
        assert all(len(hand) > len(seat) + 10 for seat, hand in zip(seats, hands, strict=True))
        assert "held" not in run(tmp_path, "unfreeze", table)
        log = run(tmp_path, "audit", table).splitlines()
        assert [line.split()[2] for line in log] == ["UnfreezeTable", "InspectTable", "InspectTable", "FreezeTable"]
        assert " reveal: dispute" in log[1]


def test_a_server_that_drains_stops_when_nothing_is_played(tmp_path: Path) -> None:
    """With patience and no match it stops at once, in order."""
    with serving(tmp_path) as server:
        run(tmp_path, "drain", "--minutes", "10")
        assert server.process.wait(timeout=30) == 0


def test_what_cannot_be_done_is_said_in_one_line(tmp_path: Path) -> None:
    """No data directory, no server on it, no such table, no match to freeze, no reason: status 1 and one clear line."""
    with serving(tmp_path) as server:
        _, table = table_of(server, tmp_path)
        data = ("--data-dir", str(tmp_path / "data"))
        for arguments, said in (
            (("inspect", "tables/aaaaaaaaaaaaaaaa", *data), "TABLE_NOT_FOUND"),
            (("inspect", "nonsense", *data), "BAD_REQUEST"),
            (("inspect", table, "--reveal", *data), "reason"),
            (("freeze", table, *data), "MATCH_NOT_STARTED"),
            (("kick", table, "3", *data), "NOBODY_THERE"),
            (("ban", "accounts/0000000000000000", "--reason", "x", *data), "ACCOUNT_NOT_FOUND"),
            (("status", "--data-dir", str(tmp_path / "nowhere")), "admin.key"),
        ):
            done = gouji("admin", *arguments)
            assert done.exit_code == 1, arguments
            assert said in done.stderr, (arguments, done.stderr)
            assert has_no_traceback(done.output)
        assert server.stop() == 0
    done = gouji("admin", "status", *data)
    assert done.exit_code == 1
    assert "no server runs" in done.stderr


def test_a_port_of_this_machine_serves_as_well(tmp_path: Path) -> None:
    """Of a server with `--admin-port` the address is said with `--admin`."""
    with serving(tmp_path, "--admin-port", "0") as server:
        assert server.said[1].startswith("gouji: operators on 127.0.0.1:")
        assert "version:" in run(tmp_path, "status", "--admin", server.said[1].rpartition(" ")[2])
