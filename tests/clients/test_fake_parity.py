"""The fake server shows clients what the real one shows: scenarios are played at both, and what is seen compared.

What a bot's author tests against the fake server is then what happens in play.
"""

from __future__ import annotations

import asyncio
from datetime import UTC
from typing import TYPE_CHECKING, Any

import pytest

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.matchmaking.v1 import matchmaking_pb2
from gouji.replay.v1 import replay_pb2
from gouji_client import Client, NewTable
from gouji_client.testing import FakeServer
from tests.clients.parity import Witness
from tests.clients.real_server import RealServer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from pathlib import Path

    Scenario = Callable[[Witness], Awaitable[None]]


async def profiles(see: Witness) -> None:
    """Names, profiles and block lists."""
    stranger = await see.stranger()
    for name in ("", "x" * 25, "\n", " "):
        await see.ask(f"sign in as {name!r}", stranger.sign_in(name))
    mei, bo = await see.person("Mei"), await see.person("Bo")
    await see.ask("me", mei.accounts.me())
    await see.ask("another", mei.accounts.get(bo.account.name))
    await see.ask("nobody", mei.accounts.get("accounts/none"))
    await see.ask("rename", mei.accounts.update(display_name="Mei Mei", locale="zh-CN"))
    await see.ask("rename to nothing", mei.accounts.update(display_name=""))
    await see.ask("another again", bo.accounts.get(mei.account.name))
    await see.ask("rename another", mei.accounts.update(display_name="x", bot=bo.account.name))
    await see.ask("block", mei.accounts.block(bo.account.name))
    await see.ask("block twice", mei.accounts.block(bo.account.name))
    await see.ask("block oneself", mei.accounts.block(mei.account.name))
    await see.ask("block nobody", mei.accounts.block("accounts/none"))
    await see.ask("blocked", mei.accounts.blocked())
    await see.ask("unblock", mei.accounts.unblock(bo.account.name))
    await see.ask("unblock twice", mei.accounts.unblock(bo.account.name))
    await see.ask("blocked none", mei.accounts.blocked())
    await see.ask("info", stranger.server_info())


async def passwords(see: Witness) -> None:
    """Passwords, sessions and the end of an account."""
    mei, bo, again = await see.person("Mei"), await see.person("Bo"), await see.stranger()
    await see.ask("too short", mei.accounts.set_password("mei", "short"))
    await see.ask("no name", mei.accounts.set_password("", "correct horse"))
    await see.ask("set", mei.accounts.set_password("mei", "correct horse"))
    await see.ask("taken", bo.accounts.set_password("MEI", "correct horse"))
    await see.ask("wrong current", mei.accounts.set_password("", "correct horse 2", "wrong"))
    await see.ask("nobody's", again.sign_in_with_password("nobody", "correct horse"))
    await see.ask("wrong", again.sign_in_with_password("mei", "correct horses"))
    await again.sign_in_with_password("mei", "correct horse")
    see.note("came back as", again.account)
    see.note("sessions", [session.current for session in await mei.accounts.sessions()])
    await see.ask("revoke nothing", mei.accounts.revoke_session("sessions/none"))
    other = next(session for session in await mei.accounts.sessions() if not session.current)
    await see.ask("revoke", mei.accounts.revoke_session(other.name))
    await see.ask("revoked", again.accounts.me())
    await see.ask("change", mei.accounts.set_password("", "battery staple", "correct horse"))
    await see.ask("delete without password", mei.accounts.delete("wrong"))
    name = mei.account.name
    await see.ask("delete", mei.accounts.delete("battery staple"))
    await see.ask("gone", bo.accounts.get(name))
    await see.ask("gone for good", again.sign_in_with_password("mei", "battery staple"))


