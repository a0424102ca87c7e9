"""Talking at tables, mutes, peeks and hints through the SDK, on a real server."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest

import gouji_client
from gouji.table.v1 import chat_pb2
from gouji_client import BadInput, NewTable, Refused
from gouji_client.talk import BACKLOG, EMOTES, Ear, Ears
from tests.clients.real_server import RealServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[tuple[gouji_client.Client, gouji_client.Client]]:
    """Two people on one server."""
    async with (
        RealServer(tmp_path) as server,
        await gouji_client.connect(server.address) as one,
        await gouji_client.connect(server.address) as other,
    ):
        await one.sign_in("Mei")
        await other.sign_in("Bo")
        yield one, other


async def test_people_talk_and_hear_each_other(two: tuple[gouji_client.Client, gouji_client.Client]) -> None:
    """What one says the other hears, in order and once; what was said before comes first; all of it can be listed,
    reported and muted."""
    one, other = two
    table = one.table((await one.lobby.create(NewTable())).name)
    await table.say("before")
    seated = other.table(table.name)
    await other.lobby.join(table.name)
    heard: list[str] = []
    async with aclosing(seated.listen()) as messages:
        first = await asyncio.wait_for(anext(messages), 30)
        heard.append(first.text)
        await table.say(emote="egg", at=1)
        await table.say(phrase=(await table.phrases())[0].id)
        egg = await asyncio.wait_for(anext(messages), 30)
        phrase = await asyncio.wait_for(anext(messages), 30)
    assert heard == ["before"]
    assert (egg.emote, egg.target_seat, egg.display_name) == (EMOTES["egg"], 1, "Mei")
    assert phrase.phrase == "hello"
    listed = await seated.messages()
    assert [message.id for message in listed] == [1, 2, 3]
    await seated.report(first, "rude")
    await other.accounts.mute(first.sender)
    assert [muted.account.name for muted in await other.accounts.muted()] == [first.sender]
    assert await seated.messages() == []
    await other.accounts.unmute(first.sender)
    assert len(await seated.messages()) == 3


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"text": "x", "emote": "egg"},
        {"emote": "nothing"},
        {"text": "x", "scope": "nobody"},
        {"emote": "egg", "at": 6},
        {"text": 5},
    ],
)
async def test_what_cannot_be_said_is_told_before_it_is_sent(
    two: tuple[gouji_client.Client, gouji_client.Client], said: dict[str, Any]
) -> None:
    """Two things at once, nothing, an unknown emote or scope, a seat that is none: BadInput, and nothing is sent."""
    table = two[0].table((await two[0].lobby.create(NewTable())).name)
    with pytest.raises(BadInput):
        await table.say(**said)
    assert await table.messages() == []


async def test_a_hint_is_an_action_that_the_server_takes(
    two: tuple[gouji_client.Client, gouji_client.Client],
) -> None:
    """At a table of bots and one person the hint answers the open question; the holder sees whom it lets look, and is
    refused an enemy."""
    one, _ = two
    table = one.table((await one.lobby.create(NewTable(rule_set="qingdao"))).name)
    for _ in range(5):
        await one.lobby.add_bot(table.name)
    await table.set_ready()
    view = await table.until(lambda view: view.asked)
    await table.grant_peek(2)
    assert (await table.until(lambda view: bool(view.peek_granted))).peek_granted == (2,)
    assert not view.peeked
    with pytest.raises(Refused, match="ally"):
        await table.grant_peek(1)
    view = await table.until(lambda view: view.asked)
    hint = await table.hint()
    assert hint.decision == view.decision
    assert set(hint.action.cards) <= {int(card) for card in view.hand}


async def test_a_reader_that_does_not_listen_keeps_the_last_things_said() -> None:
    """Beyond the backlog the oldest are dropped; what comes twice is heard once."""
    ear = Ear()
    for number in range(1, BACKLOG + 11):
        for _ in range(2):
            ear.hear(chat_pb2.ChatMessage(id=number, scope=chat_pb2.CHAT_SCOPE_TABLE))
    assert (await ear.next()).id == 11
    ears = Ears()
    ears.take([chat_pb2.ChatMessage(id=1, table="tables/t")])
    assert not ears._ears
