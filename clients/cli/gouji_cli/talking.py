"""`gouji table say` and `chat`: what people say at a table; `gouji account mute`: whom one does not want to hear."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gouji_cli.own_tables import TableName
from gouji_cli.signing_in import AsJson, Way, by_way, carry_out, signed_in
from gouji_cli.terminal import by_locale, fail, plain, print_json, speaks_chinese

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gouji.session.v1 import session_pb2
    from gouji.table.v1 import chat_pb2
    from gouji_client import Client

Scope = Annotated[str, typer.Option("--scope", metavar="SCOPE", help="table, team or spectators.")]


@by_way
def say(
    table: TableName,
    way: Way,
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="A line of text.")] = "",
    emote: Annotated[str, typer.Option("--emote", metavar="NAME", help="An emote instead: egg, flower, laugh …")] = "",
    phrase: Annotated[str, typer.Option("--phrase", metavar="ID", help="A quick phrase instead: hello, thanks …")] = "",
    scope: Scope = "table",
    at: Annotated[int | None, typer.Option("--at", min=0, max=5, metavar="SEAT", help="Whom it is for.")] = None,
) -> None:
    """Say something at a table: a line of text, an emote, or a quick phrase."""

    async def speak() -> None:
        async with signed_in(way) as client:
            await client.table(table).say(text, emote=emote, phrase=phrase, scope=scope, at=at)

    if not (text or emote or phrase):
        fail(by_locale("say something: a text, --emote or --phrase", "请给出要说的话：文字、--emote 或 --phrase"))
    carry_out(way, speak())


@by_way
def chat(
    table: TableName,
    way: Way,
    scope: Scope = "table",
    follow: Annotated[bool, typer.Option("--follow", help="Go on with what is said, until Ctrl-C.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print what was said lately at a table, the oldest first."""

    async def listen() -> list[chat_pb2.ChatMessage]:
        async with signed_in(way) as client:
            phrases = await _phrases(client, table)
            found = await client.table(table).messages(scope)
            for message in () if as_json else found:
                print(plain(_line(message, phrases)), flush=True)
            if follow:
                async with aclosing(client.table(table).listen()) as heard:
                    async for message in heard:
                        if not found or message.id > found[-1].id:
                            print(plain(_line(message, phrases)), flush=True)
            return found

    found = carry_out(way, listen())
    if as_json:
        print_json([_as_data(message) for message in found])


@by_way
def mute(
    other: Annotated[str, typer.Argument(metavar="ACCOUNT", help="accounts/…, whom you do not want to hear.")],
    way: Way,
    off: Annotated[bool, typer.Option("--off", help="Hear it again.")] = False,
) -> None:
    """Hear nothing of what an account says at tables. Nobody is told."""

    async def change() -> None:
        async with signed_in(way) as client:
            await (client.accounts.unmute(other) if off else client.accounts.mute(other))

    carry_out(way, change())
    print(plain(by_locale("heard again", "已取消静音") if off else by_locale("muted", "已静音")))


@by_way
def muted(way: Way, as_json: AsJson = False) -> None:
    """List whom the account has muted."""

    async def look() -> list[session_pb2.BlockedAccount]:
        async with signed_in(way) as client:
            return await client.accounts.muted()

    found = carry_out(way, look())
    if as_json:
        print_json([{"account": entry.account.name, "display_name": entry.account.display_name} for entry in found])
        return
    for entry in found:
        print(plain(f"{entry.account.name}  {entry.account.display_name}"))


def add_to(accounts: typer.Typer, tables: typer.Typer) -> None:
    """Put the commands where people look for them."""
    tables.command("say")(say)
    tables.command("chat")(chat)
    accounts.command("mute")(mute)
    accounts.command("muted")(muted)


async def _phrases(client: Client, table: str) -> dict[str, str]:
    """Return the quick phrases by id, in the language of the locale."""
    told = await client.table(table).phrases()
    return {phrase.id: phrase.text_zh if speaks_chinese() else phrase.text_en for phrase in told}


def _line(message: chat_pb2.ChatMessage, phrases: Mapping[str, str]) -> str:
    kind = message.WhichOneof("content")
    if kind == "emote":
        said = f"*{_emote(message)}*" + (f" → {message.target_seat}" if message.HasField("target_seat") else "")
    elif kind == "phrase":
        said = phrases.get(message.phrase, message.phrase)
    else:
        said = message.text
    return f"{message.display_name}: {said}"


def _emote(message: chat_pb2.ChatMessage) -> str:
    from gouji_client.talk import EMOTES

    return next((name for name, value in EMOTES.items() if value == message.emote), str(message.emote))


def _as_data(message: chat_pb2.ChatMessage) -> dict[str, Any]:
    kind = message.WhichOneof("content") or "text"
    return {
        "id": message.id,
        "sender": message.sender,
        "display_name": message.display_name,
        "seat": message.seat if message.HasField("seat") else None,
        "time": message.time.ToJsonString(),
        kind: _emote(message) if kind == "emote" else getattr(message, kind),
    }
