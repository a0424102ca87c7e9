"""`gouji verify`: what was promised before a deal against what was revealed after it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji_cli import verifying
from gouji_client import sync
from gouji_client.fairness import deal_faults
from tests.clients.cli_run import gouji, has_no_traceback, serving
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gouji.replay.v1 import replay_pb2
    from gouji.table.v1 import events_pb2

PLAIN = str(ROOT / "tests/records/R68_shandong_match_of_four_deals.toml")


class Kept:
    """A match of two deals that a server keeps, and where the records are that its player wrote."""

    def __init__(self, address: str, folder: Path, match: replay_pb2.Match) -> None:
        self.address = address
        self.folder = folder
        self.match = match

    @contextmanager
    def client(self) -> Iterator[sync.Client]:
        with sync.connect(self.address) as client:
            client.sign_in("verifier")
            yield client

    def record(self, file: Path) -> str:
        """Write the match's record into a file and return its text."""
        with self.client() as client:
            text = client.replays.record(self.match.name)
        file.write_text(text, encoding="utf-8")
        return text


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    folder = tmp_path_factory.mktemp("server")
    with serving(folder) as server:
        run = ("bot", "run", "--server", server.address, "--deals", "2", "--table", "new", "--json")
        done = gouji(*run, "--records", str(folder / "records"))
        assert done.exit_code == 0, done.stderr
        with sync.connect(server.address) as client:
            client.sign_in("watcher")
            matches: list[replay_pb2.Match] = []
            while not matches:
                matches = list(client.replays.matches())
        yield Kept(server.address, folder / "records", matches[0])


def test_a_kept_match_is_as_promised(kept: Kept) -> None:
    """By its name and by its table's: every deal is dealt again and agrees; the exit status is 0."""
    for name in (kept.match.name, kept.match.table, kept.match.name.removeprefix("matches/")):
        result = gouji("verify", name, "--server", kept.address)
        assert result.exit_code == 0, result.stderr
        assert "2 of 2 deals as promised" in result.stdout


def test_records_prove_it_to_whoever_has_them(kept: Kept, tmp_path: Path) -> None:
    """The match's record, and each deal's as its player was told it, verify without the server."""
    kept.record(tmp_path / "match.toml")
    files = sorted(map(str, kept.folder.glob("*.toml")))
    assert len(files) == 2
    result = gouji("verify", str(tmp_path / "match.toml"), *files)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("deals as promised") == 3


@pytest.mark.parametrize("key", ["commitment", "secret", "seed"])
def test_a_record_that_was_tampered_with_is_found_out(kept: Kept, tmp_path: Path, key: str) -> None:
    """Any digit of commitment, secret or seed changed is named, and the exit status is 1."""
    text = kept.record(tmp_path / "match.toml")
    at = text.index(f'\n{key} = "') + len(f'\n{key} = "')
    spoiled = f"{text[:at]}{int(text[at], 16) ^ 1:x}{text[at + 1 :]}"
    (tmp_path / "match.toml").write_text(spoiled, encoding="utf-8")
    result = gouji("verify", str(tmp_path / "match.toml"))
    assert result.exit_code == 1
    assert "1 of 2 deals as promised" in result.stdout
    assert "deal 1:" in result.stderr
    assert has_no_traceback(result.stderr)


def test_a_server_that_lies_about_hands_or_secrets_is_found_out(kept: Kept) -> None:
    """Hands other than those dealt, another secret, or another commitment than was published are faults."""
    begun: list[events_pb2.DealStarted] = []
    revealed: list[events_pb2.DealRevealed] = []
    with kept.client() as client:
        for step in client.replays.steps(kept.match.name, eyes="spectator"):
            for event in step.update.events:
                if event.HasField("deal_started"):
                    begun.append(event.deal_started)
                if event.HasField("deal_revealed"):
                    revealed.append(event.deal_revealed)
    commitment, told, rules = begun[0].commitment, revealed[0], gr.preset("qingdao")
    given = tuple((one.seat, one.entropy) for one in begun[0].entropies)
    assert given, "the players of a served match give entropy"
    assert deal_faults(rules, commitment, told, given) == []
    assert deal_faults(rules, begun[1].commitment, told, given)
    assert deal_faults(rules, commitment, told)
    assert deal_faults(rules, commitment, told, ((0, b"x" * 16), *given[1:]))
    told.hands[2].cards[0], told.hands[3].cards[0] = told.hands[3].cards[0], told.hands[2].cards[0]
    swapped = deal_faults(rules, commitment, told, given)
    assert any("seat 2" in fault for fault in swapped) or told.hands[2].cards[0] == told.hands[3].cards[0]
    told.secret = bytes(32)
    assert "commitment" in deal_faults(rules, commitment, told, given)[0]


def test_a_record_of_other_deals_is_found_out(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that holds in itself, but is not of the deals that were told, is a fault."""
    other = kept.folder / "deal-1.toml"
    files = sorted(kept.folder.glob("*.toml"))
    text = (other if other.exists() else files[0]).read_text(encoding="utf-8")
    with kept.client() as client:
        monkeypatch.setattr(type(client.replays), "record", lambda _self, _match: text)
        found = verifying.of_match(client, kept.match.name)
    assert any("not of the deals" in fault for fault in found.faults)


def test_what_proves_nothing_is_said(tmp_path: Path) -> None:
    """A record without commitments verifies nothing (1); a file that is no record is an error (2)."""
    result = gouji("verify", PLAIN)
    assert result.exit_code == 1
    assert result.stderr.count("nothing to verify") == 4
    (tmp_path / "x.toml").write_text("no record")
    assert gouji("verify", str(tmp_path / "x.toml")).exit_code == 2
    assert gouji("verify", "nowhere.toml").exit_code == 2
    assert gouji("verify", "matches/x", "--server", "127.0.0.1:1").exit_code == 1
