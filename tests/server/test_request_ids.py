"""A request id once answered gets that answer from then on, whatever has happened since, also at a killed server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message_factory import GetMessageClass

from gouji.lobby.v1 import lobby_pb2 as lb
from gouji.rules.v1 import rules_pb2
from gouji.table.v1 import state_pb2
from gouji.table.v1 import table_pb2 as tb
from tests.server.raw_client import RawClient, new_id, refusal
from tests.server.test_server_process import QUIET, serving

if TYPE_CHECKING:
    from pathlib import Path

    from google.protobuf.message import Message

PEOPLE = 6
COMMANDS = {
    GetMessageClass(method.input_type)
    for module, service in ((lb, "LobbyService"), (tb, "TableService"))
    for method in module.DESCRIPTOR.services_by_name[service].methods
    if "request_id" in method.input_type.fields_by_name and method.name != "SendChat"
}
"""Every request of a call at tables that carries an id, but for what is said: it is lost with the server."""
CHOOSING = [rules_pb2.OptionSetting(field="seating", value="choose_opposite")]
EVERYTHING = [
    rules_pb2.OptionSetting(field="report", value="asked"),
    rules_pb2.OptionSetting(field="feel_chances", value="3"),
]


@dataclass(frozen=True)
class Said:
    """A command of one person, what it was answered, and how its body could be another."""

    person: int
    request: Any
    answer: Message
    other: dict[str, Any]


class People:
    """Six people at one server, who remember everything that they said."""

    def __init__(self) -> None:
        self.clients: list[RawClient] = []
        self.said: list[Said] = []

    async def connect(self, address: str) -> None:
        """Connect to a server: at first as new guests, later as the same people."""
        before, self.clients = self.clients, [RawClient(address) for _ in range(PEOPLE)]
        for number, client in enumerate(self.clients):
            if before:
                client.session = before[number].session
            else:
                await client.sign_in(f"p{number}")
        for client in before:
            await client.channel.close()

    async def say(self, person: int, request: Any, **other: Any) -> Any:
        """Send a command under a new id; `other` fields make another body."""
        request.request_id = new_id()
        answer = await self.clients[person].call(request)
        self.said.append(Said(person, request, answer, other))
        return answer

    async def repeat_all(self) -> None:
        """Hold that everything that was said gets its answer again, and that its ids are good for nothing else."""
        for said in self.said:
            client = self.clients[said.person]
            assert await client.call(said.request) == said.answer
            if said.other:
                changed = type(said.request)()
                changed.CopyFrom(said.request)
                for name, value in said.other.items():
                    setattr(changed, name, value)
                failed = await refusal(client.call(changed))
                assert (failed.code, failed.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_USED")


async def at_a_waiting_table(people: People) -> str:
    """Say everything that can be said before a match, with and without effect; then undo it, so that each command
    would now do something if it was carried out."""
    say = people.say
    name: str = (await say(0, lb.CreateTableRequest(title="one", options=CHOOSING), title="two")).table.name
    await say(1, lb.JoinTableRequest(name=name, seat=1), seat=2)
    await say(1, lb.JoinTableRequest(name=name), seat=1)
    await say(2, lb.JoinTableRequest(name=name, seat=2), seat=3)
    await say(3, lb.JoinTableRequest(name=name, seat=4))
    for _ in range(2):
        await say(3, lb.ChooseOppositeRequest(name=name, seat=1), seat=2)
    await say(3, lb.ChooseOppositeRequest(name=name, seat=0), seat=2)
    for ready in (False, True, True, False):
        await say(2, lb.SetReadyRequest(name=name, ready=ready), ready=not ready)
    await say(1, lb.LeaveTableRequest(name=name))
    await say(0, lb.AddBotRequest(name=name, seat=5), seat=1)
    await say(4, lb.JoinTableRequest(name=name, seat=4), seat=1)
    await say(4, lb.LeaveTableRequest(name=name))
    await say(4, lb.JoinTableRequest(name=name, seat=4), seat=1)
    return name


async def at_a_private_table(people: People) -> None:
    """The same for what only a private table knows."""
    say = people.say
    made = await say(0, lb.CreateTableRequest(private=True), private=False)
    assert made.join_code
    await say(1, lb.JoinTableRequest(name=made.table.name, join_code=made.join_code), join_code="222222")
    await say(1, lb.LeaveTableRequest(name=made.table.name))
    for _ in range(2):
        await say(0, lb.ResetJoinCodeRequest(name=made.table.name))
    name = made.table.name
    for title in ("a", "b", "b"):
        mask = FieldMask(paths=["title", "private"])
        await say(0, lb.UpdateTableRequest(table=lb.Table(name=name, title=title), update_mask=mask))
    await say(2, lb.JoinTableRequest(name=name))
    await say(0, lb.KickPlayerRequest(name=name, seat=1), ban=True)
    await say(2, lb.JoinTableRequest(name=name))


async def at_a_rematch(people: People) -> None:
    """The same for what is said after a match."""
    say = people.say
    name = (await say(0, lb.CreateTableRequest(title="over"), title="two")).table.name
    for seat in range(1, 6):
        await say(0, lb.AddBotRequest(name=name, seat=seat), seat=0)
    await say(0, lb.SetReadyRequest(name=name, ready=True), ready=False)
    await say(0, tb.ContributeEntropyRequest(table=name, deal=1, entropy=bytes(16)), deal=2)
    await say(0, tb.VoteDissolutionRequest(table=name, agrees=True), agrees=False)
    again = (await say(0, lb.RematchRequest(name=name))).table.name
    await say(0, lb.LeaveTableRequest(name=again))


async def accepted(client: RawClient, table: str) -> tuple[int, tb.Action] | None:
    """Return the open question's decision and something that answers it, if this seat is asked."""
    view = (await client.call(tb.GetViewRequest(table=table))).view
    if view.seat.seat not in view.state.question.seats:
        return None
    plain = [tb.Action(verb=verb) for verb in state_pb2.Verb.values() if verb]
    plays = [tb.Action(verb=state_pb2.VERB_PLAY, cards=[card]) for card in view.seat.hand]
    for action in (*plays, *plain):
        try:
            if (await client.call(tb.CheckPlayRequest(table=table, action=action))).accepted:
                return view.state.question.decision, action
        except grpc.aio.AioRpcError:  # of bad shape: this verb needs cards
            continue
    return None


