"""Making a finished match out of its table's journal: what is kept of it, complete in itself.

The journal is folded as in recovery, digests compared. Steps are kept as they were told, so that a replay says the same
whatever later versions of the rules would make of the inputs.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji.replay.v1 import replay_pb2
from gouji.table.v1 import events_pb2, state_pb2, table_pb2
from gouji_rules.records import record_of_match, write_record
from gouji_server.records.matches import FinishedMatch, MatchPart
from gouji_server.replays.scene import Scene
from gouji_server.tables import happenings
from gouji_server.tables.story import Story

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.fairness import Proof
    from gouji_server.journal import Entry
    from gouji_server.tables import Limits
    from gouji_server.tables.table import Effect

ACCOUNTS = "accounts/"
MATCHES = "matches/"

_SLICE = 40
"""Entries folded before others get their turn: some milliseconds."""


@dataclass(slots=True)
class _Part:
    """A part being made: `deal` is None before the first."""

    opening: replay_pb2.ReplayStep
    said: str
    deal: replay_pb2.MatchDeal | None = None
    steps: list[replay_pb2.ReplayStep] = field(default_factory=list)

    def packed(self) -> MatchPart:
        """Return it as it is kept."""
        steps = replay_pb2.WatchReplayResponse(steps=self.steps)
        return MatchPart(
            last_step=self.steps[-1].step if self.steps else self.opening.step,
            opening=zlib.compress(self.opening.SerializeToString()),
            said=self.said,
            deal=b"" if self.deal is None else self.deal.SerializeToString(),
            steps=zlib.compress(steps.SerializeToString()),
        )


class _Retelling:
    """A match being made out of entries."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.story = Story(name, limits)
        self.started = 0
        self.ended: happenings.MatchEnded | None = None
        self._scene = Scene()
        self._part = _Part(self._scene.opening(), json.dumps(self._scene.said))
        self._packed: list[MatchPart] = []
        self._deals: list[gr.Deal] = []
        self._proofs: list[Proof] = []
        self._facts: list[replay_pb2.MatchDeal] = []
        self._steps = 0

    def take(self, entry: Entry) -> None:
        """Fold one entry. Raises Diverged."""
        effect, public, private = self.story.retell(entry)
        if not (effect.happened or effect.info_changed or private):
            return
        parts = [_without_settings(table_pb2.TableUpdate.FromString(said).seat) for said in private.values()]
        if not (effect.happened or effect.info_changed) and all(map(self._scene.knows, parts)):
            return  # a player's setting: that it was changed at all is nobody else's to know
        self._steps += 1
        if effect.new_deal:
            self._begin_deal()
        step = replay_pb2.ReplayStep(step=self._steps, update=table_pb2.TableUpdate.FromString(public), seats=parts)
        self._part.steps.append(step)
        self._note(effect)
        self._scene.take(step)

    def _begin_deal(self) -> None:
        match, deal = self.story.state.match, self.story.state.deal
        if match is None or deal is None:
            raise ValueError("a deal without a match")
        self._packed.append(self._part.packed())
        self._deals.append(deal)
        self._proofs.append(self.story.state.proof)
        facts = replay_pb2.MatchDeal(deal=match.deal_number, first_step=self._steps, cut_off=True)
        self._facts.append(facts)
        self._part = _Part(self._scene.opening(), json.dumps(self._scene.said), facts)

    def _note(self, effect: Effect) -> None:
        for said in effect.happened:
            if isinstance(said, happenings.MatchStarted):
                self.started = effect.time
            elif isinstance(said, happenings.MatchEnded):
                self.ended = said
            elif isinstance(said, gr.DealEnded):
                facts = self._facts[-1]
                facts.cut_off = False
                facts.places.extend(said.places)
                facts.scores.extend(said.scores)
                facts.sweep = said.sweep
            elif isinstance(said, gr.DealVoided):
                self._facts[-1].cut_off = False
                self._facts[-1].void = True

    def finished(self, match_id: str) -> FinishedMatch | None:
        """Return the match, None if none was played to an end."""
        state = self.story.state
        if self.ended is None or state.match is None:
            return None
        self._packed.append(self._part.packed())
        info = state.info()
        facts = replay_pb2.Match(
            name=MATCHES + match_id,
            table=state.name,
            title=info.title,
            rule_set=info.rule_set,
            options=info.options,
            deals=info.deals,
            players=info.players,
            scores=self.ended.scores,
            end_reason=events_pb2.MatchEndReason.ValueType(self.ended.reason),
            open_to_all=info.spectators_allowed and not info.private,
            deals_begun=len(self._deals),
            steps=self._steps,
            rated=state.rated,
        )
        if state.match.lot is not None:
            facts.lot = state.match.lot.team
        facts.start_time.FromMilliseconds(self.started)
        facts.end_time.FromMilliseconds(state.time)
        record = record_of_match(state.match, self._deals)
        deals = (replace(part, proof=proof) for part, proof in zip(record.deals, self._proofs, strict=True))
        text = write_record(replace(record, deals=tuple(deals)))
        people = dict.fromkeys(player.account for player in info.players if player.account)
        return FinishedMatch(
            id=match_id,
            table=state.name,
            rule_set=info.rule_set,
            ended=state.time,
            open_to_all=info.spectators_allowed and not info.private,
            open_from=state.time + state.spectator_delay_ms,
            accounts=tuple(account.removeprefix(ACCOUNTS) for account in people),
            facts=facts.SerializeToString(),
            record=zlib.compress(text.encode()),
            parts=tuple(self._packed),
        )


def _without_settings(part: state_pb2.SeatPart) -> state_pb2.SeatPart:
    """Return what a seat was told without what its player had set for itself: a replay tells the cards to all."""
    part.ClearField("auto_decline")
    part.ClearField("auto_decline_always")
    part.ClearField("peeked")
    part.ClearField("peek_granted")
    return part


async def retold(name: str, entries: Sequence[Entry], limits: Limits, match_id: str) -> FinishedMatch | None:
    """Return the match of a journal, None if none was played to an end. Raises Diverged."""
    retelling = _Retelling(name, limits)
    for at, entry in enumerate(entries):
        retelling.take(entry)
        if at % _SLICE == _SLICE - 1:
            await asyncio.sleep(0)
    return retelling.finished(match_id)
