"""What is passed to the client: tables in every form, and slips that are told in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import gouji_client.sync as gouji
import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji_client import Backoff, BadInput, Bot, Manners, NewTable, PolicyBot, Refused, connect, play_match, run_bot
from gouji_client.arguments import table_name
from gouji_client.testing import FakeServer
from tests.clients.watching import AT_ONCE, sit_down

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from gouji_client import Client, Table

CHOOSING = gr.preset("qingdao").replace(seating="choose_opposite")


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """A client that is asked at a fake table."""
    async with FakeServer(seed=1) as server, connect(server.address, backoff=AT_ONCE) as connected:
        table = await sit_down(connected, server.table)
        await table.until(lambda view: view.asked)
        yield connected


@pytest.fixture
def table(client: Client) -> Table:
    """That table."""
    return client.table("fake")


async def test_every_call_takes_a_table_in_any_form() -> None:
    """A table is its name, with or without `tables/`, a `Table`, a view, or what the lobby told of it."""
    async with FakeServer(seats=[0, 1], rules=CHOOSING) as server, connect(server.address, backoff=AT_ONCE) as client:
        await client.sign_in("Mei")
        table = client.table(server.table)
        told = await client.lobby.get(server.table)
        forms: list[Any] = [server.table, "fake", table, told, await table.get_view()]
        for form in forms:
            assert client.table(form) is table
            assert (await client.lobby.get(form)).name == server.table
            assert await client.lobby.join(form, 0) == 0
            await client.lobby.set_ready(form)
            await client.lobby.set_ready(form, ready=False)
            await client.lobby.leave(form)
        assert await client.lobby.join(told) == 0
        for form in forms:
            assert await client.lobby.choose_opposite(form, 4) == 1
        with pytest.raises(Refused, match="NOT_OWNER"):
            await client.lobby.add_bot(table, "simple", 2)


def test_every_plain_call_takes_a_table_in_any_form() -> None:
    """The sync client takes its own tables, too, and so does the runner of bots."""
    with (
        gouji.running(FakeServer(seats=[0, 1], rules=CHOOSING, seed=1)) as server,
        gouji.connect(server.address, backoff=AT_ONCE) as client,
    ):
        client.sign_in("Mei")
        table = client.table(server.table)
        for form in (table, client.lobby.get(table), "fake", table.view):
            assert client.table(form).name == server.table
            client.lobby.join(form, 0)
            client.lobby.set_ready(form, ready=False)
            client.lobby.leave(form)
        client.lobby.join(table, 0)
        assert client.lobby.choose_opposite(table, 4) == 1
        with pytest.raises(Refused, match="NOT_OWNER"):
            client.lobby.add_bot(table, "simple", 2)
    with gouji.running(FakeServer(seed=1)) as server, gouji.connect(server.address) as client:
        client.sign_in("Mei")
        assert gouji.run_bot(server.address, PolicyBot(), table=client.table("fake"), backoff=AT_ONCE).complete


async def test_a_bot_plays_at_a_table_that_is_given_itself() -> None:
    """`play_match` takes a `Table` as well as a name."""
    async with FakeServer(seed=1) as server, connect(server.address, backoff=AT_ONCE) as client:
        await client.sign_in("Mei")
        assert (await play_match(client, PolicyBot("simple", seed=1), table=client.table("fake"))).complete


@pytest.mark.parametrize("bad", [None, 7, "", b"tables/fake", NewTable(), lobby_pb2.Table()])
def test_what_is_no_table_is_said(bad: Any) -> None:
    """Something without a name is named, and what is expected."""
    with pytest.raises(BadInput, match="is no table: expected a table or its name"):
        table_name(bad)


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("fly 33", "“fly” is no verb"),
        ("", "like “play 5555”"),
        ("play", "needs cards"),
        ("play 5x", "“x” at position 2 is no card"),
        ("5555", "like “play 5555”"),
        ("show purple", "needs a suit: clubs"),
        ("head", "“keep” or “drop”"),
        ("pass now", "is no action"),
        (None, "None is no action: expected one of"),
        (["pass"], "is no action: expected one of"),
        (2.5, "is no action: expected one of"),
        (-1, "is no action: expected one of"),
        (gr.Verb.PASS, "is no action: expected one of"),
        (gr.parse_play("55"), r"play_action\(play\)"),
    ],
)
async def test_what_is_no_action_is_said(table: Table, action: Any, said: str) -> None:
    """A text that cannot be read, and what is neither a text nor an action, is a `BadInput` that says how one looks,
    from `act` and `check`, before anything is sent."""
    before = table.view
    for saying in (table.act, table.check):
        with pytest.raises(BadInput, match=said):
            await saying(action)
    assert table.view == before


@pytest.mark.parametrize(
    ("action", "cards", "said"),
    [
        ("play 5", ["♠5"], "are no cards"),
        ("play 5", 55, "are no cards"),
        ("play 5", [0], "are no cards"),
        ("play 5", [gr.Card.CLUB_4], "are not the cards of “play 5”"),
        ("pass", [gr.Card.CLUB_4], "takes no cards"),
    ],
)
async def test_what_are_no_cards_of_an_action_is_said(table: Table, action: str, cards: Any, said: str) -> None:
    """Cards that are none, or others than the action's, are a `BadInput`."""
    with pytest.raises(BadInput, match=said):
        await table.act(action, cards)


