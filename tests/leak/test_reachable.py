"""The second gate: which answers have a place for cards and secrets at all, and who may be told what stands there."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gouji_rules
import gouji_server
from gouji.admin.v1 import admin_pb2
from gouji.cards.v1 import cards_pb2
from tests.leak.every_call import NOT_ASKED, NOT_BY_SEATS, services

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.descriptor import Descriptor, FieldDescriptor

PLACES = {
    "table.v1.SeatPart.hand": "the seat's own, told to it alone",
    "table.v1.Action.cards": "a hint, of the cards of who asked, told to it alone",
    "table.v1.PeekedHand.cards": "an ally's, at its choice, told to the seat that looks alone (R81)",
    "table.v1.PlayedCards.cards": "put down for all to see (R11)",
    "table.v1.CardMove.cards": "went from hand to hand for all to see (R49, R78)",
    "table.v1.CardsShown.cards": "shown to all (R5, R41)",
    "table.v1.CardBought.card": "bought for all to see (R77)",
    "table.v1.CardBought.paid": "paid for all to see (R77)",
    "table.v1.TributePaid.cards": "paid for all to see (R70)",
    "table.v1.TributeWaived.shown": "the rules have it shown (R73)",
    "table.v1.CardReturned.card": "given back for all to see (R73)",
    "table.v1.ReturnRefused.card": "picked for all to see (R73)",
    "table.v1.Hand.cards": "of a deal that is over (R84)",
    "table.v1.Entropy.entropy": "given by a seat for all to see (R3)",
    "table.v1.DealPromised.commitment": "a digest that tells nothing of what it is of (R84)",
    "table.v1.DealStarted.commitment": "the same",
    "table.v1.DealRevealed.secret": "of a deal that is over (R84)",
}
"""Every field that answers can hold and that is cards or bytes, and why it may be told."""

OVER = {"table.v1.Hand": "table.v1.DealRevealed", "table.v1.DealRevealed": "table.v1.TableEvent"}
"""Messages that hold what was hidden, each with the one message that holds them."""

HOLDERS = {"Deal", "Match", "Record", "deal_seed", "shuffle"}
"""What knows all hands, or makes them."""

SERVER = Path(gouji_server.__file__).parent


def reachable() -> dict[str, Descriptor]:
    """Walk over the messages that some answer of the public services can hold."""
    return within(*(method.output_type for _, method in services()))


def within(*messages: Descriptor) -> dict[str, Descriptor]:
    """Walk over the messages that these can hold."""
    found: dict[str, Descriptor] = {}
    due = list(messages)
    while due:
        message = due.pop()
        if message.full_name not in found:
            found[message.full_name] = message
            due += [field.message_type for field in message.fields if field.message_type is not None]
    return found


def fields() -> Iterator[FieldDescriptor]:
    for message in reachable().values():
        yield from message.fields


def short(name: str) -> str:
    return name.removeprefix("gouji.")


def test_answers_have_places_for_cards_and_bytes_where_it_is_written_why() -> None:
    """No answer has another place for cards or bytes than those listed: who adds one writes down who may see it."""
    card = cards_pb2.Card.DESCRIPTOR
    places = {short(field.full_name) for field in fields() if field.enum_type is card or field.type == field.TYPE_BYTES}
    assert places == PLACES.keys()


def test_hands_of_running_deals_are_told_to_operators_alone() -> None:
    """The message that holds a hand nobody else may see is in the answer of one method of the operators' service, and
    in none of the public ones."""
    told = {
        method.name
        for method in admin_pb2.DESCRIPTOR.services_by_name["AdminService"].methods
        if "gouji.admin.v1.RevealedHand" in within(method.output_type)
    }
    assert told == {"InspectTable"}
    assert not any(name.startswith("gouji.admin.") for name in reachable())


def test_numbers_of_hidden_things_are_in_no_answer() -> None:
    """The journal's index and digests, and a deal's seed before it is over, have no field in any answer."""
    hidden = {"seed", "digest", "journal_index", "index", "hands", "state_digest", "sequence", "secret"}
    named = {short(field.full_name) for field in fields() if field.name in hidden}
    assert named == {"table.v1.DealRevealed.hands", "table.v1.DealRevealed.secret"}


@pytest.mark.parametrize("held", OVER)
def test_what_was_hidden_is_told_in_one_event(held: str) -> None:
    """All six hands and the secret stand in the event that a deal is revealed, and in nothing else."""
    holders = {
        short(message.full_name)
        for message in reachable().values()
        for field in message.fields
        if field.message_type is not None and short(field.message_type.full_name) == held
    }
    assert holders == {OVER[held]}


def test_what_translates_calls_cannot_reach_a_deal() -> None:
    """No module of api/, lobby/, accounts/ and matchmaking/ imports what knows all hands, nor the state of a table."""
    for folder in ("api", "lobby", "accounts", "matchmaking"):
        for path in sorted((SERVER / folder).rglob("*.py")):
            for module, names in _imports(path):
                assert not names & HOLDERS, path
                assert module not in {"gouji_rules.deal", "gouji_rules.shuffle", "gouji_server.tables.table"}, path


def test_the_holders_are_there() -> None:
    """The names that are looked for are names of the engine: one that is renamed has to be renamed here."""
    assert all(hasattr(gouji_rules, name) for name in HOLDERS)


def _imports(path: Path) -> Iterator[tuple[str, set[str]]]:
    tree = ast.parse(path.read_text())
    checking = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node not in checking and isinstance(node, ast.ImportFrom):
            yield node.module or "", {alias.name for alias in node.names}
        elif node not in checking and isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, set()


def test_methods_that_are_not_asked_are_there() -> None:
    """The lists of methods that the gates leave out name methods that exist."""
    names = {method.name for _, method in services()}
    assert names >= NOT_ASKED.keys() | NOT_BY_SEATS.keys()