async def bots(see: Witness) -> None:
    """Bots' accounts, their tokens and scopes."""
    mei, robot = await see.person("Mei"), await see.stranger()
    bot = await see.ask("make", mei.accounts.create_bot("Robot"))
    await see.ask("bad name", mei.accounts.create_bot(""))
    await see.ask("bots", mei.accounts.bots())
    told, secret = await mei.accounts.create_bot_token(bot.name, scopes=["lobby"], description="cup")
    see.note("token", told)
    await see.ask("tokens", mei.accounts.bot_tokens(bot.name))
    await see.ask("nobody's tokens", mei.accounts.bot_tokens("accounts/none"))
    await see.ask("unknown token", robot.sign_in_as_bot("gouji-bot-none"))
    await robot.sign_in_as_bot(secret)
    see.note("it is", robot.account)
    made = await see.ask("lobby", robot.lobby.create(NewTable(deals=1)))
    await see.ask("watch", robot.table(made.name).get_view())
    await see.ask("play", robot.table(made.name).vote_dissolution())
    await see.ask("account", robot.accounts.sessions())
    await see.ask("match", robot.matchmaking.queues())
    await see.ask("replays", robot.replays.get("matches/none"))
    await see.ask("revoke", mei.accounts.revoke_bot_token(told.name))
    await see.ask("revoked", robot.lobby.get(made.name))
    await see.ask("delete", mei.accounts.delete_bot(bot.name))
    await see.ask("delete again", mei.accounts.delete_bot(bot.name))


async def seats(see: Witness) -> None:
    """A table is made, listed, filled and changed before its match."""
    mei, bo, li = await see.person("Mei"), await see.person("Bo"), await see.person("Li")
    made = await see.ask("make", mei.lobby.create(NewTable(title="tea", deals=2, seat=2)))
    await see.ask("get", bo.lobby.get(made.name))
    await see.ask("get nothing", bo.lobby.get("tables/none"))
    for wishes in ({}, {"text": "TEA"}, {"text": "x"}, {"rule_set": "shandong"}, {"with_free_seat": True}):
        see.note(f"list {wishes}", [table.name async for table in bo.lobby.tables(**wishes)])
    await see.ask("join", bo.lobby.join(made.name))
    await see.ask("join again", bo.lobby.join(made.name, 5))
    await see.ask("taken", li.lobby.join(made.name, 0))
    await see.ask("leave without seat", li.lobby.leave(made.name))
    await see.ask("ready without seat", li.lobby.set_ready(made.name))
    await see.ask("not the owner", bo.lobby.add_bot(made.name))
    await see.ask("no policy", mei.lobby.add_bot(made.name, "genius"))
    await see.ask("bot", mei.lobby.add_bot(made.name, "random", 5))
    await see.ask("bot there", mei.lobby.add_bot(made.name, "random", 5))
    await see.ask("ready", bo.lobby.set_ready(made.name))
    await see.ask("then", li.lobby.get(made.name))
    await see.ask("no choosing", bo.lobby.choose_opposite(made.name, 2))
    await see.ask("update", mei.lobby.update(made.name, title="coffee"))
    await see.ask("update deals", mei.lobby.update(made.name, deals=1))
    await see.ask("update another's", bo.lobby.update(made.name, deals=3))
    await see.ask("kick nobody", mei.lobby.kick(made.name, 4))
    await see.ask("kick oneself", mei.lobby.kick(made.name, 2))
    await see.ask("kick another", mei.lobby.kick(made.name, 0, account=li.account.name))
    await see.ask("kick", mei.lobby.kick(made.name, 0, account=bo.account.name, ban=True))
    await see.ask("banned", bo.lobby.join(made.name))
    await mei.accounts.block(li.account.name)
    await see.ask("blocked", li.lobby.join(made.name))
    await mei.accounts.unblock(li.account.name)
    await see.ask("let in", li.lobby.join(made.name))
    await see.ask("owner leaves", mei.lobby.leave(made.name))
    await see.ask("its heir", mei.lobby.get(made.name))
    await see.ask("last leaves", li.lobby.leave(made.name))
    await see.ask("closed", mei.lobby.get(made.name))
    await see.ask("too late", mei.lobby.join(made.name))
    await see.ask("no more deals", mei.lobby.create(NewTable(deals=101)))
    await see.ask("no rules", mei.lobby.create(NewTable(rule_set="none")))
    await see.ask("bad option", mei.lobby.create(NewTable(options={"nonsense": 1})))


