"""Credentials in a file."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

import pytest

from gouji_client import Credentials, CredentialsError

if TYPE_CHECKING:
    from pathlib import Path

MINE = Credentials("127.0.0.1:50151", "accounts/7", "梅", "s3cret-s3cret-s3cret")


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    """A saved file gives the same credentials again, in folders that are made for it."""
    path = tmp_path / "deep" / "mei.json"
    MINE.save(path)
    assert Credentials.load(path) == MINE


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    """The file has mode 0600 whatever the umask, also where it replaces one that was open to all."""
    path = tmp_path / "mei.json"
    path.write_text("old")
    path.chmod(0o666)
    before = os.umask(0)
    try:
        MINE.save(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path], "nothing half-written is left beside it"


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """A secret that others can read is not used; the error says how to close the file."""
    path = tmp_path / "mei.json"
    MINE.save(path)
    path.chmod(0o644)
    with pytest.raises(CredentialsError, match="chmod 600"):
        Credentials.load(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "{}",
        json.dumps({"format": "gouji-credentials/9", "server": "a", "account": "b"}),
        json.dumps({"format": "gouji-credentials/1", "server": "a", "account": "b", "display_name": "c"}),
        json.dumps(
            {"format": "gouji-credentials/1", "server": "a", "account": 5, "display_name": "c", "device_secret": "d"}
        ),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    """A file that holds no credentials gives an error with its path, never a traceback of the parser."""
    path = tmp_path / "mei.json"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(CredentialsError, match=r"mei\.json"):
        Credentials.load(path)


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    """A binary file is no credentials file either."""
    path = tmp_path / "mei.json"
    path.write_bytes(b"\xff\xfe\x00")
    path.chmod(0o600)
    with pytest.raises(CredentialsError, match="no text"):
        Credentials.load(path)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    """What cannot be read, or written, is said with its path."""
    with pytest.raises(CredentialsError, match="nothing-here"):
        Credentials.load(tmp_path / "nothing-here")
    with pytest.raises(CredentialsError, match="cannot keep"):
        MINE.save(tmp_path)
    for use in (Credentials.load, MINE.save):
        with pytest.raises(CredentialsError, match="null"):
            use(tmp_path / "a\0b")


def test_the_secret_is_not_shown() -> None:
    """Neither repr nor str shows the secret, so that it gets into no log."""
    assert MINE.device_secret not in repr(MINE)
    assert MINE.device_secret not in str(MINE)
