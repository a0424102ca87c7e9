"""The worker in which built-in bots think: a process of its own that knows the rules and the bots alone."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

import gouji_rules as gr
from gouji_bots import policies
from gouji_server.tables import BotFailed, WorkerBots
from tests.server.table_time import SeededEntropy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest_asyncio.fixture
async def bots() -> AsyncIterator[WorkerBots]:
    """Give the bots of a worker process."""
    made = WorkerBots(SeededEntropy(1), seconds=60)
    yield made
    await made.close()


def a_view(seat: int = 2) -> gr.SeatView:
    """Return what a seat may see at the first question of a deal."""
    return gr.Deal.start(gr.preset("qingdao"), bytes(32)).view(seat)


async def test_a_bot_answers_with_an_action_and_cards_that_its_view_accepts(bots: WorkerBots) -> None:
    """Through a deal of many questions every answer is legal, with real cards of the hand."""
    deal = gr.Deal.start(gr.preset("qingdao"), gr.deal_seed(bytes(32)))
    for turn in range(60):
        seat = next(seat for seat in range(6) if deal.is_asked(seat))
        choice = await bots.choose(("random", "simple")[turn % 2], deal.view(seat), bytes([turn]) * 16)
        deal.apply(seat, choice.action, choice.cards or None)
    assert deal.public.trick > 1


async def test_the_same_seed_gives_the_same_answer(bots: WorkerBots) -> None:
    """A bot's dice are its seed's."""
    view = a_view()
    one, two = [await bots.choose("random", view, b"x" * 16) for _ in range(2)]
    assert one == two


async def test_many_questions_at_once_are_answered_each_to_its_asker(bots: WorkerBots) -> None:
    """Answers find the question that they answer."""
    views = [a_view(seat) for seat in range(6)] * 5
    choices = await asyncio.gather(*(bots.choose("simple", view, b"s" * 16) for view in views))
    assert all(view.can(choice.action) for view, choice in zip(views, choices, strict=True))


async def test_a_worker_that_dies_fails_who_waits_and_is_started_again(bots: WorkerBots) -> None:
    """Killed while asked, the question fails; the next one starts another process."""
    await bots.choose("simple", a_view(), b"s" * 16)
    first = bots.pid
    assert first is not None
    os.kill(first, signal.SIGSTOP)
    asking = asyncio.ensure_future(bots.choose("simple", a_view(), b"s" * 16))
    await asyncio.sleep(0)
    os.kill(first, signal.SIGKILL)
    with pytest.raises(BotFailed):
        await asking
    await bots.choose("simple", a_view(), b"s" * 16)
    assert bots.pid not in (None, first)


async def test_a_worker_that_hangs_is_ended(bots: WorkerBots) -> None:
    """A worker that does not answer within the limit is killed and the question fails; the next one finds another."""
    await bots.choose("simple", a_view(), b"s" * 16)
    first = bots.pid
    assert first is not None
    os.kill(first, signal.SIGSTOP)
    usual, bots.seconds = bots.seconds, 0.01
    with pytest.raises(BotFailed):
        await bots.choose("simple", a_view(), b"s" * 16)
    bots.seconds = usual
    assert (await bots.choose("simple", a_view(), b"s" * 16)).action
    assert bots.pid not in (None, first)


async def test_an_unknown_policy_or_a_failing_bot_is_a_failed_answer(bots: WorkerBots) -> None:
    """An exception in a bot does not end the worker."""
    await bots.choose("simple", a_view(), b"s" * 16)
    pid = bots.pid
    with pytest.raises(BotFailed):
        await bots.choose("genius", a_view(), b"s" * 16)
    assert (await bots.choose("simple", a_view(), b"s" * 16)).action
    assert bots.pid == pid


async def test_closed_bots_answer_no_more(bots: WorkerBots) -> None:
    """After closing there is no worker and no answer."""
    await bots.choose("simple", a_view(), b"s" * 16)
    await bots.close()
    with pytest.raises(BotFailed):
        await bots.choose("simple", a_view(), b"s" * 16)


def test_delays_come_from_one_distribution() -> None:
    """A delay is drawn without knowing who asks or what: between the bounds, and differing."""
    bots = WorkerBots(SeededEntropy(1), delays=(0.4, 1.2))
    drawn = [bots.delay() for _ in range(200)]
    assert min(drawn) >= 0.4
    assert max(drawn) <= 1.2
    assert len(set(drawn)) > 100
    assert set(bots.policies) == set(policies)


def test_the_worker_imports_the_rules_and_the_bots_alone() -> None:
    """Nothing of tables, journal, wire or gRPC is in the worker, so it could not reach a deal if it wanted."""
    code = (
        "import sys; import gouji_server.bot_worker; "
        "print(sorted(name for name in sys.modules if name.split('.')[0] in "
        "('gouji_server', 'gouji', 'google', 'grpc', 'asyncio', 'socket', 'sqlite3', 'sqlalchemy', 'structlog')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['gouji_server', 'gouji_server.bot_worker']"
