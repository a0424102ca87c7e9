"""Token buckets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji_server.rate_limits import TokenBuckets
from tests.server.virtual_time import VirtualClock

KEY = "192.0.2.1"


def test_a_burst_passes_and_then_the_rate_holds() -> None:
    """A full bucket gives its burst at once, and then a token every interval, told beforehand as the wait."""
    clock = VirtualClock()
    buckets = TokenBuckets(clock, burst=3, per_second=0.5)
    assert [buckets.take(KEY) for _ in range(3)] == [0, 0, 0]
    assert buckets.take(KEY) == pytest.approx(2.0)
    clock.advance(1.5)
    assert buckets.take(KEY) == pytest.approx(0.5)
    clock.advance(0.5)
    assert buckets.take(KEY) == 0
    assert buckets.take(KEY) > 0


def test_keys_do_not_share() -> None:
    """One address that is out of tokens takes none from another."""
    buckets = TokenBuckets(VirtualClock(), burst=1, per_second=1)
    assert buckets.take("a") == 0
    assert buckets.take("a") > 0
    assert buckets.take("b") == 0


def test_memory_is_bounded_and_many_keys_make_no_full_bucket() -> None:
    """Past the limit the key used longest ago is forgotten once its bucket is full again anyway; until then newcomers
    share one bucket, and those who are held back stay held back."""
    clock = VirtualClock()
    buckets = TokenBuckets(clock, burst=2, per_second=1, max_keys=3)
    for key in ("a", "a", "b", "c", "d"):
        assert buckets.take(key) == 0
    assert buckets.take("a") > 0
    assert buckets.take("e") == 0
    for number in range(100):
        assert buckets.take(f"new {number}") > 0
    assert len(buckets) <= 4
    assert buckets.take("a") > 0
    clock.advance(2)
    for number in range(3):
        assert buckets.take(f"newer {number}") == 0
    assert len(buckets) <= 4


def test_a_clock_set_back_does_not_lock_out() -> None:
    """When the clock is set back an hour, a key waits for a full bucket's refill at most, not for the hour."""
    clock = VirtualClock()
    buckets = TokenBuckets(clock, burst=2, per_second=1)
    buckets.take(KEY)
    buckets.take(KEY)
    clock.advance(-3600)
    assert 0 < buckets.take(KEY) <= 1.0


@given(
    burst=st.integers(1, 20),
    per_second=st.floats(0.01, 100),
    pauses=st.lists(st.floats(0, 100), max_size=60),
)
def test_never_more_than_burst_and_rate_allow(burst: int, per_second: float, pauses: list[float]) -> None:
    """Over any stretch of time, no more tokens go out than the burst plus what was refilled; a wait told is enough."""
    clock = VirtualClock()
    buckets = TokenBuckets(clock, burst, per_second)
    given_out, passed = 0, 0.0
    for pause in pauses:
        clock.advance(pause)
        passed += pause
        wait = buckets.take(KEY)
        if wait == 0:
            given_out += 1
        else:
            # A microsecond of floating point, at today's size of Unix times.
            clock.advance(wait + 1e-6)
            passed += wait + 1e-6
            assert buckets.take(KEY) == 0
            given_out += 1
        assert given_out <= burst + passed * per_second * (1 + 1e-6) + 0.01


def test_a_full_bucket_gives_every_token_whatever_its_interval() -> None:
    """No token is lost to rounding: as many as the burst are there at once, also where times are no round numbers."""
    for burst, minute in ((60, 36.0), (600, 7.0), (1000, 333.0)):
        buckets = TokenBuckets(VirtualClock(), burst, minute / 60)
        assert [buckets.take("k") for _ in range(burst)] == [0.0] * burst
        assert buckets.take("k") > 0
