"""`gouji backup` and `gouji restore` at a real server's data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.clients.cli_run import gouji, has_no_traceback, serving

if TYPE_CHECKING:
    from pathlib import Path


def test_a_running_servers_data_is_copied_and_served_again(tmp_path: Path) -> None:
    """Backed up while it runs, restored elsewhere, the account that played comes back at a second server."""
    keep, old, new = str(tmp_path / "me"), tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    with serving(old) as server:
        run = ("bot", "run", "--deals", "1", "--table", "new", "--json", "--keep", keep)
        assert gouji(*run, "--server", server.address).exit_code == 0
        done = gouji("backup", str(tmp_path / "backup"), "--data-dir", str(old / "data"))
        assert done.exit_code == 0, done.stderr
        assert "accounts" in done.stdout
    done = gouji("restore", str(tmp_path / "backup"), "--data-dir", str(new / "data"))
    assert done.exit_code == 0, done.stderr
    with serving(new) as server:
        assert gouji(*run, "--server", server.address).exit_code == 0


def test_what_cannot_be_done_is_said_in_one_line(tmp_path: Path) -> None:
    """No data directory, no backup, or something there already: status 1 and one clear line."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("x")
    for arguments in (
        ("backup", str(tmp_path / "b"), "--data-dir", str(tmp_path / "nowhere")),
        ("restore", str(tmp_path / "nowhere"), "--data-dir", str(tmp_path / "d")),
        ("restore", str(tmp_path / "full"), "--data-dir", str(tmp_path / "d")),
    ):
        done = gouji(*arguments)
        assert done.exit_code == 1
        assert done.stderr.count("\n") == 1
        assert has_no_traceback(done.stderr)
