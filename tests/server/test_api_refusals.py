"""However large a request, and in whatever script, its refusal arrives: with its reason and its texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message_factory import GetMessageClass

from gouji.lobby.v1 import lobby_pb2
from gouji.rules.v1 import rules_pb2
from gouji.table.v1 import table_pb2
from gouji_rules.rule_set import OPTION_NAMES
from tests.server.raw_client import SERVICES, RawClient, Refusal, new_id, unpack

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tests.server.running import Running

SIGNS = ["x", "\a", "'", "9", "牌", "😀", "\U000f0000"]
"""What texts are made of: signs of one to four bytes, some of which grow when shown in quotes."""
LENGTHS = [24, 32, 40, 64, 400, 10_000]
ROOM = 7 * 1024
"""Bytes that a refusal may take of a client's 8 KiB for metadata."""
UNARY = [
    GetMessageClass(method.input_type)
    for service, (module, _) in SERVICES.items()
    for method in module.DESCRIPTOR.services_by_name[service].methods
    if not method.server_streaming and method.input_type.fields
]
_INTEGERS = (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_ENUM)


def leaves(kind: Any, before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """List the fields of a message and of what is in it, by path; of a list the one that is at its beginning."""
    found = []
    for field in kind.DESCRIPTOR.fields:
        path = (*before, field.name)
        if field.message_type is not None:
            found += leaves(GetMessageClass(field.message_type), path)
        else:
            found.append(path)
    return found


def put(request: Any, path: tuple[str, ...], text: str) -> None:
    """Set a field to a text, or to a number that is too large, as its type has it."""
    for name in path[:-1]:
        inner = getattr(request, name)
        request = inner if not request.DESCRIPTOR.fields_by_name[name].is_repeated else inner.add()
    field = request.DESCRIPTOR.fields_by_name[path[-1]]
    value: Any = True
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        value = text.encode() if field.type == FieldDescriptor.TYPE_BYTES else text
    elif field.cpp_type in _INTEGERS:
        value = -(2**31)
    if field.is_repeated:
        getattr(request, path[-1]).append(value)
    else:
        setattr(request, path[-1], value)


def sound(kind: type[Message], table: str) -> Any:
    """Make a request whose id and table are as they should be."""
    request: Any = kind()
    for name, value in (("request_id", new_id()), ("table", table), ("name", table)):
        field = request.DESCRIPTOR.fields_by_name.get(name)
        if field is not None and field.message_type is not None:
            getattr(request, name).name = value
        elif field is not None:
            setattr(request, name, value)
    return request


async def refusals(client: RawClient, requests: list[Message]) -> list[Refusal]:
    """Send requests one by one and hold that each refusal is whole and small enough."""
    found = []
    for request in requests:
        try:
            await client.call(request)
        except grpc.aio.AioRpcError as error:
            refused = unpack(error)
            said = (type(request).__name__, error)
            assert refused.reason, said
            assert refused.domain == "gouji", said
            assert all(refused.texts.get(locale) for locale in ("en-US", "zh-CN")), said
            assert len(refused.raw) * 4 / 3 + len(quote(refused.message)) < ROOM, said
            found.append(refused)
    return found


@pytest.mark.parametrize("kind", UNARY, ids=lambda kind: kind.__name__)
async def test_every_refusal_arrives(running_server: Running, kind: type[Message]) -> None:
    """Each field of each request by itself, and all of them at once, with texts of all sizes and scripts."""
    client = await running_server.player()
    made = await client.call(lobby_pb2.CreateTableRequest(request_id=new_id()))
    requests = []
    for sign in SIGNS:
        for length in LENGTHS:
            text = sign * min(length, 12_000 // len(sign.encode()))
            all_at_once = kind()
            for path in leaves(kind):
                one = sound(kind, made.table.name)
                put(one, path, text)
                requests.append(one)
                put(all_at_once, path, text)
            if all_at_once.ByteSize() < running_server.config.max_request_bytes:
                requests.append(all_at_once)
    assert await refusals(client, requests)


@pytest.mark.parametrize("sign", [*SIGNS, "\U000f0000/"])
async def test_no_option_makes_a_refusal_too_large(running_server: Running, sign: str) -> None:
    """The value of each option, the name of one that does not exist, and as many such as are taken."""
    client = await running_server.player()

    def asking(*options: tuple[str, str]) -> lobby_pb2.CreateTableRequest:
        settings = [rules_pb2.OptionSetting(field=field, value=value) for field, value in options]
        return lobby_pb2.CreateTableRequest(request_id=new_id(), options=settings)

    value = (sign * 400)[:400]
    each = [asking((name, value)) for name in OPTION_NAMES]
    unknown = asking((value, "1"))
    twice = asking(("show", "ask"), ("show", value))
    many = asking(*((name, sign * 200) for name in OPTION_NAMES))
    requests: list[Message] = [*each, unknown, twice, many]
    found = await refusals(client, requests)
    assert len(found) == len(requests)
    assert {refused.code for refused in found} == {grpc.StatusCode.INVALID_ARGUMENT}
    assert all(refused.fields for refused in found)
    longest = max(len(text) for refused in found for text in refused.texts.values())
    assert longest < 240, "a refusal repeats more of a request than it needs"


async def test_streams_end_with_their_refusal(running_server: Running) -> None:
    """What WatchTable is refused for arrives in the same way."""
    client = await running_server.player()
    for sign in SIGNS:
        for length in LENGTHS:
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await client.watch((sign * length)[:15_000], table_pb2.Place(epoch=2**31 - 1, n=-1)).read()
            assert unpack(failed.value).reason == "BAD_REQUEST"
