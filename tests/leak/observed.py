"""What an observer and a spectator received, and how two worlds are compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import zip_longest


@dataclass(slots=True)
class Observed:
    """Everything received, in order, by channel: ``("seat", "play")``, ``("spectator", "watch")`` and so on."""

    received: dict[tuple[str, str], list[bytes]] = field(default_factory=dict)

    def note(self, who: str, channel: str, data: bytes) -> None:
        """Add something received."""
        self.received.setdefault((who, channel), []).append(data)

    @property
    def size(self) -> int:
        """How many bytes came in all."""
        return sum(len(data) for messages in self.received.values() for data in messages)


def difference(one: Observed, other: Observed) -> str:
    """The first difference, in words; empty if there is none."""
    if one.received.keys() != other.received.keys():
        return f"channels differ: {sorted(one.received)} and {sorted(other.received)}"
    for key, messages in one.received.items():
        for at, (a, b) in enumerate(zip_longest(messages, other.received[key])):
            if a != b:
                return f"{key} message {at} differs:\n{a!r}\n{b!r}"
    return ""
