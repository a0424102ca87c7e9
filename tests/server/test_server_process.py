"""`python -m gouji_server` as a process: starting, stopping, and being refused in one clear line."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
import pytest

from tests.server.processes import READY, ROOT, clean_environment, command
from tests.server.raw_client import RawClient, refusal
from tests.server.raw_seat import PlayStream, seated

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

QUIET = ("--port", "0", "--metrics-port", "none", "--entropy-wait-seconds", "0")


async def spawn(*arguments: str, **environment: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command(*arguments),
        cwd=ROOT,
        env=clean_environment() | environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@asynccontextmanager
async def serving(*arguments: str, **environment: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """Run a server until the block is left; gives the process and its address."""
    process = await spawn(*arguments, **environment)
    assert process.stdout is not None
    try:
        line = (await process.stdout.readline()).decode()
        assert line.startswith(READY), (await process.communicate())[1].decode()
        yield process, line.removeprefix(READY).strip()
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def refused(*arguments: str, **environment: str) -> str:
    """Run a server that must not start; return what it says, which is one line, with exit status 2."""
    process = await spawn(*arguments, **environment)
    output, errors = await process.communicate()
    assert process.returncode == 2
    assert output == b""
    text = errors.decode()
    assert text.startswith("gouji: ")
    assert text.count("\n") == 1
    return text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
async def test_it_stops_well_when_told(tmp_path: Path, number: signal.Signals) -> None:
    """At SIGTERM and SIGINT streams end with UNAVAILABLE and a hint, and the exit status is 0."""
    async with serving("--data-dir", str(tmp_path / "d"), *QUIET) as (process, address), RawClient(address) as client:
        await client.sign_in()
        stream = PlayStream(client)
        await stream.subscribe(await seated(client, []))
        process.send_signal(number)

        async def read_on() -> None:
            await stream.end()

        failed = await refusal(read_on())
        assert failed.code is grpc.StatusCode.UNAVAILABLE
        assert failed.retry
        _, errors = await process.communicate()
        assert process.returncode == 0
        events = [json.loads(line)["event"] for line in errors.decode().splitlines()]
        assert events[0] == "started"
        assert events[-2:] == ["stopping", "stopped"]


async def test_it_says_where_it_is(tmp_path: Path) -> None:
    """Standard output tells the address when it is ready, then that of the figures; both were free ports."""
    arguments = ("--data-dir", str(tmp_path / "d"), "--port", "0", "--metrics-port", "0")
    async with serving(*arguments) as (process, address):
        assert process.stdout is not None
        figures = (await process.stdout.readline()).decode()
        assert figures.startswith("gouji: figures on http://127.0.0.1:")
        assert address.startswith("127.0.0.1:")
        assert int(address.rpartition(":")[2]) > 0


async def test_settings_come_from_the_environment_too(tmp_path: Path) -> None:
    """A server can be set up by environment variables alone, as in a container."""
    environment = {
        "GOUJI_PORT": "0",
        "GOUJI_METRICS_PORT": "none",
        "GOUJI_DATA_DIR": str(tmp_path / "from-environment"),
        "GOUJI_LOG_FORMAT": "text",
    }
    async with serving(**environment) as (process, _):
        process.terminate()
        _, errors = await process.communicate()
        assert process.returncode == 0
    assert (tmp_path / "from-environment" / "records.sqlite3").exists()
    assert "[info     ] stopped" in errors.decode()


async def test_a_second_server_is_refused(tmp_path: Path) -> None:
    """A second server on the same directory says so in one line, with exit status 2; the first goes on."""
    arguments = ("--data-dir", str(tmp_path / "d"), *QUIET)
    async with serving(*arguments) as (process, address):
        text = await refused(*arguments)
        assert "in use by another server" in text
        assert str(process.pid) in text
        async with RawClient(address) as client:
            await client.sign_in()


async def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    """A port that is taken, the figures' too, is told in one line."""
    async with serving("--data-dir", str(tmp_path / "d"), *QUIET) as (_, address):
        port = address.rpartition(":")[2]
        other = ("--data-dir", str(tmp_path / "other"))
        text = await refused(*other, "--port", port, "--metrics-port", port)
        assert text.startswith(f"gouji: cannot listen on 127.0.0.1:{port}: ")
        assert "another port" in text
        text = await refused(*other, "--port", "0", "--metrics-port", port)
        assert f"127.0.0.1:{port}" in text
        assert "metrics port" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--port", "http"), "port: "),
        (("--host", "0.0.0.0"), "not a loopback address"),  # noqa: S104 - what is refused
        (("--host", "192.0.2.1", "--insecure", *QUIET), "192.0.2.1:0"),
    ],
    ids=repr,
)
async def test_bad_settings_are_told_in_one_line(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    """A setting that makes no sense ends the start with its name and exit status 2, without a traceback."""
    assert said in await refused("--data-dir", str(tmp_path / "d"), *arguments)


async def test_help_lists_the_settings() -> None:
    """--help tells every flag, with exit status 0."""
    process = await spawn("--help")
    output, _ = await process.communicate()
    assert process.returncode == 0
    for flag in ("--host", "--port", "--data-dir", "--metrics-port", "--insecure", "--log-level"):
        assert flag in output.decode()


async def test_files_that_are_none_of_ours(tmp_path: Path) -> None:
    """Records or a journal that are damaged, or of another program, are named and not touched."""
    for name in ("records.sqlite3", "journal.sqlite3"):
        folder = tmp_path / name
        folder.mkdir(mode=0o700)
        damaged = folder / name
        damaged.write_bytes(b"not a database, but long enough to look at" * 100)
        assert name in await refused("--data-dir", str(folder), *QUIET)
        assert damaged.read_bytes().startswith(b"not a database")


async def test_records_of_a_newer_server(tmp_path: Path) -> None:
    """Records that a newer version has brought up to date are not guessed at."""
    arguments = ("--data-dir", str(tmp_path / "d"), *QUIET)
    async with serving(*arguments) as (process, _):
        process.terminate()
        await process.communicate()
    with sqlite3.connect(tmp_path / "d" / "records.sqlite3") as records:
        records.execute("UPDATE alembic_version SET version_num = '9999'")
    records.close()
    assert "newer server" in await refused(*arguments)


async def test_a_data_directory_that_is_gone_ends_the_server(tmp_path: Path) -> None:
    """A server whose directory was removed acknowledges nothing more: it says so, stops in order, and exits with 1."""
    folder = tmp_path / "d"
    async with serving("--data-dir", str(folder), *QUIET) as (process, _):
        folder.rename(tmp_path / "elsewhere")
        _, errors = await process.communicate()
    assert process.returncode == 1
    assert f"gouji: the data directory {folder} is gone" in errors.decode()
    assert "Traceback" not in errors.decode()


async def test_nobody_listening_is_no_reason_to_stop(tmp_path: Path) -> None:
    """A server whose starter has closed its standard output serves all the same."""
    reading, writing = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *command("--data-dir", str(tmp_path / "d"), *QUIET),
        cwd=ROOT,
        env=clean_environment(),
        stdout=writing,
        stderr=asyncio.subprocess.PIPE,
    )
    os.close(writing)
    os.close(reading)
    assert process.stderr is not None
    line = json.loads(await process.stderr.readline())
    assert line["event"] == "started"
    async with RawClient(line["address"]) as client:
        await client.sign_in()
    process.terminate()
    await process.communicate()
    assert process.returncode == 0
