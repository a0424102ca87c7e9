"""`gouji account`, against a real server."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from typing import TYPE_CHECKING

import pytest

from gouji_client import Credentials, connect
from tests.clients.cli_run import gouji, has_no_traceback, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typer.testing import Result


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server."""
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running.address


@pytest.fixture
def keep(address: str, tmp_path: Path) -> Path:
    """A file with the credentials of a new guest, who is signed in nowhere."""

    async def sign_in() -> None:
        async with connect(address) as client:
            await client.sign_in("Mei", keep=tmp_path / "mei.json")
            await client.sign_out()

    asyncio.run(sign_in())
    return tmp_path / "mei.json"


def sign_in_elsewhere(keep: Path) -> None:
    """Leave a session of the account open."""

    async def sign_in() -> None:
        credentials = Credentials.load(keep)
        async with connect(credentials.server) as client:
            await client.sign_in(credentials=credentials)

    asyncio.run(sign_in())


def told(result: Result) -> str:
    """Return what a command printed; it has to end well."""
    assert result.exit_code == 0, result.output
    return result.output


def refused(result: Result, status: int = 1) -> str:
    """Return the one line by which a command says why it failed."""
    assert result.exit_code == status, result.output
    assert has_no_traceback(result.output)
    (line,) = result.output.strip().splitlines()
    assert line.startswith("gouji: ")
    return line


def test_the_account_is_shown(keep: Path) -> None:
    """Whose file it is, for people and for programs."""
    account = Credentials.load(keep).account
    assert told(gouji("account", "show", "--keep", str(keep))).splitlines()[:2] == [
        f"account: {account}",
        "display_name: Mei",
    ]
    data = json.loads(told(gouji("account", "show", "--keep", str(keep), "--json")))
    assert (data["account"], data["display_name"]) == (account, "Mei")


def test_sessions_are_listed_and_ended(keep: Path) -> None:
    """Sessions elsewhere are listed and can be ended one by one; the command's own leaves none behind."""
    assert "nowhere else" in told(gouji("account", "sessions", "--keep", str(keep)))
    sign_in_elsewhere(keep)
    sign_in_elsewhere(keep)
    names = re.findall(r"sessions/\w+", told(gouji("account", "sessions", "--keep", str(keep))))
    assert len(names) == 2
    told(gouji("account", "revoke", names[0], "--keep", str(keep)))
    (left,) = json.loads(told(gouji("account", "sessions", "--keep", str(keep), "--json")))
    assert left["name"] == names[1]
    assert left["client"].startswith("python/")
    assert "SESSION_NOT_FOUND" in refused(gouji("account", "revoke", "nothing", "--keep", str(keep)))


def test_a_lost_file_is_made_useless(keep: Path, tmp_path: Path) -> None:
    """Signing out everywhere ends sessions; with the secret replaced, copies of the file are good for nothing."""
    copy = tmp_path / "copy.json"
    Credentials.load(keep).save(copy)
    sign_in_elsewhere(copy)
    told(gouji("account", "sign-out-everywhere", "--keep", str(keep)))
    assert "nowhere else" in told(gouji("account", "sessions", "--keep", str(keep)))
    told(gouji("account", "sign-out-everywhere", "--keep", str(keep), "--replace-secret"))
    assert stat.S_IMODE(keep.stat().st_mode) == 0o600
    told(gouji("account", "show", "--keep", str(keep)))
    assert "does not know the credentials" in refused(gouji("account", "show", "--keep", str(copy)))


def test_a_file_that_is_no_credentials_is_told(tmp_path: Path) -> None:
    """A missing file, and a server that does not answer, are told in one line."""
    assert "cannot read" in refused(gouji("account", "show", "--keep", str(tmp_path / "none.json")))