@pytest.mark.parametrize("seat", [6, -1, 2**40, "3", None, True, 1.0])
async def test_what_is_no_seat_is_said(client: Client, table: Table, seat: Any) -> None:
    """Seats are the numbers 0 to 5, in every call that takes one."""
    calls = [table.ask_count(seat), client.lobby.choose_opposite(table, seat)]
    if seat is not None:  # then it is any seat
        calls += [client.lobby.join(table, seat), client.lobby.add_bot(table, "simple", seat)]
    for call in calls:
        with pytest.raises(BadInput, match="no seat: seats are the numbers 0 to 5"):
            await call


@pytest.mark.parametrize(
    "new",
    [
        {"deals": 2**60},
        {"deals": "x"},
        {"decision_seconds": float("nan")},
        {"decision_seconds": 1e300},
        {"title": "\ud800"},
        {"deals": True},
        {"decision_seconds": "30"},
        {"seat": "first"},
        {"options": ["burn"]},
    ],
)
async def test_a_table_that_does_not_fit_the_wire_is_said(client: Client, new: dict[str, Any]) -> None:
    """What a message cannot carry is a `BadInput` of the client."""
    with pytest.raises(BadInput, match="a table cannot be so"):
        await client.lobby.create(NewTable(**new))


def test_options_of_a_table_may_be_lists() -> None:
    """A list of an option goes out as its strokes, like a tuple."""
    wanted = [(option.field, option.value) for option in NewTable(options={"points": (3, 1)}).to_request().options]
    for_list = [(option.field, option.value) for option in NewTable(options={"points": [3, 1]}).to_request().options]
    assert wanted == for_list == [("points", "3/1")]


async def test_other_slips_are_told_alike(client: Client, table: Table) -> None:
    """Names and numbers that fit no message, manners and waits without sense, policies that are not built in."""
    with pytest.raises(BadInput, match="a name cannot be so"):
        await client.sign_in("\ud800")
    file: Any = "mei.json"
    with pytest.raises(BadInput, match="keep="):
        await client.sign_in(credentials=file)
    bots: list[tuple[Any, str]] = [(PolicyBot, r"make one, PolicyBot\(\)"), (None, "None is no bot")]
    for bot, said in bots:
        with pytest.raises(BadInput, match=said):
            await play_match(client, bot, table="fake")
        with pytest.raises(BadInput, match=said):
            await run_bot(client.address, bot, table="fake")
    with pytest.raises(BadInput, match="an action cannot be so"):
        await table.act("pass", decision=2**70)
    with pytest.raises(BadInput, match="there is no policy 'genius'"):
        PolicyBot("genius")
    for first in (-1, "1", None):
        with pytest.raises(BadInput, match="backoff"):
            Backoff(first=first)  # type: ignore[arg-type]
    wrong: list[dict[str, Any]] = [{"on_error": "ignore"}, {"time_limit": 0}, {"delay": (2, 1)}, {"delay": (-1, 1)}]
    wrong += [{"delay": 1}, {"delay": (1,)}, {"delay": ("1", "2")}, {"time_limit": "2"}]
    for manners in wrong:
        with pytest.raises(BadInput, match=next(iter(manners))):
            Manners(**manners)
    with pytest.raises(BadInput, match="a bot plays in a seat"):
        await play_match(client, PolicyBot(), table=NewTable(with_seat=False))
    for hands in (["xyz"] * 6, ["3"], ["sssss"] * 6):
        with pytest.raises(BadInput, match="the hands cannot be so"):
            FakeServer(hands=hands)


