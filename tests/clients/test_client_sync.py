"""The client without `async`."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

import pytest

import gouji_client.sync as gouji
import gouji_rules as gr
from gouji_client import Bot, BotFailed, GoujiError, Manners, NewTable, PolicyBot, Refused, ServerUnreachable
from gouji_client.background import BackgroundLoop
from gouji_client.testing import DropStream, FakeServer
from tests.clients.watching import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gouji_client import TableView


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """A fake server, run beside."""
    with gouji.running(FakeServer(seed=3, opponents="random", faults=[DropStream(at=50)])) as running:
        yield running


def test_a_match_is_played_by_plain_calls(server: FakeServer) -> None:
    """Sign in, sit down, wait for one's turn, act: no loop, no await; lost connections included."""
    with gouji.connect(server.address, backoff=AT_ONCE) as client:
        client.sign_in("Mei")
        assert client.account.display_name == "Mei"
        assert client.credentials.server == client.address == server.address
        assert client.lobby.join(server.table) == 0
        table = client.table(server.table)
        assert table.view.name == table.name == server.table
        table.set_ready()
        acted = 0
        while not (view := table.until(lambda view: view.asked or view.over)).over:
            assert table.act(view.to_seat_view().legal_actions()[0]) >= view.at.n
            acted += 1
        assert acted > 10
        assert table.view.over
        client.sign_out()
    assert server.streams_opened == 2


def test_updates_are_iterated(server: FakeServer) -> None:
    """`for update in table.updates()` gives what the async client gives, and can be left."""
    with gouji.connect(server.address, backoff=AT_ONCE) as client:
        client.sign_in("Mei")
        table = client.new_table(NewTable(deals=1), fill="random")
        table.set_ready()
        seen = []
        for update in table.updates():
            seen.append(update.view.at)
            if update.view.asked and update.view.at == table.view.at:
                break
        assert len(seen) == len(set(seen))
        table.unfollow()
        assert table.get_view().asked
        assert table.legal_plays().decision == table.view.decision


def test_the_lobby_is_there(server: FakeServer) -> None:
    """Rule sets, tables, seats and bots are had by plain calls."""
    with gouji.connect(server.address) as client:
        client.sign_in("Mei")
        assert client.lobby.rule_sets()
        (listed,) = client.lobby.tables(with_free_seat=True)
        assert client.lobby.get(listed.name) == listed
        assert client.lobby.tables(state=listed.state) == [listed]
        client.lobby.create(NewTable(deals=1))
        assert client.lobby.join(listed.name, 0) == 0
        client.lobby.set_ready(listed.name, ready=False)
        with pytest.raises(Refused, match="SEAT_TAKEN"):
            client.lobby.add_bot(listed.name, "simple", 0)


def test_refusals_are_the_same(server: FakeServer) -> None:
    """Errors are those of the async client."""
    with gouji.connect(server.address) as client:
        with pytest.raises(Refused, match="1 to 24"):
            client.sign_in("")
        client.sign_in("Mei")
        table = client.table(server.table)
        client.lobby.join(table.name)
        table.set_ready()
        table.until(lambda view: view.asked)
        with pytest.raises(Refused) as caught:
            table.check("pass")
        assert caught.value.rule
    with pytest.raises(ServerUnreachable):
        gouji.connect("127.0.0.1:1", wait=0.05)


def test_what_is_said_out_of_turn_is_plain_calls_too() -> None:
    """Choosing an opposite, asking for a count, feeling a hand and voting to end the match."""
    rules = gr.preset("qingdao").replace(seating="choose_opposite", report="asked", feel_chances=3)
    with (
        gouji.running(FakeServer(seats=[0], rules=rules, seed=1)) as server,
        gouji.connect(server.address, backoff=AT_ONCE) as client,
    ):
        client.sign_in("Mei")
        client.lobby.join(server.table)
        table = client.table(server.table)
        assert client.lobby.choose_opposite(server.table, 4) == 1
        table.set_ready()
        view = table.until(lambda view: view.asked)
        assert view.seat == 1
        assert table.ask_count(2) is None  # more than ten (R80)
        assert table.feel() == (31, 36)
        assert table.take_back() > view.at.n  # what it had already: told to nobody, and the feeling was told
        assert table.vote_dissolution() > view.at.n
        assert table.until(lambda view: view.over).felt == ((31, 36),)


