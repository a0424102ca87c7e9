"""How long the client waits before it tries again."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji_client.backoff import Backoff, Waits
from tests.clients.manual_clock import EagerClock


@given(st.integers(0, 40), st.integers(0, 2**32))
def test_each_wait_lies_between_half_and_all_of_a_doubling_length(tries: int, seed: int) -> None:
    """The k-th wait is drawn from [½, 1] of first·2^k, and never exceeds the ceiling."""
    waits = Waits(Backoff(first=0.1, ceiling=5.0, patience=None), EagerClock(), random.Random(seed))
    for k in range(tries):
        delay = waits.next_delay()
        length = min(0.1 * 2**k, 5.0)
        assert delay is not None
        assert length / 2 <= delay <= length


def test_two_clients_cut_off_together_do_not_come_back_together() -> None:
    """The waits of clients with generators of their own differ: a thousand do not knock at once."""
    clock = EagerClock()
    first = {Waits(Backoff(), clock, random.Random(seed)).next_delay() for seed in range(100)}
    assert len(first) == 100


async def test_patience_ends_and_a_success_renews_it() -> None:
    """After `patience` seconds without success there is no further try; one success starts the count anew."""
    clock = EagerClock()
    waits = Waits(Backoff(first=1.0, ceiling=1.0, patience=10.0), clock, random.Random(1))
    begun = clock.monotonic()
    while await waits.pause():
        pass
    assert 8.0 <= clock.monotonic() - begun <= 10.0
    assert not await waits.pause()
    waits.succeeded()
    assert await waits.pause()


def test_the_server_may_ask_for_a_longer_wait() -> None:
    """RetryInfo is a lower bound of the wait, not an upper one."""
    waits = Waits(Backoff(first=0.1), EagerClock(), random.Random(1))
    assert waits.next_delay(at_least=7.0) == 7.0
    second = waits.next_delay(at_least=0.001)
    assert second is not None
    assert second >= 0.1


async def test_no_wait_at_all_sleeps_not_at_all() -> None:
    """With `first=0` the next try follows at once."""
    clock = EagerClock()
    waits = Waits(Backoff(first=0, ceiling=0), clock, random.Random(1))
    assert await waits.pause()
    assert clock.slept == []


@pytest.mark.parametrize("wrong", [{"first": -1.0}, {"first": 2.0, "ceiling": 1.0}, {"patience": -1.0}])
def test_a_backoff_without_sense_is_refused(wrong: dict[str, float]) -> None:
    """Negative waits, and a ceiling below the first wait, are refused when the backoff is made."""
    with pytest.raises(ValueError, match="backoff"):
        Backoff(**wrong)
