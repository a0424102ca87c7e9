"""`gouji bot run` at private tables, against a real server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.clients.cli_run import gouji, has_no_traceback, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A running server whose own bots answer at once; gives its address."""
    with serving(tmp_path, "--bot-least-seconds", "0", "--bot-most-seconds", "0") as running:
        yield running.address


def test_a_private_table_is_filled_and_played_and_its_code_is_told(server: str) -> None:
    """`--private` prints the join code, and the other five bots of the command come in by it."""
    result = gouji("bot", "run", "--server", server, "--private", "--deals", "1")
    assert result.exit_code == 0, result.output
    assert re.search(r"its join code is [2-9A-HJKMNP-Z]{6}\n", result.output)


def test_a_join_code_opens_the_table_and_a_wrong_one_is_told_in_words(server: str) -> None:
    """`--join-code` joins a private table of somebody else; a wrong code is one line and exit status 1."""
    result = gouji("bot", "run", "--server", server, "--join-code", "222222")
    assert result.exit_code == 1
    assert "TABLE_NOT_FOUND" in result.stderr
    assert has_no_traceback(result.output)
    both = gouji("bot", "run", "--server", server, "--join-code", "222222", "--table", "new")
    assert both.exit_code == 2
    assert "--join-code names the table" in both.stderr
