"""LobbyService over real connections: making, finding and filling tables."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from gouji.lobby.v1 import lobby_pb2 as pb
from gouji.rules.v1 import rules_pb2
from gouji_rules.rule_set import OPTION_NAMES, PRESET_NAMES
from gouji_server.lobby.rule_sets import rule_sets
from tests.server.raw_client import RawClient, new_id, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.running import Running

CODE = grpc.StatusCode
NOWHERE = "tables/aaaaaaaaaaaaaaaa"


async def create(client: RawClient, **fields: Any) -> pb.Table:
    answer: pb.CreateTableResponse = await client.call(pb.CreateTableRequest(request_id=new_id(), **fields))
    return answer.table


async def get(client: RawClient, name: str) -> pb.Table:
    answer: pb.GetTableResponse = await client.call(pb.GetTableRequest(name=name))
    return answer.table


async def join(client: RawClient, name: str, seat: int | None = None) -> int:
    answer: pb.JoinTableResponse = await client.call(pb.JoinTableRequest(request_id=new_id(), name=name, seat=seat))
    return answer.seat


async def ready(client: RawClient, name: str, is_ready: bool = True) -> pb.Table:
    request = pb.SetReadyRequest(request_id=new_id(), name=name, ready=is_ready)
    answer: pb.SetReadyResponse = await client.call(request)
    return answer.table


async def test_rule_sets_are_told_whole(running_server: Running) -> None:
    """Each rule set that tables play has a name, texts in both languages and every option of the rules, as text."""
    client = await running_server.player()
    answer = await client.call(pb.ListRuleSetsRequest())
    assert [rule_set.name for rule_set in answer.rule_sets] == [f"ruleSets/{name}" for name in PRESET_NAMES]
    assert answer.next_page_token == ""
    for rule_set in answer.rule_sets:
        assert all((rule_set.title.en, rule_set.title.zh, rule_set.description.en, rule_set.description.zh))
        assert [option.field for option in rule_set.options] == list(OPTION_NAMES)
    qingdao = {option.field: option.value for option in answer.rule_sets[0].options}
    assert qingdao["points"] == "4/2/0/0/-2/-4"
    assert qingdao["burn"] == "strict"
    assert qingdao["hold_three"] == "false"


async def test_an_option_is_told_with_all_that_a_settings_page_needs(running_server: Running) -> None:
    """Every option has a type, texts in both languages and values or bounds, and its value is one of them."""
    client = await running_server.player()
    answer = await client.call(pb.ListRuleSetsRequest())
    for option in answer.rule_sets[0].options:
        texts = (option.title, option.text, option.group)
        assert all(text.en and text.zh for text in texts), option.field
        assert option.source
        allowed = [value.value for value in option.allowed]
        if option.type in (rules_pb2.OPTION_TYPE_BOOL, rules_pb2.OPTION_TYPE_CHOICE):
            assert option.value in allowed
        elif option.type == rules_pb2.OPTION_TYPE_SET:
            assert option.value == "none" or set(option.value.split("/")) <= set(allowed)
        elif option.type == rules_pb2.OPTION_TYPE_NUMBERS:
            assert len(option.value.split("/")) == option.count
        elif option.type == rules_pb2.OPTION_TYPE_NUMBER:
            assert option.minimum <= int(option.value) <= option.maximum
        else:
            assert option.type == rules_pb2.OPTION_TYPE_CARDS


async def test_a_table_plays_the_options_that_its_maker_chose(running_server: Running) -> None:
    """Overrides are shown in the lobby, to everyone, as the options in which the table differs from its rule set."""
    client, other = await running_server.player(), await running_server.player()
    chosen = [rules_pb2.OptionSetting(field="show", value="ask"), rules_pb2.OptionSetting(field="deals", value="0")]
    table = await create(client, options=chosen)
    assert [(setting.field, setting.value) for setting in table.options] == [("show", "ask")]
    seen = await other.call(pb.GetTableRequest(name=table.name))
    assert seen.table.options == table.options


@pytest.mark.parametrize(
    ("chosen", "fields"),
    [
        ([("cheating", "true")], ("options.cheating",)),
        ([("show", "loudly")], ("options.show",)),
        ([("show", "ask"), ("show", "ask")], ("options.show",)),
        ([("stifle", "tribute")], ("options.stifle", "options.hold_three")),
        ([("points", "1/2")], ("options.points",)),
        ([("deals", "101")], ("options.deals",)),
        ([("show", "x" * 500)], ("options",)),
        ([("show", "ask")] * 100, ("options",)),
    ],
)
async def test_options_that_cannot_be_are_refused_by_name(
    running_server: Running, chosen: list[tuple[str, str]], fields: tuple[str, ...]
) -> None:
    """Unknown, repeated, ill-typed and contradictory options are INVALID_ARGUMENT, each field concerned named."""
    client = await running_server.player()
    options = [rules_pb2.OptionSetting(field=field, value=value) for field, value in chosen]
    failed = await refusal(create(client, options=options))
    assert (failed.code, failed.fields) == (CODE.INVALID_ARGUMENT, fields)
    assert (await client.call(pb.ListTablesRequest())).tables == []


async def test_a_match_is_as_long_as_its_rule_set_says(running_server: Running) -> None:
    """R68: without a number of deals a table takes its rules' own, and three where that is open."""
    client = await running_server.player()
    assert (await create(client, rule_set="ruleSets/chinagames")).deals == 5
    assert (await create(client, rule_set="ruleSets/chinagames", deals=2)).deals == 2
    assert (await create(client)).deals == 3


