"""Messages that nobody should send: made from descriptors by a seeded die, so that a run can be repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import FieldDescriptor as F
from google.protobuf.message_factory import GetMessageClass

from tests.server.message_strategies import ODD_LONGS, ODD_NUMBERS

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from google.protobuf.message import Message

_UNSIGNED = {F.TYPE_UINT32, F.TYPE_UINT64, F.TYPE_FIXED32, F.TYPE_FIXED64}
_LONG = {F.TYPE_INT64, F.TYPE_SINT64, F.TYPE_SFIXED64}
_DOUBLES = [0.0, -1.0, 1.5, 1e300, -1e300, float("nan"), float("inf"), -float("inf"), 5e-324]


class Mutator:
    """See the module. `texts`: strings that mean something to the server that is fuzzed."""

    def __init__(self, dice: random.Random, texts: Sequence[str]) -> None:
        self.dice = dice
        self.texts = texts

    def raw(self, valid: Message) -> bytes:
        """Return bytes to send where `valid` would be: noise, odd fields, a mutation of it, or it in broken bytes."""
        kind = type(valid)
        match self.dice.randrange(8):
            case 0:
                return self.dice.randbytes(self.dice.randrange(200))
            case 1:
                return self.random(kind).SerializeToString()
            case 2:
                return self.broken(self.mutated(valid).SerializeToString())
            case 3:
                return valid.SerializeToString()
            case _:
                return self.mutated(valid).SerializeToString()

    def random(self, kind: type[Message], depth: int = 3) -> Message:
        """Make a message of a kind, any fields set to anything that fits their type."""
        message = kind()
        for field in kind.DESCRIPTOR.fields:
            if self.dice.random() < 0.5:
                self._set(message, field, depth)
        return message

    def mutated(self, valid: Message) -> Message:
        """Copy a message and change one to three of its fields, or fields of its fields."""
        message = type(valid)()
        message.CopyFrom(valid)
        for _ in range(self.dice.choice([1, 1, 1, 2, 3])):
            self._mutate(message)
        return message

    def broken(self, whole: bytes) -> bytes:
        """Cut something out of bytes, change, double or put in something."""
        raw = bytearray(whole)
        for _ in range(self.dice.randint(1, 4)):
            at = self.dice.randrange(len(raw) + 1)
            match self.dice.randrange(4):
                case 0:
                    del raw[at : at + self.dice.randint(1, 8)]
                case 1 if at < len(raw):
                    raw[at] = self.dice.randrange(256)
                case 2:
                    raw[at:at] = raw[: self.dice.randrange(40)]
                case _:
                    raw[at:at] = self.dice.randbytes(self.dice.randint(1, 8))
        return bytes(raw)

    def _mutate(self, message: Any) -> None:
        fields = message.DESCRIPTOR.fields
        if not fields:
            return
        field = self.dice.choice(fields)
        inner = field.type == F.TYPE_MESSAGE and not field.is_repeated and message.HasField(field.name)
        if inner and self.dice.random() < 0.8:
            self._mutate(getattr(message, field.name))
        elif self.dice.random() < 0.2:
            message.ClearField(field.name)
        else:
            self._set(message, field, 2)

    def _set(self, message: Any, field: Any, depth: int) -> None:
        if field.type == F.TYPE_MESSAGE:
            if depth <= 0 or field.message_type.GetOptions().map_entry:
                return
            value: Any = self.random(GetMessageClass(field.message_type), depth - 1)
            if field.is_repeated:
                getattr(message, field.name).extend([value] * self.dice.choice([1, 1, 2, 7, 300]))
            else:
                getattr(message, field.name).CopyFrom(value)
        elif field.is_repeated:
            getattr(message, field.name).extend(self._value(field) for _ in range(self.dice.choice([1, 2, 6, 300])))
        else:
            setattr(message, field.name, self._value(field))

    def _value(self, field: Any) -> Any:
        dice = self.dice
        if field.type == F.TYPE_STRING:
            return dice.choice(self.texts)
        if field.type == F.TYPE_BYTES:
            return dice.randbytes(dice.choice([0, 1, 15, 16, 32, 64, 65, 300]))
        if field.type == F.TYPE_BOOL:
            return dice.random() < 0.5
        if field.type in (F.TYPE_DOUBLE, F.TYPE_FLOAT):
            return dice.choice(_DOUBLES)
        if field.type == F.TYPE_ENUM:
            return dice.choice([*range(-1, 13), 99, 2**31 - 1, -(2**31)])
        if field.type in _UNSIGNED:
            return dice.choice([number for number in ODD_NUMBERS if number >= 0])
        return dice.choice(ODD_LONGS if field.type in _LONG else ODD_NUMBERS)
