"""Hypothesis strategies for protobuf messages: well-formed ones with odd values, and broken bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import FieldDescriptor as F
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

if TYPE_CHECKING:
    from google.protobuf.message import Message

ODD_TEXTS = [
    *("", " ", "x", "x" * 64, "x" * 300, "x" * 20_000, "字" * 5_000, "0", "-1", "None"),
    *("accounts/me", "tables/", "tables/aaaaaaaaaaaaaaaa", "ruleSets/qingdao"),
    *("a\nb", "\u202e", "\U0001f600", "../../etc/passwd", "%s%n", "' OR 1=1 --"),
]
ODD_NUMBERS = [0, 1, -1, 2, 5, 6, 7, 54, 55, 100, 101, 500, 501, 2**31 - 1, -(2**31)]
ODD_LONGS = [*ODD_NUMBERS, 2**31, 2**53, 2**63 - 1, -(2**63)]


def values(field: Any, texts: list[str], depth: int) -> st.SearchStrategy[Any]:
    """Values of one field, odd ones first."""
    if field.type == F.TYPE_MESSAGE:
        return messages(GetMessageClass(field.message_type), texts, depth - 1)
    if field.type == F.TYPE_STRING:
        return st.one_of(st.sampled_from(texts), st.text(max_size=80))
    if field.type == F.TYPE_BYTES:
        return st.binary(max_size=80)
    if field.type == F.TYPE_BOOL:
        return st.booleans()
    if field.type == F.TYPE_ENUM:
        return st.sampled_from([*range(-1, 13), 99, 2**31 - 1, -(2**31)])
    if field.type in (F.TYPE_INT64, F.TYPE_SINT64, F.TYPE_SFIXED64):
        return st.one_of(st.sampled_from(ODD_LONGS), st.integers(-(2**63), 2**63 - 1))
    return st.one_of(st.sampled_from(ODD_NUMBERS), st.integers(-(2**31), 2**31 - 1))


@st.composite
def messages(draw: st.DrawFn, kind: type[Message], texts: list[str], depth: int = 4) -> Message:
    """Messages of a kind, any fields set to anything that fits their type. `texts`: strings that mean something."""
    message = kind()
    for field in kind.DESCRIPTOR.fields:
        if (depth <= 0 and field.type == F.TYPE_MESSAGE) or not draw(st.booleans()):
            continue
        value = values(field, texts, depth)
        if field.is_repeated:
            most = 300 if draw(st.integers(0, 9)) == 0 else 6
            getattr(message, field.name).extend(draw(st.lists(value, max_size=most)))
        elif field.type == F.TYPE_MESSAGE:
            getattr(message, field.name).CopyFrom(draw(value))
        else:
            setattr(message, field.name, draw(value))
    return message


@st.composite
def broken(draw: st.DrawFn, whole: bytes) -> bytes:
    """Bytes with something cut out, changed, doubled or put in."""
    raw = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(raw)))
        match draw(st.sampled_from(["cut", "change", "double", "insert"])):
            case "cut":
                del raw[at : at + draw(st.integers(1, 8))]
            case "change" if at < len(raw):
                raw[at] = draw(st.integers(0, 255))
            case "double":
                raw[at:at] = raw[: draw(st.integers(0, 40))]
            case _:
                raw[at:at] = draw(st.binary(min_size=1, max_size=8))
    return bytes(raw)
