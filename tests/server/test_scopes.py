"""Every RPC has one scope, and a bot's token is good for its own scopes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest

from gouji.session.v1 import session_pb2 as pb
from gouji.table.v1 import table_pb2
from gouji_server.accounts import Identity
from gouji_server.accounts.bots import SCOPES
from gouji_server.api.listener import SERVICES as PUBLIC
from gouji_server.api.scopes import OF_METHOD, Scope, check_scope, scope_of
from gouji_server.tables import Caller, Refused
from tests.server.raw_client import SERVICES, RawClient, unpack
from tests.server.raw_seat import PlayStream
from tests.server.test_bot_accounts import new_bot, new_token, signed_in
from tests.server.test_client_versions import METHODS, call

if TYPE_CHECKING:
    from tests.server.running import Running

BOT_SCOPES = [Scope.PLAY, Scope.LOBBY, Scope.WATCH, Scope.CHAT]


def test_the_table_is_complete() -> None:
    """Every RPC of every public service has its row, no name stands for two, and no row is of an RPC that is gone."""
    assert {full for _, full in SERVICES.values()} == set(PUBLIC)
    names = [method.name for _, method in METHODS]
    assert sorted(names) == sorted(OF_METHOD)


def test_what_nobody_has_thought_about_is_for_people() -> None:
    """An RPC that is not in the table is refused to bots, not open to them."""
    assert scope_of("SomethingNew") is Scope.ACCOUNT


def test_scopes_have_one_list() -> None:
    """The words of tokens, of the table and of the protos are the same."""
    assert [scope.value for scope in BOT_SCOPES] == list(SCOPES)
    assert [name.removeprefix("BOT_SCOPE_").lower() for name in pb.BotScope.keys()[1:]] == list(SCOPES)


@pytest.mark.parametrize("scope", Scope, ids=lambda scope: scope.value)
@pytest.mark.parametrize(
    "held", [frozenset[str](), frozenset({"play"}), frozenset(SCOPES), frozenset({"account"}), None]
)
def test_who_may_what(scope: Scope, held: frozenset[str] | None) -> None:
    """People may everything; a bot what its token says, and what all may who have signed in."""
    identity = Identity(Caller("accounts/a", "a", bot=held is not None), 0.0, "s", held)
    if held is None or scope is Scope.ANY or scope.value in held:
        check_scope(identity, scope)
    else:
        with pytest.raises(Refused, match="token"):
            check_scope(identity, scope)


async def outcome(client: RawClient, service: str, method: Any, metadata: tuple[tuple[str, str], ...]) -> str:
    """Return the reason for which a call is refused; empty if it is let in."""
    try:
        if method.name == "Play":
            stream: Any = client.tables.Play(metadata=metadata)
            await stream.done_writing()
            await stream.read()
        else:
            await call(client, service, method, metadata)
    except grpc.aio.AioRpcError as error:
        return unpack(error).reason
    return ""


@pytest.mark.parametrize("scope", BOT_SCOPES, ids=lambda scope: scope.value)
async def test_a_token_of_one_scope_is_good_for_it_alone(running_server: Running, scope: Scope) -> None:
    """A walk over all RPCs: those of its scope, and those for all, let it in; each other one names what is missing."""
    owner = await running_server.player()
    number = pb.BotScope.Value(f"BOT_SCOPE_{scope.name}")
    program = await signed_in(running_server, (await new_token(owner, await new_bot(owner), number)).token)
    for service, method in METHODS:
        reason = await outcome(program, service, method, program.metadata)
        allowed = scope_of(method.name) in (Scope.PUBLIC, Scope.ANY, scope)
        assert (reason != "SCOPE_MISSING") == allowed, (method.name, reason)


async def test_every_rpc_but_the_open_ones_wants_a_token(running_server: Running) -> None:
    """A walk over all RPCs without a token: UNAUTHENTICATED, whatever is asked."""
    client = running_server.client()
    for service, method in METHODS:
        reason = await outcome(client, service, method, ())
        assert (reason == "TOKEN_INVALID") == (scope_of(method.name) is not Scope.PUBLIC), (method.name, reason)


async def test_a_stream_cannot_be_renewed_with_less(running_server: Running) -> None:
    """A Play stream is not carried on by a token of the same bot that is not good for playing."""
    owner = await running_server.player()
    bot = await new_bot(owner)
    stream = PlayStream(await signed_in(running_server, (await new_token(owner, bot)).token))
    lesser = await signed_in(running_server, (await new_token(owner, bot, pb.BOT_SCOPE_WATCH)).token)
    renew = table_pb2.RenewToken(request_id="renew", access_token=lesser.session.access_token)
    await stream.send(renew=renew)
    assert (await stream.result("renew")).error.reason == "SCOPE_MISSING"