@pytest.mark.parametrize("value", ["no", "yes", None, 0, 1])
async def test_what_is_neither_true_nor_false_is_said(client: Client, table: Table, value: Any) -> None:
    """`"no"` is no False, and would have counted as True: every switch takes True or False alone."""
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: table.vote_dissolution(agrees=value),
        lambda: table.set_autopilot(on=value),
        lambda: table.set_auto_decline(on=value),
        lambda: table.set_auto_decline(always=value),
        lambda: table.set_ready(ready=value),
        lambda: client.lobby.set_ready(table, ready=value),
        lambda: client.lobby.create(NewTable(with_seat=value)),
        lambda: client.lobby.create(NewTable(spectators=value)),
        lambda: anext(client.lobby.tables(with_free_seat=value)),
    ]
    for call in calls:
        with pytest.raises(BadInput, match="is True or False, not "):
            await call()


@pytest.mark.parametrize("value", [5, 5.0, b"Mei", ["Mei"], True, object()])
async def test_what_is_no_text_is_said(client: Client, table: Table, value: Any) -> None:
    """Names, titles, rule sets, policies and files are texts: anything else is told in words, before it is sent."""
    options: Any = value if isinstance(value, list) else {value: 1}
    calls: list[tuple[Callable[[], Awaitable[object]], str]] = [
        (lambda: client.sign_in(value), "a name is a text, not "),
        (lambda: client.sign_in("Mei", keep=value), "keep is the name of a file, not "),
        (lambda: client.lobby.create(NewTable(rule_set=value)), "the rule_set of a table is a text, not "),
        (lambda: client.lobby.create(NewTable(title=value)), "the title of a table is a text, not "),
        (lambda: client.lobby.create(value), "expected a NewTable"),
        (lambda: client.lobby.add_bot(table, value, 1), "the policy of a bot is a text, not "),
        (lambda: client.lobby.create(NewTable(options=options)), "options are"),
    ]
    for call, said in calls:
        with pytest.raises(BadInput, match=said):
            await call()


async def test_a_bot_that_returns_nothing_is_told_so(caplog: pytest.LogCaptureFixture) -> None:
    """A `choose` without a return is a fault whose words say what is expected."""

    class Silent(Bot):
        """Forgets to return."""

        def choose(self, view: gr.SeatView) -> Any:
            """Return nothing."""

    async with FakeServer(seed=1) as server, connect(server.address, backoff=AT_ONCE) as client:
        await client.sign_in("Mei")
        result = await play_match(client, Silent(), table="fake")
    assert result.faults > 0
    assert (
        "its choose returned what is no action: None is no action: expected one of view.legal_actions()" in caplog.text
    )


def test_times_of_a_new_table_are_named_or_given() -> None:
    """`time` is a preset's name; else the seconds are sent, a bank together with the time for a decision."""
    assert NewTable(time="blitz").to_request().time_control.preset == lobby_pb2.TIME_PRESET_BLITZ
    request = NewTable(decision_seconds=2.5, bank_seconds=30).to_request()
    assert request.time_control.decision_time.ToMilliseconds() == 2500
    assert request.time_control.bank.seconds == 30
    assert not request.HasField("decision_time")
    assert NewTable(decision_seconds=5).to_request().decision_time.seconds == 5
    assert not NewTable().to_request().HasField("time_control")


@pytest.mark.parametrize(
    "new", [NewTable(time="fast"), NewTable(time="slow", bank_seconds=3), NewTable(bank_seconds=3)]
)
def test_times_that_make_no_sense_are_bad_input(new: NewTable) -> None:
    """An unknown name, a name together with seconds, a bank without a time for a decision."""
    with pytest.raises(BadInput):
        new.to_request()