async def private_tables(see: Witness) -> None:
    """Join codes open private tables, and nothing else does."""
    mei, bo = await see.person("Mei"), await see.person("Bo")
    made = await see.ask("make", mei.lobby.create(NewTable(private=True, deals=1)))
    code = await mei.lobby.join_code(made.name)
    see.note("list", [table.name async for table in bo.lobby.tables()])
    table = bo.table(made.name)
    for what, call in calls(
        {
            "get": bo.lobby.get(made.name),
            "join": bo.lobby.join(made.name),
            "wrong code": bo.lobby.join(made.name, join_code="222222"),
            "code": bo.lobby.join_code(made.name),
            "reset": bo.lobby.reset_join_code(made.name),
            "view": table.get_view(),
            "follow": table.follow(),
            "vote": table.vote_dissolution(),
            "ready": bo.lobby.set_ready(made.name),
            "leave": bo.lobby.leave(made.name),
            "kick": bo.lobby.kick(made.name, 0),
            "rematch": bo.lobby.rematch(made.name),
            "no code": bo.lobby.find("x"),
            "empty code": bo.lobby.find(""),
            "unknown code": bo.lobby.find("222222"),
        }
    ):
        await see.ask(what, call)
    await see.ask("find", bo.lobby.find(f"{code[:3]} {code[3:].lower()}"))
    await see.ask("get by code", bo.lobby.get(made.name, join_code=code))
    await see.ask("join by code", bo.lobby.join(made.name, join_code=code))
    await see.ask("not the owner's", bo.lobby.reset_join_code(made.name))
    see.note("same code", await bo.lobby.join_code(made.name) == code)
    see.note("another code", await mei.lobby.reset_join_code(made.name) != code)
    await see.ask("old code", bo.lobby.find(code))
    await see.ask("open it", mei.lobby.update(made.name, private=False))
    await see.ask("has none", mei.lobby.join_code(made.name))
    await see.ask("reset none", mei.lobby.reset_join_code(made.name))


async def playing(see: Witness) -> None:
    """A match from its beginning to its end by agreement, and what may be asked meanwhile; then another like it."""
    mei, bo, eye = await see.person("Mei"), await see.person("Bo"), await see.person("Eye")
    made = await mei.lobby.create(NewTable(deals=1))
    table, others, watched = mei.table(made.name), bo.table(made.name), eye.table(made.name)
    kinds: list[str | None] = []
    closed = asyncio.create_task(follow(eye, made.name, kinds))
    await bo.lobby.join(made.name, 3)
    for what, call in calls(
        {
            "too early to vote": table.vote_dissolution(),
            "too early to ask": table.ask_count(3),
            "too early to feel": table.feel(),
            "too early for plays": table.legal_plays(),
            "too early for autopilot": table.set_autopilot(),
            "too early to decline": table.set_auto_decline(),
            "too early for a rematch": mei.lobby.rematch(made.name),
            "view": table.get_view(),
        }
    ):
        see.note(what, await outcome(call))
    for seat in (1, 2, 4, 5):
        await mei.lobby.add_bot(made.name, "random", seat)
    await mei.lobby.set_ready(made.name)
    await bo.lobby.set_ready(made.name)
    view = await table.until(lambda view: view.decision > 0)
    see.note("seat and hand", (view.seat, len(view.hand)))
    await others.until(lambda view: view.decision > 0)
    for what, call in calls(
        {
            "has begun: join": eye.lobby.join(made.name),
            "has begun: leave": mei.lobby.leave(made.name),
            "has begun: ready": mei.lobby.set_ready(made.name),
            "has begun: update": mei.lobby.update(made.name, title="x"),
            "has begun: kick": mei.lobby.kick(made.name, 3),
            "has begun: rematch": mei.lobby.rematch(made.name),
            "no asking": table.ask_count(3),
            "no feeling": table.feel(),
            "stale": table.act("pass", decision=1),
            "no cards": others.act("play 34"),
            "no seat: vote": watched.vote_dissolution(),
            "no seat: act": watched.act("pass", decision=1),
            "no seat: plays": watched.legal_plays(),
            "no seat: autopilot": watched.set_autopilot(),
        }
    ):
        see.note(what, await outcome(call))
    declining = [await outcome(table.set_auto_decline(on=on)) for on in (True, True, False)]
    see.note("declining", declining)
    see.note("seat watched", (await watched.get_view()).seat)
    see.note("one vote", await outcome(table.vote_dissolution()))
    await others.vote_dissolution()
    view = await table.until(lambda view: view.over)
    see.note("over", (lobby_pb2.TableState.Name(view.info.state), view.scores))
    await asyncio.wait_for(closed, 20)
    see.note("first and last events", (kinds[:3], kinds[-4:]))
    for what, call in calls(
        {
            "over: vote": table.vote_dissolution(),
            "over: ready": mei.lobby.set_ready(made.name),
            "over: join": eye.lobby.join(made.name),
            "over: autopilot": table.set_autopilot(),
            "over: ask": table.ask_count(3),
            "over: plays": table.legal_plays(),
            "no rematch": eye.lobby.rematch(made.name),
        }
    ):
        see.note(what, await outcome(call))
    await see.ask("rematch", mei.lobby.rematch(made.name))
    await see.ask("rematch again", mei.lobby.rematch(made.name))
    await see.ask("its name", eye.lobby.get(made.name))
    again = (await eye.lobby.get(made.name)).rematch
    await see.ask("kept", eye.lobby.join(again, 3))
    await see.ask("full", eye.lobby.join(again))
    await see.ask("the other", bo.lobby.rematch(made.name))


