"""Who is let in to the fake server is who is let in to the real one."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

import pytest

import gouji
from gouji.session.v1 import session_pb2
from gouji_client import Refused, connect
from gouji_client.testing import FakeServer, gate
from gouji_client.testing.services import UNANSWERED, method_name
from gouji_server.api import scopes

if TYPE_CHECKING:
    from google.protobuf.descriptor import MethodDescriptor


def public_methods() -> list[MethodDescriptor]:
    """Return every method of every public service."""
    found = []
    for module in pkgutil.walk_packages(gouji.__path__, "gouji."):
        if module.name.endswith("_pb2") and ".admin." not in module.name:
            descriptor = importlib.import_module(module.name).DESCRIPTOR
            for service in descriptor.services_by_name.values():
                found += service.methods
    return found


METHODS = {method_name(method): method for method in public_methods()}


def test_every_method_needs_the_scope_that_the_real_server_wants() -> None:
    """A bot's token is good for the same methods at both."""
    names = {
        scopes.Scope.PLAY: session_pb2.BOT_SCOPE_PLAY,
        scopes.Scope.LOBBY: session_pb2.BOT_SCOPE_LOBBY,
        scopes.Scope.WATCH: session_pb2.BOT_SCOPE_WATCH,
        scopes.Scope.CHAT: session_pb2.BOT_SCOPE_CHAT,
    }
    for method in METHODS.values():
        wanted = scopes.scope_of(method.name)
        assert gate.scope_of(method.name) == names.get(wanted), f"{method.name}: see gouji_client/testing/gate.py"
        assert (method.name in gate.PUBLIC) == (wanted is scopes.Scope.PUBLIC), method.name
        assert (method.name in gate.ANY) == (wanted is scopes.Scope.ANY), method.name


def test_every_method_is_answered_or_on_the_list() -> None:
    """What the fake server does not answer is written down with the reason, and nothing else is."""
    server = FakeServer()
    missing = {method_name(method) for method in METHODS.values() if not server.answers_method(method)}
    assert missing == set(UNANSWERED), "see gouji_client/testing/services.py"
    assert all(UNANSWERED.values())


async def test_a_token_is_good_for_its_scopes_alone() -> None:
    """A bot that may only watch is refused by name of the scope that it lacks, and of what is for people."""
    async with FakeServer() as server, connect(server.address) as owner, connect(server.address) as robot:
        await owner.sign_in("Mei")
        bot = await owner.accounts.create_bot("Robot")
        _, token = await owner.accounts.create_bot_token(bot.name, scopes=["watch"])
        await robot.sign_in_as_bot(token)
        assert (await robot.table(server.table).get_view()).name == server.table
        for call, scope in ((robot.lobby.join(server.table), "lobby"), (robot.accounts.sessions(), "account")):
            with pytest.raises(Refused, match="SCOPE_MISSING") as caught:
                await call
            assert caught.value.metadata["scope"] == scope


async def test_a_client_that_is_too_old_is_told_the_minimum() -> None:
    """An old client is refused on every call but the one that tells the least versions."""
    async with (
        FakeServer(minimum_client_versions={"python": "99.1"}) as server,
        connect(server.address) as client,
    ):
        assert dict((await client.server_info()).minimum_client_versions) == {"python": "99.1"}
        with pytest.raises(Refused, match="CLIENT_TOO_OLD") as caught:
            await client.sign_in("Mei")
        assert caught.value.metadata["minimum"] == "99.1"
    async with FakeServer(minimum_client_versions={"web": "99"}) as server, connect(server.address) as client:
        await client.sign_in("Mei")