async def in_a_match(people: People) -> str:
    """The same for what is said during a match."""
    say = people.say
    name: str = (await say(0, lb.CreateTableRequest(options=EVERYTHING), title="two")).table.name
    for person in range(1, PEOPLE):
        await say(person, lb.JoinTableRequest(name=name, seat=person))
    for person in range(PEOPLE):
        await say(person, lb.SetReadyRequest(name=name, ready=True), ready=False)
    for person, client in enumerate(people.clients):
        await client.call(tb.GetViewRequest(table=name))
        await say(person, tb.ContributeEntropyRequest(table=name, deal=1, entropy=bytes(16)), entropy=bytes(17))
    answers = {person: await accepted(client, name) for person, client in enumerate(people.clients)}
    person, answer = next((person, answer) for person, answer in answers.items() if answer is not None)
    move = tb.SubmitActionRequest(table=name, decision=answer[0], action=answer[1])
    await say(person, move, expected_version=1)
    await say(1, tb.AskCountRequest(table=name, seat=0), seat=2)
    await say(1, tb.FeelRequest(table=name))
    await say(1, lb.JoinTableRequest(name=name), seat=1)
    for _ in range(2):
        await say(1, tb.VoteDissolutionRequest(table=name, agrees=True), agrees=False)
    for _ in range(2):
        await say(5, tb.VoteDissolutionRequest(table=name, agrees=False), agrees=True)
    await say(2, tb.VoteDissolutionRequest(table=name, agrees=True), agrees=False)
    for on in (False, True, True, False):
        await say(3, tb.SetAutopilotRequest(table=name, on=on), on=not on)
        await say(4, tb.SetAutoDeclineRequest(table=name, on=on), always=True)
        await say(4, tb.GrantPeekRequest(table=name, ally=2, on=on), on=not on)
    return name


async def test_whatever_was_answered_is_answered_so_again(tmp_path: Path) -> None:
    """Every command with a request id, those that changed nothing among them: repeated after others have undone it, and
    once more after SIGKILL and a restart, it is answered as at first, changes nothing, and is refused with another
    body."""
    arguments = (*QUIET, "--data-dir", str(tmp_path / "data"), "--entropy-wait-seconds", "60")
    people = People()
    async with serving(*arguments) as (process, address):
        await people.connect(address)
        waiting, playing = await at_a_waiting_table(people), await in_a_match(people)
        await at_a_private_table(people)
        await at_a_rematch(people)
        assert {type(said.request) for said in people.said} == COMMANDS

        async def state() -> tuple[Message, ...]:
            asked = (tb.GetViewRequest(table=waiting), tb.GetViewRequest(table=playing))
            return tuple([await client.call(question) for client in people.clients for question in asked])

        before = await state()
        await people.repeat_all()
        assert await state() == before
        process.kill()
        await process.wait()
    async with serving(*arguments) as (_, address):
        await people.connect(address)
        await people.repeat_all()
        assert await state() == before
    for client in people.clients:
        await client.channel.close()
