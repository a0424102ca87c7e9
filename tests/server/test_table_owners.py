"""What an owner does with a table that waits: changes what it is like, and takes seats away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask

from gouji.lobby.v1 import lobby_pb2 as pb
from gouji.rules.v1 import rules_pb2
from gouji_server.tables import Limits, Refused, TableSpec
from tests.server.players import House, Reader, person
from tests.server.raw_client import RawClient, new_id, refusal

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle
    from tests.server.running import Running

CODE = grpc.StatusCode


async def waiting(limits: Limits | None = None, spec: TableSpec | None = None) -> tuple[House, TableHandle]:
    at = House(limits=limits)
    await at.tables.start()
    return at, await at.new_table(spec, people=4)


async def following(at: House, handle: TableHandle, number: int) -> Reader:
    reader = Reader(at, handle, person(number))
    await reader.follow()
    await reader.read()
    return reader


def kinds(reader: Reader, since: int) -> list[str | None]:
    return [event.WhichOneof("event") for update in reader.updates[since:] for event in update.events]


async def test_a_changed_table_is_told_and_whoever_was_ready_has_to_be_so_again() -> None:
    """New rules, deals and times are in the lobby facts and in one step to all, and take readiness back."""
    at, handle = await waiting()
    await handle.add_bot(person(0), "simple", 5, "bot")
    for number in (0, 2):
        await handle.set_ready(person(number), True, f"r{number}")
    watcher = await following(at, handle, 9)
    before = len(watcher.updates)
    changes = {
        "title": "新桌",
        "rules": "shandong",
        "options": {"hold_three": True},
        "deals": 7,
        "times": [8000, 60000],
        "spectators": True,
    }
    table, code = await handle.update(person(0), changes, "u")
    assert code == ""
    assert (table.title, table.rule_set, table.deals) == ("新桌", "ruleSets/shandong", 7)
    assert ("hold_three", "true") in [(setting.field, setting.value) for setting in table.options]
    assert table.time_control.preset == pb.TIME_PRESET_BLITZ
    assert [player.ready for player in table.players] == [False] * 5 + [True]
    await watcher.read()
    assert watcher.info == table
    assert kinds(watcher, before) == ["table_changed", "seat_changed", "seat_changed"]
    fields = list(watcher.updates[before].events[0].table_changed.fields)
    assert fields == ["title", "rule_set", "options", "deals", "time_control"]
    await at.restart()
    handle = await at.tables.open(handle.name)
    assert await handle.update(person(0), changes, "u") == (table, "")
    assert await handle.info() == table


async def test_the_changed_rules_are_those_that_are_played() -> None:
    """The match that begins then has the deals, rules and clock of the change, not those of the making."""
    at, handle = await waiting()
    await handle.update(person(0), {"rules": "hokkaido", "deals": 2, "times": [5000, 0]}, "u")
    for number in range(4):
        await handle.set_ready(person(number), True, f"r{number}")
    for seat in (4, 5):
        await handle.add_bot(person(0), "simple", seat, f"b{seat}")
    state = at.tables._actors[handle.name]._story.state  # type: ignore[union-attr]
    assert state.match is not None
    assert state.match.rules.name == "hokkaido"
    assert state.match.deals == 2
    assert state.deadline - state.time == 5000


async def test_a_new_title_takes_nobody_s_readiness_back() -> None:
    """What people did not agree to by being ready may change without asking them again."""
    _, handle = await waiting()
    await handle.set_ready(person(1), True, "r")
    table, _ = await handle.update(person(0), {"title": "t", "spectators": False}, "u")
    assert table.players[1].ready
    assert not table.spectators_allowed


async def test_rule_set_alone_drops_overrides_and_options_alone_keep_the_rule_set() -> None:
    """`options` replaces all overrides of the rule set; another rule set comes as it is."""
    _, handle = await waiting(spec=TableSpec(options=(("show", "ask"),)))
    table, _ = await handle.update(person(0), {"options": {"feel_chances": 3}}, "u1")
    assert table.rule_set == "ruleSets/qingdao"
    assert [setting.field for setting in table.options] == ["feel_chances"]
    table, _ = await handle.update(person(0), {"rules": "hokkaido"}, "u2")
    assert (table.rule_set, len(table.options)) == ("ruleSets/hokkaido", 0)
    with pytest.raises(Refused, match="BAD_RULE_SET"):
        await handle.update(person(0), {"options": {"points": [1]}}, "u3")


async def test_deals_of_zero_are_the_rules_own() -> None:
    """As when a table is made: as many as the rules say, or 3."""
    _, handle = await waiting(spec=TableSpec(deals=9))
    table, _ = await handle.update(person(0), {"deals": 0}, "u1")
    assert table.deals == 3
    table, _ = await handle.update(person(0), {"deals": 0, "options": {"deals": 5}}, "u2")
    assert table.deals == 5


async def test_a_change_to_what_is_already_is_none() -> None:
    """Nothing is told and nobody has to be ready anew; the id gets the same answer when it would change something."""
    at, handle = await waiting()
    await handle.set_ready(person(1), True, "r")
    watcher = await following(at, handle, 9)
    same, _ = await handle.update(person(0), {"deals": 3, "title": ""}, "u1")
    assert await watcher.read() == 0
    await handle.update(person(0), {"deals": 4}, "u2")
    assert (await handle.update(person(0), {"deals": 3, "title": ""}, "u1"))[0] == same
    assert (await handle.info()).deals == 4
    with pytest.raises(Refused, match="REQUEST_ID_USED"):
        await handle.update(person(0), {"deals": 5}, "u1")


async def test_a_table_that_becomes_private_gets_a_code_and_shuts_its_watchers_out() -> None:
    """The code is new each time; watchers without a seat follow no more, those with one do; open again, it has none."""
    at, handle = await waiting()
    watcher, seated = await following(at, handle, 9), await following(at, handle, 1)
    table, code = await handle.update(person(0), {"private": True}, "u1")
    assert table.private
    assert at.tables.find(code) == handle.name
    assert at.tables.list() == ([], "")
    await watcher.read()
    assert watcher.outbox.follower(handle.name) is None
    await seated.read()
    assert seated.info == table
    assert seated.outbox.follower(handle.name) is not None
    with pytest.raises(Refused, match="TABLE_NOT_FOUND"):
        await handle.view(person(9))
    table, none = await handle.update(person(0), {"private": False}, "u2")
    assert (table.private, none, at.tables.find(code)) == (False, "", "")
    assert [listed.name for listed in at.tables.list()[0]] == [handle.name]
    assert (await handle.update(person(0), {"private": True}, "u1"))[1] == code
    _, another = await handle.update(person(0), {"private": True}, "u3")
    assert another not in ("", code)


async def test_nobody_but_the_owner_changes_or_kicks_and_not_in_a_match() -> None:
    """Others are refused, and so is the owner once the match has begun."""
    at = House()
    await at.tables.start()
    handle = await at.new_table()
    for asked in (handle.update(person(1), {"deals": 5}, "u"), handle.kick(person(1), 2, "", False, "k")):
        with pytest.raises(Refused, match="NOT_OWNER"):
            await asked
    for number in range(6):
        await handle.set_ready(person(number), True, "r")
    for asked in (handle.update(person(0), {"deals": 5}, "u"), handle.kick(person(0), 2, "", False, "k")):
        with pytest.raises(Refused, match="MATCH_STARTED"):
            await asked


async def test_a_kicked_player_may_come_back_and_a_banned_one_may_not() -> None:
    """Kicking frees the seat and tells who lost it; a ban holds after a restart, for the person and no other."""
    at, handle = await waiting()
    watcher = await following(at, handle, 9)
    before = len(watcher.updates)
    table = await handle.kick(person(0), 1, "accounts/p1", False, "k1")
    assert not table.players[1].account
    await watcher.read()
    assert kinds(watcher, before) == ["player_kicked", "seat_changed"]
    kicked = watcher.updates[before].events[0].player_kicked
    assert (kicked.seat, kicked.account, kicked.display_name, kicked.banned) == (1, "accounts/p1", "Player 1", False)
    assert (await handle.join(person(1), None, "again"))[1] == 1
    await handle.kick(person(0), 1, "", True, "k2")
    await at.restart()
    handle = await at.tables.open(handle.name)
    with pytest.raises(Refused, match="NOT_WELCOME"):
        await handle.join(person(1), None, "third")
    assert (await handle.join(person(7), None, "j"))[1] == 1
    assert await handle.kick(person(0), 1, "accounts/p1", False, "k1") == table


async def test_a_built_in_bot_can_be_taken_away_and_another_put_there() -> None:
    """Kicking a bot frees its seat for a person or another bot; banning it bans nobody."""
    _, handle = await waiting()
    await handle.add_bot(person(0), "simple", 5, "b1")
    table = await handle.kick(person(0), 5, "", True, "k")
    assert not table.players[5].bot
    assert not table.players[5].ready
    assert (await handle.add_bot(person(0), "random", 5, "b2"))[0].players[5].bot == "random"
    assert (await handle.join(person(7), None, "j"))[1] == 4


async def test_kicking_nobody_oneself_or_another_than_meant_is_refused() -> None:
    """Each is refused in words and changes nothing."""
    _, handle = await waiting()
    before = await handle.info()
    for seat, account, reason in ((5, "", "NOBODY_THERE"), (0, "", "KICK_ANOTHER"), (1, "accounts/x", "ANOTHER_THERE")):
        with pytest.raises(Refused, match=reason):
            await handle.kick(person(0), seat, account, True, "k")
    assert await handle.info() == before


async def test_kicking_parts_a_chosen_pair_and_other_seating_parts_all() -> None:
    """Nobody stays half of a pair whose other half is gone, or where opposites are not chosen any more (R9)."""
    at, handle = await waiting(spec=TableSpec(options=(("seating", "choose_opposite"),)))
    await handle.choose_opposite(person(0), 1, "c")
    table, _ = await handle.join(person(6), None, "j")
    assert sum(player.opposite_chosen for player in table.players) == 2
    seat = next(player.seat for player in table.players if player.account == "accounts/p1")
    table = await handle.kick(person(0), seat, "", False, "k")
    assert not any(player.opposite_chosen for player in table.players)
    await handle.join(person(1), seat, "j")
    await handle.choose_opposite(person(0), seat, "c2")
    table, _ = await handle.update(person(0), {"options": {}}, "u")
    assert not any(player.opposite_chosen for player in table.players)
    await at.tables.close()


async def test_an_owner_s_changes_have_an_end() -> None:
    """Changes and kicks are kept in the journal, so they are bounded like all that is done at a waiting table."""
    _, handle = await waiting(Limits(changes_waiting=4))
    for number in range(4):
        await handle.update(person(0), {"title": f"t{number}"}, f"u{number}")
    for asked in (handle.update(person(0), {"title": "x"}, "x"), handle.kick(person(0), 1, "", False, "k")):
        with pytest.raises(Refused, match="TOO_MANY_CHANGES"):
            await asked


async def create(client: RawClient, **fields: Any) -> pb.Table:
    made: pb.CreateTableResponse = await client.call(pb.CreateTableRequest(request_id=new_id(), **fields))
    return made.table


async def test_the_mask_says_what_changes_and_only_that(running_server: Running) -> None:
    """Fields not named stay as they are, whatever `table` says of them."""
    owner = await running_server.player()
    table = await create(owner, title="before", deals=2)
    wanted = pb.Table(name=table.name, title="after", deals=9, time_control=pb.TimeControl(preset=pb.TIME_PRESET_SLOW))
    update = pb.UpdateTableRequest(
        request_id=new_id(), table=wanted, update_mask=FieldMask(paths=["title", "time_control"])
    )
    changed = (await owner.call(update)).table
    assert (changed.title, changed.deals, changed.decision_time.seconds) == ("after", 2, 60)
    wanted.decision_time.FromSeconds(5)
    update = pb.UpdateTableRequest(request_id=new_id(), table=wanted, update_mask=FieldMask(paths=["decision_time"]))
    assert (await owner.call(update)).table.decision_time.seconds == 5
    wanted.ClearField("decision_time")
    update = pb.UpdateTableRequest(request_id=new_id(), table=wanted, update_mask=FieldMask(paths=["decision_time"]))
    assert not (await owner.call(update)).table.HasField("decision_time")


@pytest.mark.parametrize(
    ("paths", "wanted", "field"),
    [
        ([], {}, "update_mask"),
        (["owner"], {}, "update_mask"),
        (["title", "nothing"], {}, "update_mask"),
        (["title"] * 40, {"title": "x" * 61}, "table.title"),
        (["deals"], {"deals": 101}, "table.deals"),
        (["rule_set"], {"rule_set": "qingdao"}, "table.rule_set"),
        (["options"], {"options": [rules_pb2.OptionSetting(field="no", value="1")]}, "table.options.no"),
        (["options"], {"options": [rules_pb2.OptionSetting(field="points", value="1")]}, "table.options.points"),
        (["decision_time"], {"decision_time": Duration(seconds=4000)}, "table.decision_time"),
        (["time_control"], {"time_control": pb.TimeControl(bank=Duration(seconds=1))}, "time_control.bank"),
        (["time_control", "decision_time"], {}, "update_mask"),
    ],
)
async def test_what_no_table_can_be_like_is_named(
    running_server: Running, paths: list[str], wanted: dict[str, Any], field: str
) -> None:
    """Each field of bad shape is named, and the table stays as it was."""
    owner = await running_server.player()
    table = await create(owner)
    update = pb.UpdateTableRequest(
        request_id=new_id(), table=pb.Table(name=table.name, **wanted), update_mask=FieldMask(paths=paths)
    )
    failed = await refusal(owner.call(update))
    assert failed.code is CODE.INVALID_ARGUMENT
    assert field in failed.fields
    assert (await owner.call(pb.GetTableRequest(name=table.name))).table == table


async def test_a_player_is_kicked_over_the_wire(running_server: Running) -> None:
    """The owner frees a seat by its number, and a ban is told as the owner's wish alone."""
    owner, other = await running_server.player(), await running_server.player()
    table = await create(owner)
    join = pb.JoinTableRequest(request_id=new_id(), name=table.name)
    await other.call(join)
    kick = pb.KickPlayerRequest(request_id=new_id(), name=table.name, seat=1, account=other.account, ban=True)
    assert not (await owner.call(kick)).table.players[1].account
    failed = await refusal(other.call(pb.JoinTableRequest(request_id=new_id(), name=table.name)))
    assert (failed.code, failed.reason) == (CODE.PERMISSION_DENIED, "NOT_WELCOME")
    failed = await refusal(owner.call(pb.KickPlayerRequest(request_id=new_id(), name=table.name, seat=6)))
    assert failed.fields == ("seat",)
