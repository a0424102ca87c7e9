"""The client without `await` has everything that the async one has."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import pytest

import gouji_client
import gouji_client.sync as gouji
from gouji_client import (
    accounts,
    lobby,
    matchmaking,
    replays,
    sharing,
    sync_accounts,
    sync_matchmaking,
    sync_replays,
    sync_sharing,
)
from gouji_client import table as tables
from gouji_client.testing import FakeServer

if TYPE_CHECKING:
    from collections.abc import Callable

PAIRS = (
    (gouji_client.Client, gouji.Client),
    (lobby.Lobby, gouji.Lobby),
    (matchmaking.Matchmaking, sync_matchmaking.Matchmaking),
    (replays.Replays, sync_replays.Replays),
    (accounts.Accounts, sync_accounts.Accounts),
    (sharing.Sharing, sync_sharing.Sharing),
    (tables.Table, gouji.Table),
)


def public(kind: type) -> set[str]:
    """Return the public names of a class."""
    return {name for name in dir(kind) if not name.startswith("_")}


def parameters(function: Callable[..., object]) -> list[tuple[str, object, object]]:
    """Return what a function takes: names, kinds and defaults."""
    return [(taken.name, taken.kind, taken.default) for taken in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize(("asynchronous", "plain"), PAIRS, ids=lambda kind: kind.__name__)
def test_nothing_of_the_async_client_is_missing(asynchronous: type, plain: type) -> None:
    """Each public name is there, takes the same arguments, and says what it does."""
    assert public(asynchronous) <= public(plain)
    for name in sorted(public(asynchronous)):
        one, other = inspect.getattr_static(asynchronous, name), inspect.getattr_static(plain, name)
        assert other.__doc__, f"{plain.__name__}.{name} says nothing of itself"
        assert isinstance(one, property) == isinstance(other, property), name
        if callable(one):
            assert parameters(one) == parameters(other), name


@pytest.mark.parametrize(("asynchronous", "plain"), PAIRS, ids=lambda kind: kind.__name__)
def test_nothing_plain_has_to_be_awaited(asynchronous: type, plain: type) -> None:
    """No method of the plain client gives a coroutine, or an iterator that only `async for` reads."""
    for name in sorted(public(plain)):
        method = inspect.getattr_static(plain, name)
        assert not inspect.iscoroutinefunction(method), name
        assert not inspect.isasyncgenfunction(method), name


def test_the_two_have_the_same_parts() -> None:
    """A new part of the client is not forgotten in the plain one, nor here."""
    with gouji.running(FakeServer()) as server, gouji.connect(server.address) as client:
        mine = {name for name, part in vars(client).items() if not name.startswith("_")}
        theirs = {name for name, part in vars(client._client).items() if not name.startswith("_")}
    assert mine == theirs
    assert {plain.__name__.lower() for _, plain in PAIRS} == mine | {"client", "table"}


def test_the_list_of_tables_is_iterated() -> None:
    """`for tables in lobby.watch_tables()` tells the list as it is and then as it changes, and can be left."""
    with (
        gouji.running(FakeServer()) as server,
        gouji.connect(server.address) as client,
        gouji.connect(server.address) as other,
    ):
        client.sign_in("Mei")
        other.sign_in("Bo")
        free = []
        for listed in client.lobby.watch_tables(text="fake"):
            free.append(sum(not player.account and not player.bot for table in listed for player in table.players))
            if len(free) == 2:
                break
            assert other.lobby.join(server.table) == 0
        assert free == [1, 0]


def test_a_table_is_followed_by_plain_calls() -> None:
    """`follow` gives the view and keeps it up to date; `is_followed` says whether; `unfollow` ends it."""
    with gouji.running(FakeServer()) as server, gouji.connect(server.address) as client:
        client.sign_in("Mei")
        table = client.table(server.table)
        followed = [table.is_followed]
        assert table.follow().name == server.table
        followed.append(table.is_followed)
        table.unfollow()
        assert [*followed, table.is_followed] == [False, True, False]
        client.pause_between(0, 0)
