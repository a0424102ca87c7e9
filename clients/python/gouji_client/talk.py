"""What people say at tables: sending it, reading what was said, and hearing it as it comes."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from gouji.table.v1 import chat_pb2
from gouji_client.arguments import seat_number, text_of
from gouji_client.calls import new_request_id
from gouji_client.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

BACKLOG = 200
"""Messages that wait for one reader at most. Past that the oldest are dropped: talk is no record."""

SCOPES = {
    "team": chat_pb2.CHAT_SCOPE_TEAM,
    "table": chat_pb2.CHAT_SCOPE_TABLE,
    "spectators": chat_pb2.CHAT_SCOPE_SPECTATORS,
}
EMOTES = {name.removeprefix("EMOTE_").lower(): value for name, value in chat_pb2.Emote.items() if value}


class Ear:
    """One reader of what is said at a table, each message once."""

    def __init__(self) -> None:
        self._waiting: deque[chat_pb2.ChatMessage] = deque(maxlen=BACKLOG)
        self._newest: dict[int, int] = {}
        self._wake = asyncio.Event()

    def hear(self, message: chat_pb2.ChatMessage) -> None:
        """Take a message; one that came before is passed over."""
        if message.id > self._newest.get(message.scope, 0):
            self._newest[message.scope] = message.id
            self._waiting.append(message)
            self._wake.set()

    async def next(self) -> chat_pb2.ChatMessage:
        """Wait for the next message."""
        while not self._waiting:
            self._wake.clear()
            await self._wake.wait()
        return self._waiting.popleft()


class Ears:
    """All readers of what is said, by table."""

    def __init__(self) -> None:
        self._ears: dict[str, list[Ear]] = {}

    def take(self, messages: Iterable[chat_pb2.ChatMessage]) -> None:
        """Give messages to who reads their table."""
        for message in messages:
            for ear in self._ears.get(message.table, ()):
                ear.hear(message)

    async def listen(self, table: str) -> AsyncGenerator[chat_pb2.ChatMessage, None]:
        """Iterate over what is said at a table, without end."""
        ear = Ear()
        self._ears.setdefault(table, []).append(ear)
        try:
            while True:
                yield await ear.next()
        finally:
            self._ears[table].remove(ear)
            if not self._ears[table]:
                del self._ears[table]


def scope_of(scope: str) -> chat_pb2.ChatScope.ValueType:
    """Return a scope by its name. Raises `BadInput`."""
    if scope not in SCOPES:
        raise BadInput(f"there is no scope {scope!r}: use {', '.join(SCOPES)}")
    return SCOPES[scope]


def chat_request(
    table: str, text: str, emote: str, phrase: str, scope: str, at: int | None, join_code: str
) -> chat_pb2.SendChatRequest:
    """Return the request that says something. Raises `BadInput`."""
    if sum(map(bool, (text, emote, phrase))) != 1:
        raise BadInput("say one thing: a text, an emote or a phrase")
    request = chat_pb2.SendChatRequest(
        request_id=new_request_id(), table=table, scope=scope_of(scope), join_code=join_code
    )
    if emote:
        if emote not in EMOTES:
            raise BadInput(f"there is no emote {emote!r}: use {', '.join(EMOTES)}")
        request.emote = EMOTES[emote]
    elif phrase:
        request.phrase = text_of(phrase, "a phrase")
    else:
        request.text = text_of(text, "what is said")
    if at is not None:
        request.target_seat = seat_number(at)
    return request
