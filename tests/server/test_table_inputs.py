"""What tables write into the journal comes back as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji_server.tables import inputs

TIMES = st.integers(0, 2**50)
ACCOUNTS = st.text(max_size=30)
SEATS = st.integers(0, 5)
WANTED = st.integers(-1, 5)
REQUEST_IDS = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)

MOVES = st.builds(
    inputs.Moved,
    seat=SEATS,
    verb=st.integers(1, 11),
    suit=st.integers(0, 3),
    time=TIMES,
    decision=st.integers(1, 2**40),
    expected=st.integers(-1, 2**40),
    request_id=st.just("") | REQUEST_IDS,
    cards=st.lists(st.integers(1, 54), max_size=216).map(bytes),
)
OTHERS = st.one_of(
    st.builds(
        inputs.Created,
        time=TIMES,
        epoch=st.integers(1, 2**48),
        rules=st.just("qingdao"),
        options=st.dictionaries(st.sampled_from(["show", "points"]), st.just("ask") | st.lists(st.integers())),
        title=st.text(max_size=60),
        deals=st.integers(1, 100),
        decision_ms=st.integers(0, 3_600_000),
        spectators=st.booleans(),
        owner=ACCOUNTS,
        owner_name=ACCOUNTS,
        seat=WANTED,
        request_id=REQUEST_IDS,
        owner_bot=st.booleans(),
    ),
    st.builds(inputs.Joined, TIMES, ACCOUNTS, ACCOUNTS, SEATS, WANTED, REQUEST_IDS, st.booleans()),
    st.builds(inputs.Left, TIMES, ACCOUNTS, REQUEST_IDS, ACCOUNTS),
    st.builds(inputs.ReadySet, TIMES, ACCOUNTS, st.booleans(), REQUEST_IDS),
    st.builds(inputs.BotAdded, TIMES, ACCOUNTS, st.just("simple"), SEATS, WANTED, REQUEST_IDS),
    st.builds(inputs.DealStarting, TIMES, st.binary(min_size=32, max_size=32).map(bytes.hex)),
    st.builds(inputs.Lapsed, TIMES, TIMES, st.binary(max_size=36).map(bytes.hex)),
    st.builds(inputs.Abandoned, TIMES),
    st.builds(inputs.Frozen, TIMES),
)


@given(entry=MOVES | OTHERS)
def test_every_input_comes_back_as_it_was(entry: inputs.Input) -> None:
    """Encoding and decoding give the same input."""
    assert inputs.decode(*inputs.encode(entry)) == entry


def test_entries_from_before_bots_had_accounts_are_of_people() -> None:
    """An entry that does not say whether the account is a bot's is read, and means a person."""
    body = b'{"time":1,"account":"accounts/a","name":"a","seat":2,"wanted":-1,"request_id":"r"}'
    assert inputs.decode("join", body) == inputs.Joined(1, "accounts/a", "a", 2, -1, "r", bot=False)


@given(one=MOVES, other=MOVES)
def test_a_moves_body_is_what_the_caller_said(one: inputs.Moved, other: inputs.Moved) -> None:
    """Two moves have the same body iff verb, suit, decision, expected version and cards are the same."""
    said = [(m.verb, m.suit, m.decision, m.expected, m.cards) for m in (one, other)]
    assert (one.body == other.body) == (said[0] == said[1])


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("move", b""),
        ("move", b"\x01" * 27 + b"\xff" + b"short"),
        ("join", b"{}"),
        ("join", b"no json"),
        ("join", b"[1]"),
        ("later", b"{}"),
        ("freeze", b'{"time": 1, "more": 2}'),
    ],
)
def test_what_no_version_wrote_is_refused(kind: str, body: bytes) -> None:
    """An entry that cannot be read raises BadEntry and nothing else."""
    with pytest.raises(inputs.BadEntry):
        inputs.decode(kind, body)