async def replays(see: Witness) -> None:
    """A match that is over is listed, told, recorded and watched."""
    mei, eye = await see.person("Mei"), await see.person("Eye")
    made = await mei.lobby.create(NewTable(deals=1, title="tea"))
    see.note("none yet", [match.name async for match in eye.replays.matches(table=made.name)])
    for seat in range(1, 6):
        await mei.lobby.add_bot(made.name, "random", seat)
    await mei.lobby.set_ready(made.name)
    table = mei.table(made.name)
    await table.until(lambda view: view.decision > 0)
    await table.vote_dissolution()
    match = await asyncio.wait_for(first_match(eye, made.name), 20)
    for message in (match, await eye.replays.get(match.name)):
        facts = type(match).FromString(message.SerializeToString())
        facts.ClearField("steps")  # as many as bots have answered
        for deal in facts.deal_results:
            deal.ClearField("first_step")
        see.note("match", facts)
    await see.ask("no match", eye.replays.get("matches/none"))
    await see.ask("no record", eye.replays.record("matches/none"))
    for what, found in {
        "of hers": eye.replays.matches(player=mei.account.name),
        "of mine": eye.replays.matches(player=eye.account.name),
        "of other rules": eye.replays.matches(rule_set="shandong"),
        "of before": eye.replays.matches(ended_before=match.end_time.ToDatetime(UTC)),
        "since": eye.replays.matches(ended_from=match.end_time.ToDatetime(UTC), table=made.name),
    }.items():
        see.note(what, [match.name async for match in found])
    record = await eye.replays.record(match.name)
    see.note("record", [str(problem) for problem in gr.check_record(record)])
    for eyes in ("open", "spectator", 0, 3):
        steps = [step async for step in eye.replays.steps(match.name, eyes=eyes)]
        numbers = [step.number for step in steps]
        assert numbers == sorted(set(numbers))
        events = [event.WhichOneof("event") for step in steps for event in step.update.events]
        see.note(f"seen with {eyes}", (numbers[0], numbers[-1] == match.steps, events[-4:], steps[-1].view.over))
        see.note("hands", [len(hand) for hand in steps[-1].hands[:1]] if eyes == "spectator" else bool(steps[-1].hands))
    later = [step async for step in eye.replays.steps(match.name, first=3, last=4)]
    see.note("some steps", [step.number for step in later])


