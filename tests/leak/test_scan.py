"""The third gate: everything that a server says during whole matches is searched for other hands and for secrets."""

from __future__ import annotations

import asyncio
import os
import random
import urllib.request
from collections import defaultdict
from io import StringIO
from typing import TYPE_CHECKING

import pytest
import structlog

import gouji_rules as gr
from gouji.table.v1 import table_pb2
from gouji_rules.cards import format_counts
from gouji_server import logs
from tests.leak.every_call import NOT_ASKED, NOT_BY_SEATS, About, ask, services
from tests.leak.hands_heard import LEAST_CARDS, forms_of_hand, forms_of_secret
from tests.server.raw_client import RawClient
from tests.server.raw_seat import PlayStream, Seat, Story, seated

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

    from gouji_server.tables.table import TableState
    from tests.server.running import Running

    Method = tuple[ServiceDescriptor, MethodDescriptor]

MATCHES = max(1, int(os.environ.get("LEAK_GAMES", "36")) // 36)
"""Matches under each preset."""

pytestmark = [pytest.mark.leak, pytest.mark.slow, pytest.mark.timeout(120 + 60 * MATCHES)]

ASKING = 0.6
"""How often somebody asks for something beside its stream: of its own decisions, and a spectator of its messages."""

WITH_EXAMPLES = "ListRuleSets"
"""What it answers has cards as examples, and nothing of any table."""

METHODS = [(service, method) for service, method in services() if method.name not in {*NOT_ASKED, WITH_EXAMPLES}]
BY_SEATS = [(service, method) for service, method in METHODS if method.name not in NOT_BY_SEATS]


class Listener(PlayStream):
    """A Play stream that keeps every message with the number of deals revealed before it."""

    def __init__(self, client: RawClient) -> None:
        super().__init__(client)
        self.heard: list[tuple[int, bytes]] = []
        self.revealed = 0
        self.secrets: dict[int, list[bytes]] = {}
        self.hands: defaultdict[int, set[tuple[int, ...]]] = defaultdict(set)
        self.plays: set[tuple[int, ...]] = set()
        self.call = _Reading(self.call, self._note)

    def _note(self, response: table_pb2.PlayResponse) -> None:
        for update in response.updates:
            for event in update.events:
                if event.HasField("played"):
                    self.plays.add(tuple(sorted(event.played.play.cards)))
                if event.HasField("deal_revealed"):
                    told = event.deal_revealed
                    given = [entropy.entropy for entropy in sorted(told.entropies, key=lambda one: one.seat)]
                    self.secrets[self.revealed] = [told.secret, gr.deal_seed(told.secret, given)]
                    self.revealed += 1
            if update.HasField("seat"):
                self.hands[self.revealed].add(tuple(sorted(update.seat.hand)))
        if not any(event.HasField("deal_revealed") for update in response.updates for event in update.events):
            self.heard.append((self.revealed, response.SerializeToString()))

    def keep(self, revealed: int, answers: list[bytes]) -> None:
        """Keep what a call answered, unless a deal came to its end meanwhile."""
        if revealed == self.revealed:
            self.heard += [(revealed, answer) for answer in answers]


class _Reading:
    """A call whose messages are noted as they are read."""

    def __init__(self, call: object, note: Callable[[table_pb2.PlayResponse], None]) -> None:
        self._call = call
        self._note = note

    def __getattr__(self, name: str) -> object:
        return getattr(self._call, name)

    async def read(self) -> object:
        response = await self._call.read()  # type: ignore[attr-defined]
        if isinstance(response, table_pb2.PlayResponse):
            self._note(response)
        return response


class Questions:
    """Methods to ask, each in its turn, in an order of the dice."""

    def __init__(self, methods: list[Method], dice: random.Random) -> None:
        self._order = dice.sample(methods, len(methods))
        self.asked = 0

    def take(self) -> Method:
        """Return the next one."""
        self.asked += 1
        return self._order[self.asked % len(self._order)]

    @property
    def all_asked(self) -> bool:
        """Whether each was asked."""
        return self.asked >= len(self._order)


class Asker(Seat):
    """A seat that asks for whatever there is, now and then, while it plays."""

    def __init__(self, client: RawClient, table: str, seed: int, number: int, questions: Questions) -> None:
        super().__init__(client, table, seed)
        self.number = number
        self._questions = questions

    async def follow(self) -> None:
        self.stream = Listener(self.client)
        result = await self.stream.subscribe(self.table)
        assert not result.HasField("error"), result

    @property
    def ears(self) -> Listener:
        assert isinstance(self.stream, Listener)
        return self.stream

    async def next_request(self, story: Story | None = None) -> table_pb2.SubmitActionRequest:
        if self.dice.random() < ASKING:
            await self.ask()
        return await super().next_request(story)

    async def ask(self) -> None:
        """Ask the next method, about another seat."""
        service, method = self._questions.take()
        about = About(self.table, self.client.account, (self.number + self.dice.randrange(1, 6)) % 6)
        revealed = self.ears.revealed
        self.ears.keep(revealed, await ask(self.client, service, method, about))


@pytest.fixture
def log_lines(own_logging: None) -> StringIO:
    """Everything that is logged, at the most talkative level."""
    out = StringIO()
    logs.set_up("debug", "json", out)
    return out


async def figures(port: int | None) -> bytes:
    """The server's figures."""

    def fetch() -> bytes:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            text: bytes = answer.read()
            return text

    return await asyncio.to_thread(fetch)


async def watch(watcher: Asker) -> None:
    """Follow to the end without a seat, and ask for everything that there is on the way."""
    while not watcher.story.closed:
        if watcher.dice.random() < ASKING:
            await watcher.ask()
        assert await watcher.stream.read(), "the stream ended before the table was closed"


async def play_and_scan(running: Running, rules: str, seed: int, lines: StringIO) -> int:
    """Play a match of one deal in which all ask for much; search what was said; return how much was searched."""
    owner = await running.player("owner")
    players = [await running.player(f"p{n}") for n in range(7)]
    table = await seated(owner, players[:6], deals=1, rule_set=f"ruleSets/{rules}")
    by_seats, by_watcher = (Questions(methods, random.Random(seed)) for methods in (BY_SEATS, METHODS))
    asked = [by_seats] * 6 + [by_watcher]
    askers = [Asker(players[number], table, seed * 7 + number, number, asked[number]) for number in range(7)]
    for asker in askers:
        await asker.follow()
    told = [await figures(running.server.metrics_port)]
    await asyncio.gather(*(asker.play() for asker in askers[:6]), watch(askers[6]))
    told.append(await figures(running.server.metrics_port))
    written = lines.getvalue().encode() + b"".join(told)
    assert askers[0].ears.secrets
    assert by_seats.all_asked
    assert by_watcher.all_asked
    searched = search(
        written, [form for asker in askers[:6] for form in needles(asker, askers[6].ears.plays)], "the log"
    )
    return searched + sum(search_heard(asker, askers) for asker in askers)


def needles(asker: Asker, plays: set[tuple[int, ...]]) -> list[bytes]:
    """Everything that nobody else may be told: the hands that a seat held, but those that it put down at once."""
    hands = {hand for held in asker.ears.hands.values() for hand in held if len(hand) >= LEAST_CARDS}
    assert hands
    return [form for hand in hands - plays for form in forms_of_hand(hand)]


def search_heard(reader: Asker, askers: list[Asker]) -> int:
    """Search what one reader heard for the hands of the others, and for secrets of deals that were not over."""
    secrets = reader.ears.secrets
    hands = [form for other in askers[:6] if other is not reader for form in needles(other, reader.ears.plays)]
    searched = 0
    for deal, data in reader.ears.heard:
        if deal in secrets:
            forms = [
                form for later in range(deal, len(secrets)) for one in secrets[later] for form in forms_of_secret(one)
            ]
            searched += search(data, hands + forms, f"what {reader.number} heard")
    return searched


def search(data: bytes, forms: list[bytes], where: str) -> int:
    """Hold that none of the forms stands in the data."""
    for form in forms:
        assert form not in data, f"{where} tells {form!r}"
    return len(data)


@pytest.mark.parametrize("rules", gr.PRESETS)
async def test_nothing_said_in_whole_matches_has_a_hidden_hand_or_a_secret(
    rules: str, start_server: Callable[..., Running], log_lines: StringIO
) -> None:
    """Streams, answers and refusals of every method, log lines at the most talkative level and the server's figures
    hold no other seat's hand and no secret of a running deal, in no form that hands and secrets are written in."""
    for number in range(MATCHES):
        async with start_server(metrics_port=0, entropy_wait_seconds=0) as running:
            assert await play_and_scan(running, rules, number, log_lines) > 100_000


def _log_a_hand(patch: pytest.MonkeyPatch) -> None:
    """Have a line of the log hold a hand."""
    from gouji_server.tables.table import TableState

    honest = TableState._after_deal_input

    def leak(self: TableState, effect: object) -> None:
        honest(self, effect)  # type: ignore[arg-type]
        assert self.deal is not None
        text = format_counts(self.deal.hand(3))
        structlog.get_logger("gouji.test").debug("planted", text=text)

    patch.setattr(TableState, "_after_deal_input", leak)


def _tell_the_secret(patch: pytest.MonkeyPatch) -> None:
    """Have a refusal's detail be the running deal's secret."""
    from gouji_server.tables import seat_queries

    honest = seat_queries.check

    def leak(state: TableState, account: str, action: table_pb2.Action) -> table_pb2.CheckPlayResponse:
        answer = honest(state, account, action)
        answer.error.metadata["hint"] = state.proof.secret.hex()
        return answer

    patch.setattr(seat_queries, "check", leak)


@pytest.mark.parametrize("leak", [_log_a_hand, _tell_the_secret])
async def test_the_scan_finds_what_is_there(
    leak: Callable[[pytest.MonkeyPatch], None],
    monkeypatch: pytest.MonkeyPatch,
    start_server: Callable[..., Running],
    log_lines: StringIO,
) -> None:
    """A hand in a log line and a secret in a refusal's detail are found within one match."""
    leak(monkeypatch)
    async with start_server(metrics_port=0, entropy_wait_seconds=0) as running:
        with pytest.raises(AssertionError, match="tells"):
            await play_and_scan(running, "qingdao", 1, log_lines)
