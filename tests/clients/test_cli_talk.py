"""`gouji table say` and `chat`, `gouji account mute` and `muted`, against a real server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gouji_client import Credentials
from tests.clients.cli_run import gouji, serving
from tests.clients.test_cli_tables import new_account, refused, told
from tests.clients.test_cli_tables import table as table_told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server."""
    with serving(tmp_path_factory.mktemp("talk")) as running:
        yield running.address


def test_what_is_said_is_printed(address: str, tmp_path: Path) -> None:
    """Text, emotes and phrases stand in `chat` with who said them, as lines and as JSON; who is muted does not."""
    mei, bo = (new_account(address, tmp_path, name) for name in ("Mei", "Bo"))
    name = table_told(mei, "new")["name"]
    told(gouji("table", "join", name, "--keep", bo))
    for said in (["good morning"], ["--emote", "egg", "--at", "0"], ["--phrase", "thanks"]):
        told(gouji("table", "say", name, *said, "--keep", bo))
    lines = told(gouji("table", "chat", name, "--keep", mei)).splitlines()
    assert lines == ["Bo: good morning", "Bo: *egg* → 0", "Bo: Thank you."]
    data = json.loads(told(gouji("table", "chat", name, "--keep", mei, "--json")))
    assert [(entry["id"], entry["seat"]) for entry in data] == [(1, 1), (2, 1), (3, 1)]
    other = Credentials.load(bo).account
    told(gouji("account", "mute", other, "--keep", mei))
    assert other in told(gouji("account", "muted", "--keep", mei))
    assert told(gouji("table", "chat", name, "--keep", mei)) == ""
    told(gouji("account", "mute", other, "--off", "--keep", mei))
    assert told(gouji("account", "muted", "--keep", mei, "--json")).strip() == "[]"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([], "say something"),
        (["x", "--emote", "egg"], "say one thing"),
        (["--emote", "nothing"], "there is no emote"),
        (["x", "--scope", "nobody"], "there is no scope"),
        (["x", "--scope", "spectators"], "you sit at this table"),
    ],
)
def test_what_cannot_be_said_is_one_clear_line(address: str, tmp_path: Path, said: list[str], why: str) -> None:
    """Nothing, two things, unknown names and scopes that are not one's own."""
    mei = new_account(address, tmp_path, "Mei")
    name = table_told(mei, "new")["name"]
    result = gouji("table", "say", name, *said, "--keep", mei)
    assert why in refused(result, result.exit_code)
    assert result.exit_code
