"""The logs and figures of whole games: what they tell, and what they must not."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.request
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import state_pb2, table_pb2
from gouji_server import logs
from tests.server.raw_client import new_id, refusal
from tests.server.raw_seat import PlayStream, Seat, action, play_match, seated

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.running import Running

# Every key that a line may have, and what its value may look like. A line with another key, or a value of another
# shape, may hold a card: whoever adds one has to think of that here.
WORD = re.compile(r"[A-Za-z_.]{1,40}").fullmatch
ID = re.compile(r"[A-Za-z0-9._-]{1,64}").fullmatch
NAME = re.compile(r"(tables|accounts)/[a-z0-9]{1,20}").fullmatch
SHAPES: dict[str, Callable[[str], object]] = {
    "event": re.compile(r"[a-z_ -]{1,40}").fullmatch,
    "level": WORD,
    "logger": WORD,
    "timestamp": re.compile(r"[0-9T:.Z-]{20,32}").fullmatch,
    "method": WORD,
    "status": WORD,
    "reason": WORD,
    "way": WORD,
    "rule_set": WORD,
    "account": NAME,
    "table": NAME,
    "request_id": ID,
}
NUMBERS = {"seat", "version", "decision", "deals"}
FLAGS = {"retry"}


@pytest.fixture
def lines(own_logging: None) -> StringIO:
    """Everything that is logged, at the most talkative level."""
    out = StringIO()
    logs.set_up("debug", "json", out)
    return out


def read(lines: StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def hold_shapes(entries: list[dict[str, Any]]) -> None:
    """Hold that each line has keys and values of known shapes alone."""
    for entry in entries:
        for key, value in entry.items():
            if key in NUMBERS:
                assert value is None or (type(value) is int and -1 <= value < 10**6), entry
            elif key in FLAGS:
                assert isinstance(value, bool), entry
            else:
                assert key in SHAPES, entry
                assert isinstance(value, str), entry
                assert SHAPES[key](value), (key, entry)


async def test_a_whole_game_logs_no_card_and_no_token(running_server: Running, lines: StringIO) -> None:
    """The log of a match with bots, refusals and every way of signing in has lines of known shapes alone."""
    owner = await running_server.player("owner")
    players = [await running_server.player(f"p{n}") for n in range(6)]
    secrets = [(client.device_secret, client.session.refresh_token) for client in players]
    for client in players[:3]:
        await client.refresh()
    await players[3].come_back(players[3].account, players[3].device_secret)
    await refusal(players[4].come_back(players[4].account, "wrong"))
    seats = await play_match(owner, players)
    await refusal(players[0].call(table_pb2.CheckPlayRequest(table=seats[0].table, action=action(99))))
    bots = await seated(owner, players[:5])
    await owner.call(lobby_pb2.AddBotRequest(request_id=new_id(), name=bots))
    await refusal(owner.call(lobby_pb2.AddBotRequest(request_id=new_id(), name=bots)))
    entries = read(lines)
    hold_shapes(entries)
    text = lines.getvalue()
    tokens = {client.session.access_token for client in (*players, owner)}
    assert not any(secret in text for pair in secrets for secret in pair)
    assert not any(token in text for token in tokens)
    assert "VERB" not in text
    assert "CARD" not in text
    commands = [entry for entry in entries if entry["event"] == "command"]
    assert len(commands) > 100
    assert {entry["method"] for entry in commands} == {"Play.act"}


async def test_lines_carry_their_context(running_server: Running, lines: StringIO) -> None:
    """A line says which method, account, table, seat and request it is about, and which version came of it."""
    player = await running_server.player("p")
    table = await seated(player, [])
    join = lobby_pb2.JoinTableRequest(request_id=new_id(), name=table, seat=4)
    await player.call(join)
    submit = table_pb2.SubmitActionRequest(
        request_id=new_id(), table=table, decision=1, action=action(state_pb2.VERB_PASS)
    )
    await refusal(player.call(submit))
    by_method = {entry.get("method"): entry for entry in read(lines) if entry["event"] == "call"}
    joined = by_method["JoinTable"]
    assert (joined["account"], joined["table"], joined["seat"]) == (player.account, table, 4)
    assert (joined["request_id"], joined["status"]) == (join.request_id, "OK")
    submitted = by_method["SubmitAction"]
    assert (submitted["request_id"], submitted["decision"]) == (submit.request_id, 1)
    assert (submitted["status"], submitted["reason"]) == ("FAILED_PRECONDITION", "MATCH_NOT_STARTED")


async def test_a_table_logs_under_its_own_name(running_server: Running, lines: StringIO) -> None:
    """What a table logs by itself is not put down to the account that happened to wake it."""
    owner = await running_server.player("owner")
    players = [await running_server.player(f"p{n}") for n in range(6)]
    seats = await play_match(owner, players)
    (closed,) = [entry for entry in read(lines) if entry["event"] == "table_closed"]
    assert closed["table"] == seats[0].table
    assert "account" not in closed
    assert "method" not in closed


async def scrape(running: Running) -> str:
    def get() -> str:
        url = f"http://127.0.0.1:{running.server.metrics_port}/metrics"
        with urllib.request.urlopen(url, timeout=30) as answer:
            text: str = answer.read().decode()
            return text

    return await asyncio.to_thread(get)


def samples(text: str) -> dict[str, float]:
    """Read the figures by name and labels."""
    lines = (line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


async def test_figures_of_a_game(start_server: Callable[..., Running]) -> None:
    """Commands are counted by method and status and never by verb; tables, streams, commits and resyncs are there."""
    async with start_server(metrics_port=0) as running:
        owner = await running.player("owner")
        players = [await running.player(f"p{n}") for n in range(6)]
        table = await seated(owner, players)
        seats = [Seat(player, table, number) for number, player in enumerate(players)]
        for seat in seats:
            await seat.follow()
        during = samples(await scrape(running))
        assert during["gouji_streams"] == 6
        assert during["gouji_tables"] == 1
        made = sum(await asyncio.gather(*(seat.play() for seat in seats)))
        stream = PlayStream(owner)
        await stream.send(act=table_pb2.SubmitActionRequest(request_id=new_id(), table="tables/aaaaaaaaaaaaaaaa"))
        await stream.read()
        text = await scrape(running)
        after = samples(text)
        assert after['gouji_commands_total{method="Play.act",status="OK"}'] == made
        assert after['gouji_commands_total{method="Play.act",status="NOT_FOUND"}'] == 1
        assert after['gouji_commands_total{method="SignIn",status="OK"}'] == 7
        assert after['gouji_commands_total{method="Play.subscribe",status="OK"}'] == 6
        assert after["gouji_commit_seconds_count"] > 0
        assert after["gouji_committed_entries_total"] >= made
        assert after["gouji_backlog_bytes"] == 0
        assert after["gouji_faults_total"] == 0
        assert set(re.findall(r"(\w+)=\"", text)) == {"method", "status", "le", "reason"} - (
            set() if "gouji_resyncs_total{" in text else {"reason"}
        )
        assert not re.search("(?i)pass\\b|burn|decline|revolt|wind|yield", text)


async def test_figures_are_for_this_machine_alone(start_server: Callable[..., Running]) -> None:
    """The figures are served on loopback, on a port of their own, and stop with the server."""
    async with start_server(metrics_port=0) as running:
        assert running.config.metrics_host == "127.0.0.1"
        assert running.server.metrics_port not in (None, running.server.port)
        assert "gouji_streams" in await scrape(running)
        port = running.server.metrics_port
        await running.stop()
        with pytest.raises(OSError, match="Connect call failed"):
            await asyncio.open_connection("127.0.0.1", port)
        await running.start()


async def test_two_servers_do_not_share_figures(
    start_server: Callable[..., Running], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each server has a registry of its own."""
    folders = [tmp_path_factory.mktemp("two") for _ in range(2)]
    async with (
        start_server(metrics_port=0, data_dir=folders[0] / "d") as one,
        start_server(metrics_port=0, data_dir=folders[1] / "d") as two,
    ):
        await one.player()
        assert 'method="SignIn"' in await scrape(one)
        assert 'method="SignIn"' not in await scrape(two)