async def test_rule_sets_come_in_pages(running_server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages put together are the list, and a token is the caller's own."""
    one = rule_sets()[0]
    many = tuple(rules_pb2.RuleSet(name=f"ruleSets/r{n}", title=one.title) for n in range(5))
    monkeypatch.setattr("gouji_server.api.lobby.rule_sets", lambda: many)
    client, other = await running_server.player(), await running_server.player()
    found: list[rules_pb2.RuleSet] = []
    token = ""
    while True:
        answer = await client.call(pb.ListRuleSetsRequest(page_size=2, page_token=token))
        found += answer.rule_sets
        if not answer.next_page_token:
            break
        token = answer.next_page_token
    assert [rule_set.name for rule_set in found] == [f"ruleSets/r{n}" for n in range(5)]
    failed = await refusal(other.call(pb.ListRuleSetsRequest(page_size=2, page_token=token)))
    assert (failed.code, failed.fields) == (CODE.INVALID_ARGUMENT, ("page_token",))


async def test_a_table_as_asked_for(running_server: Running) -> None:
    """A table has what its maker asked for, its maker in the seat asked for, and can be read by anyone."""
    owner = await running_server.player("老王")
    made = await create(
        owner, title=" 晚上来打 ", deals=5, decision_time=Duration(seconds=30, nanos=500_000_000), seat=2
    )
    assert made.name.startswith("tables/")
    assert (made.title, made.deals, made.rule_set) == ("晚上来打", 5, "ruleSets/qingdao")
    assert made.decision_time.ToMilliseconds() == 30_500
    assert (made.owner, made.state, made.spectators_allowed) == (owner.account, pb.TABLE_STATE_WAITING, True)
    assert made.create_time.ToNanoseconds() == running_server.clock.now() * 1e9
    assert [player.seat for player in made.players] == list(range(6))
    assert [player.account for player in made.players] == ["", "", owner.account, "", "", ""]
    assert made.players[2].display_name == "老王"
    assert await get(await running_server.player(), made.name) == made


async def test_a_table_by_default(running_server: Running) -> None:
    """With nothing asked for it is qingdao, three deals, no clock, spectators allowed, the maker in seat 0."""
    owner = await running_server.player()
    made = await create(owner)
    assert (made.rule_set, made.deals, made.title) == ("ruleSets/qingdao", 3, "")
    assert not made.HasField("decision_time")
    assert made.players[0].account == owner.account
    without = await create(owner, without_seat=True, no_spectators=True)
    assert [player.account for player in without.players] == [""] * 6
    assert not without.spectators_allowed


@pytest.mark.parametrize(
    ("request_", "fields"),
    [
        (pb.CreateTableRequest(), ("request_id",)),
        (pb.CreateTableRequest(request_id="r", rule_set="qingdao"), ("rule_set",)),
        (pb.CreateTableRequest(request_id="r", title="x" * 61), ("title",)),
        (pb.CreateTableRequest(request_id="r", title="a\u0007b"), ("title",)),
        (pb.CreateTableRequest(request_id="r", deals=-1), ("deals",)),
        (pb.CreateTableRequest(request_id="r", deals=101), ("deals",)),
        (pb.CreateTableRequest(request_id="r", decision_time=Duration()), ("decision_time",)),
        (pb.CreateTableRequest(request_id="r", decision_time=Duration(nanos=999_999_999)), ("decision_time",)),
        (pb.CreateTableRequest(request_id="r", decision_time=Duration(seconds=3600, nanos=1)), ("decision_time",)),
        (pb.CreateTableRequest(request_id="r", decision_time=Duration(seconds=5, nanos=-1)), ("decision_time",)),
        (pb.CreateTableRequest(request_id="r", decision_time=Duration(seconds=2**62)), ("decision_time",)),
        (pb.CreateTableRequest(request_id="r", seat=6), ("seat",)),
        (pb.CreateTableRequest(request_id="r", seat=-1), ("seat",)),
        (pb.CreateTableRequest(request_id="r", seat=0, without_seat=True), ("seat",)),
        (pb.CreateTableRequest(deals=999, seat=9, title="a\nb"), ("request_id", "title", "deals", "seat")),
        (pb.GetTableRequest(), ("name",)),
        (pb.GetTableRequest(name="tables/a/b"), ("name",)),
        (pb.ListTablesRequest(page_size=101), ("page_size",)),
        (pb.ListTablesRequest(page_size=-1), ("page_size",)),
        (pb.ListTablesRequest(state=9), ("state",)),  # type: ignore[arg-type]
        (pb.ListTablesRequest(page_token="x"), ("page_token",)),
        (pb.ListRuleSetsRequest(page_size=101), ("page_size",)),
        (pb.ListRuleSetsRequest(page_token="x"), ("page_token",)),
        (pb.JoinTableRequest(), ("request_id", "name")),
        (pb.JoinTableRequest(request_id="r", name=NOWHERE, seat=6), ("seat",)),
        (pb.LeaveTableRequest(request_id="r", name="tables/"), ("name",)),
        (pb.SetReadyRequest(name=NOWHERE), ("request_id",)),
        (pb.AddBotRequest(request_id="r", name=NOWHERE, seat=-6), ("seat",)),
        (pb.AddBotRequest(request_id="r", name=NOWHERE, policy="x" * 60_000), ("policy",)),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, tuple) else type(value).__name__,
)
async def test_bad_shapes_are_named(running_server: Running, request_: Any, fields: tuple[str, ...]) -> None:
    """A request of bad shape is INVALID_ARGUMENT with each bad field named, and makes no table."""
    client = await running_server.player()
    failed = await refusal(client.call(request_))
    assert (failed.code, failed.reason, failed.fields) == (CODE.INVALID_ARGUMENT, "BAD_REQUEST", fields)
    assert set(failed.texts) == {"en-US", "zh-CN"}
    assert not (await client.call(pb.ListTablesRequest())).tables


@pytest.mark.parametrize(
    "request_",
    [
        pb.GetTableRequest(name=NOWHERE),
        pb.JoinTableRequest(request_id="r", name=NOWHERE),
        pb.LeaveTableRequest(request_id="r", name=NOWHERE),
        pb.SetReadyRequest(request_id="r", name=NOWHERE),
        pb.AddBotRequest(request_id="r", name=NOWHERE),
        pb.GetTableRequest(name="tables/-"),
    ],
    ids=lambda request: type(request).__name__,
)
async def test_what_is_not_there(running_server: Running, request_: Any) -> None:
    """A table that does not exist is NOT_FOUND to every method."""
    failed = await refusal((await running_server.player()).call(request_))
    assert (failed.code, failed.reason) == (CODE.NOT_FOUND, "TABLE_NOT_FOUND")


async def test_who_has_not_signed_in_learns_nothing(running_server: Running) -> None:
    """Without a token every method is UNAUTHENTICATED, whatever stands in the request and whether the table exists."""
    table = await create(await running_server.player())
    stranger = running_server.client()
    for request in (
        pb.ListRuleSetsRequest(),
        pb.CreateTableRequest(),
        pb.GetTableRequest(name=table.name),
        pb.GetTableRequest(name=NOWHERE),
        pb.GetTableRequest(name="?"),
        pb.ListTablesRequest(),
        pb.JoinTableRequest(name=table.name),
        pb.LeaveTableRequest(),
        pb.SetReadyRequest(),
        pb.AddBotRequest(),
    ):
        assert (await refusal(stranger.call(request))).code is CODE.UNAUTHENTICATED


async def test_seats_are_taken_and_given_up(running_server: Running) -> None:
    """A seat is the lowest free one or the one asked for; joining again gives the same; leaving frees it."""
    owner, one, two = [await running_server.player(name) for name in ("owner", "one", "two")]
    table = (await create(owner, seat=1)).name
    assert await join(one, table) == 0
    assert await join(two, table, 5) == 5
    assert await join(two, table) == 5
    failed = await refusal(join(await running_server.player(), table, 5))
    assert failed.code is CODE.FAILED_PRECONDITION
    await one.call(pb.LeaveTableRequest(request_id=new_id(), name=table))
    assert (await refusal(one.call(pb.LeaveTableRequest(request_id=new_id(), name=table)))).code is (
        CODE.FAILED_PRECONDITION
    )
    info = await get(owner, table)
    assert [player.display_name for player in info.players] == ["", "owner", "", "", "", "two"]


async def test_a_full_table_begins_when_all_are_ready(running_server: Running) -> None:
    """Six ready seats begin the match; then seats can be neither taken, given up nor filled."""
    players = [await running_server.player(f"p{n}") for n in range(6)]
    table = (await create(players[0])).name
    assert [await join(player, table) for player in players] == list(range(6))
    late = await running_server.player()
    assert (await refusal(join(late, table))).code is CODE.FAILED_PRECONDITION
    for player in players:
        assert (await get(late, table)).state == pb.TABLE_STATE_WAITING
        state = await ready(player, table)
    assert state.state == pb.TABLE_STATE_PLAYING  # type: ignore[possibly-undefined]
    for request in (
        pb.JoinTableRequest(request_id=new_id(), name=table),
        pb.LeaveTableRequest(request_id=new_id(), name=table),
        pb.SetReadyRequest(request_id=new_id(), name=table),
        pb.AddBotRequest(request_id=new_id(), name=table),
    ):
        sender = late if isinstance(request, pb.JoinTableRequest) else players[0]
        assert (await refusal(sender.call(request))).code is CODE.FAILED_PRECONDITION


async def test_ready_can_be_taken_back(running_server: Running) -> None:
    """Readiness is shown and can be taken back; who has no seat cannot be ready."""
    owner = await running_server.player()
    table = (await create(owner)).name
    assert (await ready(owner, table)).players[0].ready
    assert not (await ready(owner, table, False)).players[0].ready
    failed = await refusal(ready(await running_server.player(), table))
    assert failed.code in (CODE.FAILED_PRECONDITION, CODE.PERMISSION_DENIED)


async def test_the_owner_adds_bots(running_server: Running) -> None:
    """The owner alone seats built-in bots, of policies that exist, in free seats; they are ready at once."""
    owner, other = await running_server.player(), await running_server.player()
    table = (await create(owner)).name
    added = await owner.call(pb.AddBotRequest(request_id=new_id(), name=table, policy="random", seat=4))
    assert added.seat == 4
    assert (added.table.players[4].bot, added.table.players[4].ready) == ("random", True)
    default = await owner.call(pb.AddBotRequest(request_id=new_id(), name=table))
    assert (default.seat, default.table.players[1].bot) == (1, "simple")

    def add(**fields: Any) -> pb.AddBotRequest:
        return pb.AddBotRequest(request_id=new_id(), name=table, **fields)

    assert (await refusal(other.call(add()))).code is CODE.PERMISSION_DENIED
    assert (await refusal(owner.call(add(seat=0)))).code is CODE.FAILED_PRECONDITION
    failed = await refusal(owner.call(add(policy="genius")))
    assert (failed.code, failed.fields) == (CODE.INVALID_ARGUMENT, ("policy",))


async def test_lists_show_what_is_asked_for(running_server: Running) -> None:
    """Lists are newest first, by state and by free seats, in pages that put together are the whole."""
    owner = await running_server.player()
    names = []
    for _ in range(5):
        names.append((await create(owner, without_seat=True)).name)
        running_server.clock.advance(1)
    full = names[2]
    for _ in range(6):
        await owner.call(pb.AddBotRequest(request_id=new_id(), name=full))

    async def listed(**filters: Any) -> list[str]:
        found: list[str] = []
        token = ""
        while True:
            answer = await owner.call(pb.ListTablesRequest(page_size=2, page_token=token, **filters))
            assert len(answer.tables) <= 2
            found += [table.name for table in answer.tables]
            token = answer.next_page_token
            if not token:
                return found

    assert await listed() == names[::-1]
    assert await listed(with_free_seat=True) == [name for name in names[::-1] if name != full]
    assert await listed(state=pb.TABLE_STATE_PLAYING) == [full]
    assert await listed(state=pb.TABLE_STATE_WAITING) == [name for name in names[::-1] if name != full]
    assert await listed(state=pb.TABLE_STATE_FINISHED) == []


async def test_a_page_token_keeps_its_filters(running_server: Running) -> None:
    """A token with other filters, or changed, is INVALID_ARGUMENT and names the field."""
    owner = await running_server.player()
    for _ in range(3):
        await create(owner)
    token = (await owner.call(pb.ListTablesRequest(page_size=1))).next_page_token
    assert token
    for request in (
        pb.ListTablesRequest(page_size=1, page_token=token, with_free_seat=True),
        pb.ListTablesRequest(page_size=1, page_token=token, state=pb.TABLE_STATE_WAITING),
        pb.ListTablesRequest(page_size=1, page_token=token[:-4]),
        pb.ListTablesRequest(page_size=1, page_token=f"x{token}"),
    ):
        failed = await refusal(owner.call(request))
        assert (failed.code, failed.fields) == (CODE.INVALID_ARGUMENT, ("page_token",))


async def test_a_page_is_not_shaken_by_new_tables(running_server: Running) -> None:
    """A table made between two pages neither repeats nor hides one of the others."""
    owner = await running_server.player()
    names = []
    for _ in range(4):
        names.append((await create(owner)).name)
        running_server.clock.advance(1)
    first = await owner.call(pb.ListTablesRequest(page_size=2))
    await create(owner)
    second = await owner.call(pb.ListTablesRequest(page_size=2, page_token=first.next_page_token))
    assert [table.name for page in (first, second) for table in page.tables] == names[::-1]


async def test_a_retry_makes_nothing_twice(running_server: Running) -> None:
    """Every mutation sent again with its id gives the first answer; with another body it is ALREADY_EXISTS."""
    owner, other = await running_server.player(), await running_server.player()
    create_request = pb.CreateTableRequest(request_id="once", title="one", seat=0)
    table = (await owner.call(create_request)).table.name
    requests: list[tuple[RawClient, Any, dict[str, Any]]] = [
        (owner, create_request, {"title": "two"}),
        (other, pb.JoinTableRequest(request_id="once", name=table, seat=3), {"seat": 4}),
        (other, pb.SetReadyRequest(request_id="ready", name=table, ready=True), {"ready": False}),
        (owner, pb.AddBotRequest(request_id="bot", name=table, seat=1), {"seat": 2}),
        (other, pb.LeaveTableRequest(request_id="leave", name=table), {}),
    ]
    for client, request, change in requests:
        first = await client.call(request)
        before = await get(owner, table)
        assert await client.call(request) == first
        assert await get(owner, table) == before
        if change:
            changed = type(request)()
            changed.CopyFrom(request)
            for name, value in change.items():
                setattr(changed, name, value)
            failed = await refusal(client.call(changed))
            assert (failed.code, failed.reason) == (CODE.ALREADY_EXISTS, "REQUEST_ID_USED")
    assert len((await owner.call(pb.ListTablesRequest())).tables) == 1


async def test_two_accounts_may_use_one_id(running_server: Running) -> None:
    """Request ids are each account's own."""
    tables = set()
    for _ in range(2):
        client = await running_server.player()
        tables.add((await client.call(pb.CreateTableRequest(request_id="same"))).table.name)
    assert len(tables) == 2


async def test_one_request_many_times_at_once_makes_one_table(running_server: Running) -> None:
    """A CreateTable sent ten times at the same moment makes one table."""
    owner = await running_server.player()
    request = pb.CreateTableRequest(request_id="same")
    answers = await asyncio.gather(*(owner.call(request) for _ in range(10)))
    assert len({answer.table.name for answer in answers}) == 1
    assert len((await owner.call(pb.ListTablesRequest())).tables) == 1


async def test_one_seat_many_times_at_once_is_taken_once(running_server: Running) -> None:
    """Of ten who want the same seat at the same moment one gets it."""
    owner = await running_server.player()
    table = (await create(owner)).name
    players = [await running_server.player() for _ in range(10)]
    tries = await asyncio.gather(*(join(player, table, 3) for player in players), return_exceptions=True)
    assert tries.count(3) == 1
    assert all(one == 3 or isinstance(one, grpc.aio.AioRpcError) for one in tries)


async def test_tables_of_an_account_are_bounded(start_server: Callable[..., Running]) -> None:
    """Past the limit an account makes no more tables; others do, and retries of those made still answer."""
    async with start_server(max_tables_per_account=2) as running:
        owner = await running.player()
        made = [await create(owner) for _ in range(2)]
        failed = await refusal(create(owner))
        assert failed.code is CODE.RESOURCE_EXHAUSTED
        await create(await running.player())
        assert len((await owner.call(pb.ListTablesRequest())).tables) == len(made) + 1


async def test_tables_outlive_a_restart(running_server: Running) -> None:
    """After a restart tables, seats and readiness are as they were, and request ids are remembered."""
    owner = await running_server.player()
    request = pb.CreateTableRequest(request_id="once", title="persistent")
    table = (await owner.call(request)).table.name
    await owner.call(pb.AddBotRequest(request_id="bot", name=table))
    before = await ready(owner, table)
    session = owner.session
    await running_server.restart()
    owner = running_server.client()
    owner.session = session
    assert await get(owner, table) == before
    assert (await owner.call(request)).table.name == table
    again = await owner.call(pb.AddBotRequest(request_id="bot", name=table))
    assert again.seat == 1
    assert await get(owner, table) == before
