"""What callers pass in, read before anything is sent: a slip is a `BadInput` in words, never a bare ValueError."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import gouji_rules as gr
from gouji_client.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

_SEATS = range(6)


@runtime_checkable
class Named(Protocol):
    """Something with the `name` of a table: a `Table` of either client, a view, the lobby's facts of a table."""

    @property
    def name(self) -> str:
        """`tables/{table}`."""


TableLike: TypeAlias = str | Named
"""A table, or its name with or without the `tables/` before it."""


def table_name(table: TableLike) -> str:
    """Return `tables/{table}`. Raises `BadInput` for what is neither a table nor a name."""
    name = table if isinstance(table, str) else getattr(table, "name", None)
    if not isinstance(name, str) or not name:
        raise BadInput(f"{table!r} is no table: expected a table or its name, such as tables/abc")
    return name if name.startswith("tables/") else f"tables/{name}"


def resource_name(name: object, collection: str) -> str:
    """Return `{collection}/{name}`; the collection may be there already. Raises `BadInput` for what is no name."""
    if not isinstance(name, str) or not name:
        raise BadInput(f"{name!r} is no name: expected one such as {collection}/abc")
    return name if name.startswith(f"{collection}/") else f"{collection}/{name}"


def in_utc(time: datetime) -> datetime:
    """Return a time as one of UTC. Raises `BadInput` for one that does not say of what zone it is."""
    if time.tzinfo is None:
        raise BadInput(f"{time} does not say of what zone it is: pass a time with tzinfo")
    return time.astimezone(UTC)


def seat_number(seat: object) -> int:
    """Return a seat. Raises `BadInput` for what is none."""
    if isinstance(seat, bool) or not isinstance(seat, int) or seat not in _SEATS:
        raise BadInput(f"{seat!r} is no seat: seats are the numbers 0 to 5")
    return seat


def true_or_false(value: object, what: str) -> bool:
    """Return a truth value. Raises `BadInput` for what is none, such as the text `"no"`, which would count as true."""
    if not isinstance(value, bool):
        raise BadInput(f"{what} is True or False, not {value!r}")
    return value


def text_of(value: object, what: str) -> str:
    """Return a text. Raises `BadInput` for what is none."""
    if not isinstance(value, str):
        raise BadInput(f"{what} is a text, not {value!r}")
    return value


def is_number(value: object) -> bool:
    """Whether a value is a number and no truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def read_action(action: gr.Action | str, legal: str = "view.to_seat_view().legal_actions()") -> gr.Action:
    """Return an action that is given itself or as text. Raises `BadInput`, `gr.RuleViolation` for cards of no play.

    `legal` is how the caller gets at the actions that would do: what it holds as `view` is not the same everywhere.
    """
    if isinstance(action, str):
        try:
            return gr.parse_action(action)
        except gr.NotationError as error:
            examples = "an action is written like “play 5555”, “burn ss7788” or “pass”"
            raise BadInput(f"“{action}” is no action: {error.text_en}; {examples}") from error
    try:
        gr.format_action(action)
    except (TypeError, ValueError, IndexError) as error:
        raise BadInput(
            f"{action!r} is no action: expected one of {legal}, "
            "a text such as “play 5555” or “pass”, or gouji_rules.play_action(play) of a play"
        ) from error
    return action


def real_cards(cards: Iterable[gr.Card]) -> tuple[gr.Card, ...]:
    """Return real cards. Raises `BadInput` for what is none."""
    try:
        return tuple(gr.Card(card) for card in cards)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{cards!r} are no cards: expected some of view.hand, such as [gr.Card.HEART_5]") from error


@contextmanager
def well_formed(what: str) -> Iterator[None]:
    """Say of values that do not fit the wire that `what` cannot be so: raises `BadInput`."""
    try:
        yield
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise error if isinstance(error, BadInput) else BadInput(f"{what} cannot be so: {error}") from error