def test_a_bot_is_run_by_one_call(server: FakeServer) -> None:
    """`run_bot` plays to the end and returns the result."""
    result = gouji.run_bot(server.address, PolicyBot("simple", seed=1), table=server.table, backoff=AT_ONCE)
    assert server.over
    assert (result.complete, result.faults) == (True, 0)


async def test_it_works_where_a_loop_is_running_already() -> None:
    """In a notebook a loop runs in the main thread; plain calls work there all the same."""
    assert asyncio.get_running_loop().is_running()
    with gouji.running(FakeServer(seed=3)) as server, gouji.connect(server.address) as client:
        client.sign_in("Mei")
        assert client.lobby.tables()


def test_calling_it_from_its_own_thread_is_refused() -> None:
    """A bot that calls the façade from inside the loop's thread would hang for ever; it gets an error instead."""

    class Confused(Bot):
        """Asks the façade from inside `choose`."""

        error: RuntimeError | None = None

        def choose(self, view: gr.SeatView) -> gr.Action:
            """Return the first legal action, after a bad call."""
            try:
                gouji.connect("127.0.0.1:1")
            except RuntimeError as error:
                self.error = error
            return view.legal_actions()[0]

    bot = Confused()
    with gouji.running(FakeServer(seed=3)) as server:
        gouji.run_bot(server.address, bot, table=server.table)
    assert "async client" in str(bot.error)
    assert isinstance(bot.error, GoujiError)


def test_an_interrupted_wait_is_called_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while a call waits is raised to the caller, and what was waited for is cancelled."""
    loop = BackgroundLoop()
    waiting, ended = threading.Event(), threading.Event()

    async def wait_for_ever() -> None:
        waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    def interrupted(future: Future[None], timeout: float | None = None) -> None:
        waiting.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(Future, "result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        loop.run(wait_for_ever())
    assert ended.wait(30)


class Leaving(Bot):
    """Ends the process in its first choice, as a script's author may."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def choose(self, view: gr.SeatView) -> gr.Action:
        """Raise what ends a process."""
        raise self._error


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), StopIteration()])
@pytest.mark.parametrize("limit", [None, 60.0])
def test_what_ends_a_process_comes_out_of_a_callback_at_the_caller(error: BaseException, limit: float | None) -> None:
    """`sys.exit()` in a `choose`, with or without a thread of its own, or in the condition of `until`, is raised where
    the call was made, and the next call is answered: the caller never waits for ever."""
    manners = Manners(time_limit=limit, on_error="raise")
    wanted = BotFailed if isinstance(error, Exception) else type(error)
    with gouji.running(FakeServer(seed=3)) as server:
        with pytest.raises(wanted) as caught:
            gouji.run_bot(server.address, Leaving(error), table=server.table, manners=manners)
        assert caught.value is error or isinstance(error, Exception)
        with gouji.connect(server.address) as client:
            client.sign_in("Mei")

            def leave(view: TableView) -> bool:
                raise error

            with pytest.raises(RuntimeError if isinstance(error, Exception) else type(error)):
                client.table(server.table).until(leave)
            assert client.table(server.table).get_view().name == server.table


FORKED = """
import os, sys
from gouji_client.background import BackgroundLoop, LoopEnded

async def one():
    return 1

loop = BackgroundLoop()
assert loop.run(one()) == 1
if os.fork():
    os.wait()
    sys.exit(loop.run(one()) - 1)
try:
    loop.run(one())
except LoopEnded as error:
    print(error)
"""


def test_without_its_thread_a_call_is_an_error() -> None:
    """A forked process has no background thread: a call there says so, and the parent's goes on."""
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("the background thread")


SCRIPT = """
import gouji_client.sync as gouji
from gouji_client.testing import FakeServer

manager = gouji.running(FakeServer(seed=3))
server = manager.__enter__()
client = gouji.connect(server.address)
client.sign_in("Mei")
client.table(server.table).view
print("done")
"""


def test_a_script_that_closes_nothing_ends_quietly() -> None:
    """A script may end without closing anything: the process ends at once and complains of nothing."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert "Traceback" not in done.stderr
    assert "never awaited" not in done.stderr