def test_a_bot_is_made_and_plays_by_its_token(keep: Path, tmp_path: Path) -> None:
    """A bot's account, a token of it in a file, a match played by it; revoked, it plays no more."""
    own = ("--keep", str(keep))
    assert told(gouji("bot", "account", "list", *own)) == "no bots\n"
    bot = told(gouji("bot", "account", "create", "robot", *own)).strip()
    assert json.loads(told(gouji("bot", "account", "list", *own, "--json"))) == [
        {"account": bot, "display_name": "robot"}
    ]
    token = told(gouji("bot", "token", "create", bot, *own, "--scope", "play", "--scope", "lobby", "--for", "a cup"))
    (listed,) = json.loads(told(gouji("bot", "token", "list", bot, *own, "--json")))
    assert (listed["for"], listed["scopes"], listed["lapses"]) == ("a cup", "play lobby", "")
    assert token.strip() not in str(listed)
    file = tmp_path / "token"
    file.write_text(token)
    server = Credentials.load(keep).server
    run = ("bot", "run", "--server", server, "--table", "new", "--deals", "1", "--json")
    assert json.loads(told(gouji(*run, "--token-file", str(file))))["won"] in (True, False)
    told(gouji("bot", "token", "revoke", listed["token"], *own))
    assert "does not take this token" in refused(gouji(*run, env={"GOUJI_BOT_TOKEN": token.strip()}))
    told(gouji("bot", "account", "delete", bot, *own))
    assert "BOT_NOT_FOUND" in refused(gouji("bot", "token", "list", bot, *own))
    assert "no scope" in refused(gouji("bot", "token", "create", bot, *own, "--scope", "dance"), 2)
    assert "No such file" in refused(gouji(*run, "--token-file", str(tmp_path / "none")), status=2)


def test_a_password_is_set_and_brings_the_account_back(keep: Path, tmp_path: Path) -> None:
    """A guest gets a name and a password; on another machine they bring the account back; a change ends the rest."""
    own = ("--keep", str(keep))
    name = f"mei-{Credentials.load(keep).account[-8:]}"
    assert "--login NAME" in refused(gouji("account", "password", *own, input="x\n"), status=2)
    said = told(gouji("account", "password", *own, "--login", name.upper(), input="correct horse\n"))
    assert said == f"{name} signs in with this password now\n"
    server = ("--server", Credentials.load(keep).server)
    other = tmp_path / "other.json"
    enter = ("account", "sign-in", name, "--keep", str(other), *server)
    assert "fit nobody" in refused(gouji(*enter, input="battery staple\n"))
    assert not other.exists()
    assert told(gouji(*enter, input="correct horse\n")).strip() == Credentials.load(keep).account
    assert "is there already" in refused(gouji(*enter, input="correct horse\n"), status=2)
    assert json.loads(told(gouji("account", "show", "--keep", str(other), "--json")))["login_name"] == name
    assert "WRONG_PASSWORD" in refused(gouji("account", "password", *own, input="wrong\nbattery staple\n"))
    told(gouji("account", "password", *own, input="correct horse\nbattery staple\n"))
    assert "does not know the credentials" in refused(gouji("account", "show", "--keep", str(other)))
    told(gouji("account", "show", *own))


def test_a_name_is_changed_and_others_are_blocked(keep: Path) -> None:
    """Renaming shows; a blocked account is listed until it is blocked no more."""
    own = ("--keep", str(keep))
    assert told(gouji("account", "rename", "Mei Mei", *own)) == "Mei Mei\n"
    assert "display_name: Mei Mei" in told(gouji("account", "show", *own))
    bot = told(gouji("bot", "account", "create", "robot", *own)).strip()
    assert told(gouji("account", "rename", "better", "--bot", bot, *own)) == "better\n"
    told(gouji("account", "block", bot, *own))
    assert told(gouji("account", "blocked", *own)).split() == [bot, "better"]
    told(gouji("account", "block", bot, "--off", *own))
    assert json.loads(told(gouji("account", "blocked", *own, "--json"))) == []


def test_an_account_is_deleted_when_meant(keep: Path) -> None:
    """It asks first; then the account is gone, and so is its file."""
    own = ("--keep", str(keep))
    asked = gouji("account", "delete", *own, input="no\n")
    assert asked.exit_code == 1
    assert "delete Mei for good?" in asked.output
    told(gouji("account", "show", *own))
    copy = Credentials.load(keep)
    assert "deleted" in told(gouji("account", "delete", *own, input="yes\n"))
    assert not keep.exists()
    copy.save(keep)
    assert "does not know the credentials" in refused(gouji("account", "delete", "--yes", *own))
