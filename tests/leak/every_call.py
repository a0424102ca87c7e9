"""Every method of every service, asked about a running match: requests filled in by the names of their fields.

A method that is added is asked by itself. One that must not be asked stands in `NOT_ASKED` with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.message_factory import GetMessageClass

from gouji.table.v1 import state_pb2
from tests.server.raw_client import SERVICES, new_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor, ServiceDescriptor
    from google.protobuf.message import Message

    from tests.server.raw_client import RawClient

NOT_ASKED = {
    "Play": "is followed all the time",
    "DeleteAccount": "ends the caller's part in the match",
    "SignOutEverywhere": "ends the caller's streams",
}
"""Methods that are left out, and why."""

NOT_BY_SEATS = {
    "LeaveTable": "gives the seat to a bot for the rest of the match",
    "SetAutopilot": "has a bot play, which is no answer of the script",
    "SubmitAction": "would answer for the seat; refused ones are tried where the script says so",
}
"""Methods that a seat does not ask while it plays; a spectator does, and is refused."""


@dataclass(frozen=True, slots=True)
class About:
    """What is asked about: a table's name, somebody's account, a seat, and an id for what is sent."""

    table: str
    account: str
    seat: int = 1
    request_id: str = ""
    """Of what is sent; empty: a new one."""

    def names(self, service: str) -> dict[str, object]:
        """What fields of these names get."""
        number = self.table.partition("/")[2]
        names = {
            "ReplayService": f"matches/{number}",
            "SessionService": self.account,
            "MatchmakingService": "tickets/x",
        }
        return {
            "request_id": self.request_id or new_id(),
            "table": self.table,
            "name": names.get(service, self.table),
            "match": f"matches/{number}",
            "parent": self.table if service != "ReplayService" else f"matches/{number}",
            "account": self.account,
            "player": self.account,
            "seat": self.seat,
            "to_seat": self.seat,
            "page_size": 50,
            "deal": 1,
            "entropy": b"0123456789abcdef0123456789abcdef",
            "text": "hello",
            "title_text": "a",
            "region": "eu",
        }


def services() -> Iterator[tuple[ServiceDescriptor, MethodDescriptor]]:
    """Walk over all methods that the public listener serves."""
    for name, (module, _) in SERVICES.items():
        service = module.DESCRIPTOR.services_by_name[name]
        for method in service.methods:
            yield service, method


def request_for(service: ServiceDescriptor, method: MethodDescriptor, about: About) -> Message:
    """Make a request that comes as far as it can."""
    request: Any = GetMessageClass(method.input_type)()
    values = about.names(service.name)
    for field in method.input_type.fields:
        if field.name in values and not field.is_repeated and _takes(field, values[field.name]):
            setattr(request, field.name, values[field.name])
    if "action" in method.input_type.fields_by_name:
        request.action.verb = state_pb2.VERB_PASS
    filled: Message = request
    return filled


def _takes(field: FieldDescriptor, value: object) -> bool:
    if isinstance(value, int):
        return field.cpp_type in (field.CPPTYPE_INT32, field.CPPTYPE_INT64, field.CPPTYPE_UINT32, field.CPPTYPE_UINT64)
    return field.type == (field.TYPE_BYTES if isinstance(value, bytes) else field.TYPE_STRING)


async def ask(client: RawClient, service: ServiceDescriptor, method: MethodDescriptor, about: About) -> list[bytes]:
    """Ask and return what came: messages (of a stream the first), or all of the status of a refusal."""
    path = f"/{service.full_name}/{method.name}"
    raw = request_for(service, method, about).SerializeToString()
    try:
        if method.server_streaming:
            watch: Any = client.channel.unary_stream(path)
            stream = watch(raw, metadata=client.metadata)
            first = await stream.read()
            stream.cancel()
            return [] if first is grpc.aio.EOF else [first]
        call: Any = client.channel.unary_unary(path)
        return [await call(raw, metadata=client.metadata)]
    except grpc.aio.AioRpcError as error:
        trailers = sorted(map(tuple, error.trailing_metadata() or ()))
        return [
            repr((error.code(), error.details(), trailers)).encode(),
            *(bytes(v) for k, v in trailers if k.endswith("-bin")),
        ]
