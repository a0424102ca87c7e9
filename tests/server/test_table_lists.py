"""Lists of tables: newest first, in pages, by lobby facts alone."""

from __future__ import annotations

import base64

import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji_server.tables import Limits, Refused, TableSpec
from gouji_server.tables.directory import MOST_LOOKED_AT, Directory
from tests.server.players import House, at_home, person


def info(number: int, state: int = 1, *, free: int = 6, owner: str = "accounts/o") -> lobby_pb2.Table:
    """Make lobby facts of a table made at second `number`."""
    made = lobby_pb2.Table(name=f"tables/{number:016d}", state=state, owner=owner)  # type: ignore[arg-type]
    made.create_time.seconds = number
    made.players.extend(lobby_pb2.Player(seat=seat, account="" if seat < free else "a") for seat in range(6))
    return made


def names(directory: Directory, size: int = 0, state: int = 0, *, free: bool = False) -> list[list[int]]:
    """Return the numbers on each page."""
    pages, token = [], ""
    while True:
        found, token = directory.page(size, token, state, with_free_seat=free)  # type: ignore[arg-type]
        pages.append([int(table.create_time.seconds) for table in found])
        if not token:
            return pages


def test_tables_come_newest_first_in_pages() -> None:
    """Each table is on exactly one page, newest first; the last page may be full."""
    directory = Directory(Limits())
    for number in (3, 1, 5, 2, 4, 6):
        directory.note(info(number))
    assert names(directory, 4) == [[6, 5, 4, 3], [2, 1]]
    assert names(directory, 3) == [[6, 5, 4], [3, 2, 1]]
    assert names(directory) == [[6, 5, 4, 3, 2, 1]]


def test_filters_are_by_state_and_free_seat() -> None:
    """Unasked, tables that are over are left out; a state asked for gives that state; full tables can be left out."""
    directory = Directory(Limits())
    for number, state, free in ((1, 1, 6), (2, 2, 0), (3, 3, 0), (4, 4, 0), (5, 1, 0), (6, 1, 1)):
        directory.note(info(number, state, free=free))
    assert names(directory) == [[6, 5, 2, 1]]
    assert names(directory, 1, 1) == [[6], [5], [1]]
    assert names(directory, 0, 3) == [[3]]
    assert names(directory, 0, 4) == [[4]]
    assert names(directory, 1, free=True) == [[6], [1]]


def test_a_table_that_goes_between_pages_does_not_shift_them() -> None:
    """A token names a place and not a count: tables that come and go meanwhile hide none of the others."""
    directory = Directory(Limits())
    for number in range(1, 7):
        directory.note(info(number))
    found, token = directory.page(2, "", 0, with_free_seat=False)  # type: ignore[arg-type]
    assert [table.create_time.seconds for table in found] == [6, 5]
    directory.note(info(7))
    directory.note(info(4, 3))
    found, _ = directory.page(2, token, 0, with_free_seat=False)  # type: ignore[arg-type]
    assert [table.create_time.seconds for table in found] == [3, 2]


@pytest.mark.parametrize("token", ["x", "!!", "===", base64.urlsafe_b64encode(b"0|x|tables/a").decode(), "AA==", "é"])
def test_a_token_that_is_none_is_refused(token: str) -> None:
    """A made-up token is INVALID_ARGUMENT, named as the field."""
    with pytest.raises(Refused) as raised:
        Directory(Limits()).page(0, token, 0, with_free_seat=False)  # type: ignore[arg-type]
    assert raised.value.code == 3
    assert [field for field, _ in raised.value.fields] == ["page_token"]


def test_a_token_belongs_to_its_filters_and_sizes_are_bounded() -> None:
    """A token used with other filters is refused, and so is a page size out of range."""
    directory = Directory(Limits())
    for number in range(1, 4):
        directory.note(info(number))
    _, token = directory.page(1, "", 0, with_free_seat=False)  # type: ignore[arg-type]
    for state, free in ((1, False), (0, True)):
        with pytest.raises(Refused, match="other filters"):
            directory.page(1, token, state, with_free_seat=free)  # type: ignore[arg-type]
    for size in (-1, 101):
        with pytest.raises(Refused, match="page_size"):
            directory.page(size, "", 0, with_free_seat=False)  # type: ignore[arg-type]


def test_tables_long_over_leave_the_lists() -> None:
    """Beyond the bound the oldest tables that are over are forgotten; those that are not stay; counts follow."""
    directory = Directory(Limits(closed_tables_listed=2))
    for number in range(1, 6):
        directory.note(info(number))
    for number in (1, 2, 3, 4):
        directory.note(info(number, 3))
    assert names(directory, 0, 3) == [[4, 3]]
    assert names(directory) == [[5]]
    assert directory.get("tables/0000000000000001") is None
    assert (directory.open_tables, directory.open_of("accounts/o")) == (1, 1)


async def test_lists_survive_a_restart() -> None:
    """After a restart the lists show what they showed, states included; a table long over can be got by name."""
    at = House(limits=at_home(closed_tables_listed=1))
    await at.tables.start()
    handles = []
    for number in range(4):
        at.clock.advance(1)
        handles.append(await at.new_table(TableSpec(title=f"t{number}"), people=1, request_id=f"t{number}"))
    for number in (0, 1):
        await handles[number].leave(person(0), "l")
    before = [at.tables.list(state=state) for state in (0, 1, 3)]  # type: ignore[arg-type]
    assert [[table.title for table in tables] for tables, _ in before] == [["t3", "t2"], ["t3", "t2"], ["t1"]]
    await at.restart()
    assert [at.tables.list(state=state) for state in (0, 1, 3)] == before  # type: ignore[arg-type]
    old = await at.tables.open(handles[0].name)
    assert (await old.info()).state == 3


def test_a_page_looks_at_so_many_tables_and_no_more() -> None:
    """A filter that few tables pass makes pages short, not the server slow: their tokens lead to the end."""
    directory = Directory(Limits())
    for number in range(2 * MOST_LOOKED_AT + 1):
        directory.note(info(number, free=6 if number in (0, MOST_LOOKED_AT) else 0))
    assert names(directory, free=True) == [[], [MOST_LOOKED_AT], [0]]