async def matchmaking(see: Witness) -> None:
    """Parties and tickets, from the queue to a table that plays."""
    people = [await see.person(f"p{number}") for number in range(6)]
    one, two = people[:2]
    see.note("queues", {queue.HasField("people") for queue in await one.matchmaking.queues()})
    party = await see.ask("party", one.matchmaking.create_party())
    await see.ask("another party", one.matchmaking.create_party())
    await see.ask("join", two.matchmaking.join_party(party.join_code.lower()))
    await see.ask("join twice", two.matchmaking.join_party(party.join_code))
    await see.ask("no party", people[2].matchmaking.join_party("222222"))
    await see.ask("a stranger's", people[2].matchmaking.party(party.name))
    await see.ask("not the leader", two.matchmaking.queue(party=party.name))
    for wrong in (
        one.matchmaking.queue([]),
        one.matchmaking.queue(["none"]),
        one.matchmaking.queue(["qingdao", "qingdao"]),
        one.matchmaking.queue(region="East!"),
        one.matchmaking.queue(window=(5, 1, 2)),
        one.matchmaking.queue(fill_with_bots_after=1801),
    ):
        await see.ask("makes no sense", wrong)
    ticket = await see.ask("queue", one.matchmaking.queue(["qingdao", "shandong"], party=party.name))
    await see.ask("waits already", two.matchmaking.queue())
    await see.ask("party waits", people[2].matchmaking.join_party(party.join_code))
    await see.ask("of the party", two.matchmaking.get(ticket.name))
    await see.ask("of no stranger", people[2].matchmaking.get(ticket.name))
    await see.ask("leaves", two.matchmaking.leave_party(party.name))
    await see.ask("so cancelled", one.matchmaking.get(ticket.name))
    await see.ask("cancel what is over", one.matchmaking.cancel(ticket.name))
    await see.ask("the leader leaves", one.matchmaking.leave_party(party.name))
    await see.ask("no party any more", one.matchmaking.party(party.name))

    tickets = [await client.matchmaking.queue() for client in people]
    ends = await asyncio.gather(*(play(client, made.name) for client, made in zip(people, tickets, strict=True)))
    see.note("matched", ends)
    table = (await one.matchmaking.get(tickets[0].name)).table
    info = await one.lobby.get(table)
    see.note("table", (lobby_pb2.TableState.Name(info.state), info.owner, sorted(p.display_name for p in info.players)))
    alone = await see.person("alone")
    waiting = await alone.matchmaking.queue(fill_with_bots_after=0)
    see.note("with bots", await play(alone, waiting.name))
    table = (await alone.matchmaking.get(waiting.name)).table
    see.note("their seats", [(p.account != "", p.bot, p.ready) for p in (await alone.lobby.get(table)).players])


def calls(by_name: dict[str, Coroutine[Any, Any, Any]]) -> list[tuple[str, Coroutine[Any, Any, Any]]]:
    """Return calls with what they are about, whatever they answer."""
    return list(by_name.items())


async def play(client: Client, ticket: str) -> list[str]:
    """Follow a ticket to its end, coming to its table when called; return the states after it waited."""
    states = []
    async for now in client.matchmaking.watch(ticket):
        if now.state != matchmaking_pb2.TICKET_STATE_QUEUED:
            states.append(matchmaking_pb2.TicketState.Name(now.state))
        if now.state == matchmaking_pb2.TICKET_STATE_CALLED:
            await client.lobby.join(now.table)
            await client.lobby.set_ready(now.table)
    return [state for state in states if state != "TICKET_STATE_CALLED"]


async def follow(client: Client, table: str, kinds: list[str | None]) -> None:
    """Write down the kinds of the table's events to its end."""
    async for update in client.table(table).updates():
        kinds.extend(event.WhichOneof("event") for event in update.events)


async def first_match(client: Client, table: str) -> replay_pb2.Match:
    """Ask until the match of a table is kept, which is soon after the table has closed."""
    while True:
        async for match in client.replays.matches(table=table):
            return match


async def outcome(call: Awaitable[object]) -> object:
    """Return how a call is refused, or that it was answered: what it says depends on the cards."""
    see = Witness("")
    await see.ask("", call)
    ((_, said),) = see.seen
    return said if isinstance(said, tuple) else "answered"


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    "scenario",
    [profiles, passwords, bots, seats, private_tables, playing, replays, matchmaking],
    ids=lambda scenario: scenario.__name__,
)
async def test_both_servers_show_the_same(scenario: Scenario, tmp_path: Path) -> None:
    """A scenario is seen in the same way at the real server and at the fake one, reasons of refusals included."""
    seen = []
    async with RealServer(tmp_path) as real, FakeServer(seats=range(6)) as fake:
        for server in (real, fake):
            witness = Witness(server.address)
            await scenario(witness)
            await witness.close()
            seen.append(witness.seen)
    real_seen, fake_seen = seen
    assert [what for what, _ in real_seen] == [what for what, _ in fake_seen]
    differences = [
        (what, was, told) for (what, was), (_, told) in zip(real_seen, fake_seen, strict=True) if was != told
    ]
    assert not differences, "\n".join(f"{what}:\n  real {was}\n  fake {told}" for what, was, told in differences)
