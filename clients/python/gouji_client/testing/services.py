"""Serves plain objects as gRPC services: `SignIn` is answered by the object's `sign_in`, and so on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

import grpc
from google.protobuf.message_factory import GetMessageClass

from gouji_client.testing.refusals import Refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    import grpc.aio
    from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
    from google.protobuf.message import Message

    from gouji_client.testing.gate import Gate

    Context = grpc.aio.ServicerContext[Any, Any]


_LACKING = {
    "nobody talks at its tables": {
        "SessionService": "MuteAccount UnmuteAccount ListMutedAccounts",
        "TableService": "SendChat ListChatMessages ListPhrases ReportMessage",
    },
    "nobody watches its tables but by their names": {
        "SharingService": "CreateShareLink ListShareLinks RevokeShareLink",
    },
    "no ally looks at a hand there, and who wants advice asks a policy of gouji_bots": {
        "TableService": "GrantPeek GetHint",
    },
}
UNANSWERED = {
    f"{service}.{name}": why
    for why, services in _LACKING.items()
    for service, names in services.items()
    for name in names.split()
}
"""The methods that the fake server refuses as UNIMPLEMENTED, `Service.Method`, each with the reason."""


def said(context: Context, header: str) -> str:
    """Return what the metadata of a call say under a header, empty if nothing."""
    for key, value in context.invocation_metadata() or ():
        if key == header and isinstance(value, str):
            return value
    return ""


def bearer(context: Context) -> str:
    """Return the access token of a call, empty if there is none."""
    return said(context, "authorization").removeprefix("Bearer ")


def handlers_of(service: ServiceDescriptor, answering: object, gate: Gate) -> grpc.GenericRpcHandler:
    """Return the handlers of a service whose methods `answering` has, for calls that `gate` lets in.

    They take the request (an iterator of them where the client streams) and the token, and raise `Refusal`; those that
    stream yield responses. Methods that it does not have are refused as UNIMPLEMENTED.
    """
    handlers = {}
    for method in service.methods:
        name = function_name(method)
        handlers[method.name] = _handler(method, getattr(answering, name, None) or _not_here(method), gate)
    return grpc.method_handlers_generic_handler(service.full_name, handlers)


def method_name(method: MethodDescriptor) -> str:
    """Return `Service.Method`."""
    return f"{method.containing_service.name}.{method.name}"


def function_name(method: MethodDescriptor) -> str:
    """Return the name of the function that answers a method."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower()


def _not_here(method: MethodDescriptor) -> Callable[..., Any]:
    """Return what refuses every call of a method."""
    name = method_name(method)
    why = UNANSWERED.get(name, "nobody has written it yet")

    def refuse(_request: object, _token: str) -> NoReturn:
        text = f"the fake server does not answer {name}: {why}"
        raise Refusal(grpc.StatusCode.UNIMPLEMENTED, "NOT_IN_THE_FAKE", text, f"测试服务器不支持 {name}")

    return refuse


def _handler(method: MethodDescriptor, answer: Callable[..., Any], gate: Gate) -> grpc.RpcMethodHandler[Any, Any]:
    def admit(context: Context) -> str:
        token = bearer(context)
        gate.check(method.name, token, said(context, "gouji-client"))
        return token

    async def one(request: Message, context: Context) -> Message:
        try:
            response: Message = await answer(request, admit(context))
        except Refusal as refusal:
            await refusal.abort(context)
        return response

    async def many(request: Message, context: Context) -> AsyncIterator[Message]:
        try:
            async for response in answer(request, admit(context)):
                yield response
        except Refusal as refusal:
            await refusal.abort(context)

    kinds = {
        (False, False): grpc.unary_unary_rpc_method_handler,
        (False, True): grpc.unary_stream_rpc_method_handler,
        (True, True): grpc.stream_stream_rpc_method_handler,
    }
    make = kinds[method.client_streaming, method.server_streaming]
    return make(
        many if method.server_streaming else one,
        request_deserializer=GetMessageClass(method.input_type).FromString,
        response_serializer=GetMessageClass(method.output_type).SerializeToString,
    )
