"""The data directory: one server, one owner, keys that last."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gouji_server.data_directory import KEY_BYTES, DataDirectory, StartError

if TYPE_CHECKING:
    from pathlib import Path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_made_for_its_owner_alone(tmp_path: Path) -> None:
    """Directory and files are made closed to other users, whatever the umask."""
    before = os.umask(0)
    try:
        with DataDirectory.open(tmp_path / "deep" / "data") as directory:
            directory.key("tokens.key")
            directory.file("records.sqlite3")
    finally:
        os.umask(before)
    assert mode(tmp_path / "deep" / "data") == 0o700
    files = {path.name: mode(path) for path in (tmp_path / "deep" / "data").iterdir()}
    assert files == {"lock": 0o600, "tokens.key": 0o600, "records.sqlite3": 0o600}


def test_an_empty_directory_is_closed_to_others(tmp_path: Path) -> None:
    """A directory that is there, empty and open, as a container's volume is, is closed."""
    tmp_path.chmod(0o755)
    DataDirectory.open(tmp_path).close()
    assert mode(tmp_path) == 0o700


def test_an_open_directory_with_files_is_refused(tmp_path: Path) -> None:
    """A directory in use by something else is not closed under its owner's feet: the error says what to do."""
    (tmp_path / "thesis.txt").touch()
    tmp_path.chmod(0o755)
    with pytest.raises(StartError, match="chmod 700"):
        DataDirectory.open(tmp_path)
    assert mode(tmp_path) == 0o755


def test_one_server_at_a_time(tmp_path: Path) -> None:
    """A second opener is refused in one line that names the process; after the first has closed it is let in."""
    first = DataDirectory.open(tmp_path)
    with pytest.raises(StartError, match=rf"in use by another server \(process {os.getpid()}\)") as refusal:
        DataDirectory.open(tmp_path)
    assert "\n" not in str(refusal.value)
    first.close()
    DataDirectory.open(tmp_path).close()


def test_the_lock_ends_with_a_killed_process(tmp_path: Path) -> None:
    """SIGKILL leaves no stale lock behind."""
    code = (
        "import sys, time; from pathlib import Path; from gouji_server.data_directory import DataDirectory;"
        "d = DataDirectory.open(Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        with pytest.raises(StartError, match=f"process {holder.pid}"):
            DataDirectory.open(tmp_path)
        holder.kill()
        holder.wait()
    DataDirectory.open(tmp_path).close()


def test_keys_are_drawn_once(tmp_path: Path) -> None:
    """A key is the same at the next start, and two directories have different ones."""
    with DataDirectory.open(tmp_path / "a") as one, DataDirectory.open(tmp_path / "b") as two:
        key = one.key("tokens.key")
        assert len(key) == KEY_BYTES
        assert one.key("tokens.key") == key
        assert two.key("tokens.key") != key


def test_a_damaged_key_is_named(tmp_path: Path) -> None:
    """A key file cut short is not used as it is."""
    with DataDirectory.open(tmp_path) as directory:
        directory.key("tokens.key")
        (tmp_path / "tokens.key").write_bytes(b"short")
        with pytest.raises(StartError, match=r"tokens\.key is damaged"):
            directory.key("tokens.key")


def test_an_exposed_key_is_not_used(tmp_path: Path) -> None:
    """A key file that others may read is refused."""
    with DataDirectory.open(tmp_path) as directory:
        directory.key("tokens.key")
        (tmp_path / "tokens.key").chmod(0o644)
        with pytest.raises(StartError, match="open to other users"):
            directory.key("tokens.key")


def test_a_half_written_key_does_not_count(tmp_path: Path) -> None:
    """What a crash left of making a key is replaced by a whole one."""
    with DataDirectory.open(tmp_path) as directory:
        (tmp_path / "tokens.key.new").write_bytes(b"half")
        assert len(directory.key("tokens.key")) == KEY_BYTES
        assert not (tmp_path / "tokens.key.new").exists()


def test_it_knows_whether_it_is_still_there(tmp_path: Path) -> None:
    """Moved away, or replaced by another of the same name, it is not the one that the server has."""
    with DataDirectory.open(tmp_path / "data") as directory:
        assert directory.intact()
        (tmp_path / "data").rename(tmp_path / "elsewhere")
        assert not directory.intact()
        with DataDirectory.open(tmp_path / "data") as other:
            assert not directory.intact()
            assert other.intact()


def test_a_file_in_its_place_is_named(tmp_path: Path) -> None:
    """A path that cannot be a directory is refused with the system's reason."""
    (tmp_path / "data").touch()
    with pytest.raises(StartError, match="cannot be used"):
        DataDirectory.open(tmp_path / "data")
