"""`gouji watch`, `gouji share` and `gouji replay --share-link`, against a real server."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from gouji_client import Credentials, sync
from tests.clients.cli_run import gouji, gouji_process, serving
from tests.clients.test_cli_tables import new_account, refused, table, told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server, whose bots answer at once."""
    quick = ("--bot-least-seconds", "0", "--bot-most-seconds", "0", "--entropy-wait-seconds", "0")
    with serving(tmp_path_factory.mktemp("server"), *quick) as running:
        yield running.address


def test_a_private_match_is_watched_and_looked_at_by_share_links(address: str, tmp_path: Path) -> None:
    """A guest watches a match of a private table to its end by a link's token, and its replay by another's; without a
    token, or with one that was ended, there is no such table."""
    mei = new_account(address, tmp_path, "Mei")
    made = table(mei, "new", "--private", "--fill", "simple", "--deals", "1")["name"]
    link = json.loads(told(gouji("share", "new", made, "--keep", mei, "--json")))
    gone = json.loads(told(gouji("share", "new", made, "--keep", mei, "--days", "90", "--json")))
    assert {link["name"], gone["name"]} == {line.split()[0] for line in _lines("share", "list", made, "--keep", mei)}
    told(gouji("share", "end", gone["name"], "--keep", mei))
    for token in ("", gone["token"]):
        way = ("--share-link", token) if token else ()
        assert "TABLE_NOT_FOUND" in refused(gouji("watch", made, "--server", address, *way))
    told(gouji("table", "ready", made, "--keep", mei))
    with ThreadPoolExecutor(1) as beside:
        playing = beside.submit(gouji_process, "bot", "run", "--keep", mei, "--table", made, "--server", address)
        watched = told(gouji("watch", made, "--server", address, "--share-link", link["token"]))
        assert playing.result().returncode == 0, playing.result().stderr
    assert "the match is over" in watched
    assert "the table is closed" in told(gouji("watch", made, "--server", address, "--share-link", link["token"]))
    with sync.connect(address) as client:
        client.sign_in("", credentials=Credentials.load(mei))
        while not (kept := list(client.replays.matches(table=made))):
            pass
    match = kept[0].name
    of_match = json.loads(told(gouji("share", "new", match, "--keep", mei, "--json")))["token"]
    assert "MATCH_NOT_FOUND" in refused(gouji("replay", match, "--server", address))
    assert "deal 1 begins" in told(gouji("replay", match, "--server", address, "--share-link", of_match))


def _lines(*arguments: str) -> list[str]:
    return told(gouji(*arguments)).splitlines()
