"""A table of the fake server: a match by the real rules, told as a server tells it."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import grpc

import gouji_bots
import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2, state_pb2, table_pb2
from gouji_client.testing import seating, told
from gouji_client.testing.fake_setting import SEATS, info_of, opponents_of
from gouji_client.testing.fake_steps import Standing, Step, asked_now, copied
from gouji_client.testing.opponents import DECLINER, Opponent, opponent_of
from gouji_client.testing.refusals import Refusal, stale

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from gouji_client.testing.fake_setting import Setting


class FakeTable:
    """A table of six: clients at `setting.seats`, opponents everywhere else, who answer at once.

    Every change makes a `Step`; `steps` are all of them, the first one being the empty table.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.steps: list[Step] = []
        self.epoch = 1
        self.decision = 0
        self.deal: gr.Deal | None = None
        self.match = gr.Match(setting.rules, setting.deals)
        self.deals: list[gr.Deal] = []
        self.records: list[str] = []
        self.answers: list[tuple[int, str]] = []
        self.on_change: Callable[[], None] = lambda: None
        self._rng = random.Random(setting.seed)  # noqa: S311 - a game for tests
        self._opponents = opponents_of(setting, self._rng)
        self._autopilot: dict[int, Opponent | None] = {}
        self._auto_decline: dict[int, bool] = {}
        self._banned: set[str] = set()
        self._came: list[str] = []
        self._secrets = 0
        self._secret = b""
        self._n = 0
        self._p = [0] * 6
        self._parts = [state_pb2.SeatPart(seat=seat) for seat in SEATS]
        self._felt: list[list[state_pb2.FeltHand]] = [[] for _ in SEATS]
        self._deal_started: events_pb2.DealStarted | None = None
        self.info = info_of(setting, self._opponents)
        self._tell([])

    @property
    def name(self) -> str:
        """`tables/{table}`."""
        return self.setting.name

    @property
    def n(self) -> int:
        """The number of the last event."""
        return self._n

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.info.state == lobby_pb2.TABLE_STATE_FINISHED

    # ── seats ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def seat_of(self, account: str) -> int | None:
        """Return the seat of an account, None if it has none."""
        return next((p.seat for p in self.info.players if account and p.account == account), None)

    def join(self, account: str, display_name: str, seat: int | None, *, bot: bool = False) -> int:
        """Seat an account. Raises `Refusal`."""
        sits = self.seat_of(account)
        if sits is not None:
            return sits
        self.require_waiting()
        if account in self._banned:
            raise seating.not_welcome()
        taken = seating.pick(self.info.players, seat, account)
        self._came.append(account)
        self._change_seat(lobby_pb2.Player(seat=taken, account=account, display_name=display_name, is_bot_account=bot))
        return taken

    def leave(self, account: str) -> None:
        """Free the seat of an account. Raises `Refusal`."""
        seat = self._waiting_seat(account)
        self.info.players[(seat + 3) % 6].opposite_chosen = False
        self._came.remove(account)
        kept = account if self.info.HasField("reserved_until") and not self.info.owner else ""
        self._change_seat(lobby_pb2.Player(seat=seat, reserved_for=kept))
        if account == self.info.owner and self._came:
            self.info.owner = self._came[0]
            self._tell([events_pb2.TableEvent(table_changed=events_pb2.TableChanged(fields=["owner"]))], info=True)
        if not self._came and not kept and self.info.owner:
            self.close(events_pb2.CLOSE_REASON_EMPTY)

    def set_ready(self, account: str, *, ready: bool) -> None:
        """Note that an account is ready; with six ready seats the match begins. Raises `Refusal`."""
        player = lobby_pb2.Player()
        player.CopyFrom(self.info.players[self._waiting_seat(account)])
        if player.ready == ready:
            return
        player.ready = ready
        self._change_seat(player)
        self._begin_if_ready()

    def _begin_if_ready(self) -> None:
        if all(p.ready for p in self.info.players):
            events = []
            if self.setting.rules.seating == "draw":
                events.append(self._move(self._rng.sample(SEATS, len(SEATS))))
            self.info.state = lobby_pb2.TABLE_STATE_PLAYING
            started = events_pb2.TableEvent()
            started.match_started.deals = self.setting.deals
            self._tell([*events, started], info=True)
            self._start_deal()
            self._play_opponents()

    def choose_opposite(self, account: str, wanted: int) -> int:
        """Seat an account opposite of who sits at `wanted`; return its seat then. Raises `Refusal`."""
        seat = self._waiting_seat(account)
        order = seating.order_of_choice(self.setting.rules, self.info.players, seat, wanted)
        if order is None:
            return seat
        self._tell([self._move(order, chooser=order[seat])], info=True)
        return order[seat]

    def _move(self, order: Sequence[int], chooser: int | None = None) -> events_pb2.TableEvent:
        self._opponents = {order[seat]: opponent for seat, opponent in self._opponents.items()}
        return seating.move(self.info.players, order, chooser)

    def fill(self, seat: int | None, policy: str) -> int:
        """Put an opponent in a free seat, the lowest if none is named. Raises `Refusal`."""
        self.require_waiting()
        taken = seating.pick(self.info.players, seat)
        self._opponents[taken] = opponent_of(policy, random.Random(self._rng.random()))  # noqa: S311
        self._change_seat(lobby_pb2.Player(seat=taken, display_name=f"{policy} {taken}", bot=policy, ready=True))
        self._begin_if_ready()
        return taken

    def own(self, account: str, title: str, deals: int) -> None:
        """Give the table, at which nobody sits yet, an owner who says what is played."""
        self.setting = replace(self.setting, deals=deals)
        self.match = gr.Match(self.setting.rules, deals)
        self.info.owner, self.info.title, self.info.deals = account, title, deals

    def change(self, wanted: lobby_pb2.Table, fields: Collection[str]) -> None:
        """Take fields of the lobby facts over. Raises `Refusal`."""
        self.require_waiting()
        changed = sorted(field for field in fields if getattr(wanted, field) != getattr(self.info, field))
        if not changed:
            return
        for field in changed:
            setattr(self.info, field, getattr(wanted, field))
        told_changes = events_pb2.TableEvent(table_changed=events_pb2.TableChanged(fields=changed))
        events = [told_changes]
        if "deals" in changed:
            self.own(self.info.owner, self.info.title, wanted.deals)
            for player in self.info.players:
                if player.ready and player.account:
                    player.ready = False
                    events.append(events_pb2.TableEvent(seat_changed=events_pb2.SeatChanged(player=player)))
        self._tell(events, info=True)

    def kick(self, owner: str, seat: int, account: str, *, ban: bool) -> None:
        """Take a seat from who sits there. Raises `Refusal`."""
        self.require_waiting()
        player = lobby_pb2.Player()
        player.CopyFrom(self.info.players[seat])
        if not player.account and not player.bot:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "NOBODY_THERE", "nobody sits there", "那里没有人")
        if player.account == owner:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "KICK_ANOTHER", "not oneself", "不能请出自己")
        if account and player.account != account:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "ANOTHER_THERE", "somebody else is there", "已换了人")
        if ban and player.account:
            self._banned.add(player.account)
        self._opponents.pop(seat, None)
        self._came = [came for came in self._came if came != player.account]
        kicked = events_pb2.PlayerKicked(
            seat=seat, account=player.account, display_name=player.display_name, banned=ban and bool(player.account)
        )
        self.info.players[(seat + 3) % 6].opposite_chosen = False
        self.info.players[seat].CopyFrom(lobby_pb2.Player(seat=seat))
        freed = events_pb2.SeatChanged(player=self.info.players[seat])
        self._tell([events_pb2.TableEvent(player_kicked=kicked), events_pb2.TableEvent(seat_changed=freed)], info=True)

    def unreserve(self) -> None:
        """Keep seats for nobody any more; a table that nobody has come to is closed."""
        self.info.ClearField("reserved_until")
        for player in self.info.players:
            player.ClearField("reserved_for")
        self.tell_info()
        if self.info.state == lobby_pb2.TABLE_STATE_WAITING and not any(p.account for p in self.info.players):
            self.close(events_pb2.CLOSE_REASON_EMPTY)

    def close(self, reason: events_pb2.CloseReason.ValueType) -> None:
        """Close the table before its match."""
        self.info.state = lobby_pb2.TABLE_STATE_FINISHED
        self._tell([events_pb2.TableEvent(table_closed=events_pb2.TableClosed(reason=reason))], info=True)

    def tell_info(self) -> None:
        """Take note that the lobby facts were changed from outside."""
        self._tell([], info=True)

    def require_over(self) -> None:
        """Raise `Refusal` unless its match is over."""
        if self.info.state == lobby_pb2.TABLE_STATE_WAITING:
            text = "the match has not begun"
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "MATCH_NOT_STARTED", text, "牌局尚未开始")
        if not self.over:
            text = "the match is not over yet"
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "MATCH_RUNNING", text, "牌局尚未结束")

    def require_waiting(self) -> None:
        """Raise `Refusal` unless its match has not begun."""
        if self.over:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "TABLE_CLOSED", "the table is closed", "牌桌已经关闭")
        if self.info.state != lobby_pb2.TABLE_STATE_WAITING:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "MATCH_STARTED", "the match has begun", "牌局已经开始")

    def _waiting_seat(self, account: str) -> int:
        self.require_waiting()
        seat = self.seat_of(account)
        if seat is None:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "NO_SEAT", "you have no seat here", "你在这里没有座位")
        return seat

    def _change_seat(self, player: lobby_pb2.Player) -> None:
        self.info.players[player.seat].CopyFrom(player)
        event = events_pb2.TableEvent()
        event.seat_changed.player.CopyFrom(player)
        self._tell([event], info=True)

    # ── playing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def answer(self, seat: int, decision: int, action: gr.Action, cards: Sequence[gr.Card] | None) -> int:
        """Carry a client's answer out, let the opponents go on, and return the table's `n` right after the answer.

        Raises `Refusal`.
        """
        if self.deal is None or decision != self.decision:
            raise stale()
        self._apply(seat, action, cards)
        version = self._n
        self._play_opponents()
        return version

    def _apply(self, seat: int, action: gr.Action, cards: Sequence[gr.Card] | None) -> None:
        assert self.deal is not None  # noqa: S101 - only called while one runs
        before = asked_now(self.deal)
        try:
            events = [told.event_message(event) for event in self.deal.apply(seat, action, cards)]
        except gr.RuleViolation as error:
            raise Refusal.by_rule(error) from error
        self.answers.append((seat, gr.format_action(action)))
        same = asked_now(self.deal) == before
        if not events and not same:
            opened = events_pb2.TableEvent()
            opened.question_opened.SetInParent()
            events.append(opened)
        # A call is told at once, and the others are asked as before (R42).
        self._tell(events, deal=bool(events), ask=not (same and self.deal.public.kind == gr.Kind.CALL))

    def default(self, seat: int) -> None:
        """Answer for a seat as an expired clock does."""
        assert self.deal is not None  # noqa: S101 - only called while one runs
        self._apply(seat, self.deal.default_action(seat), None)
        self._play_opponents()

    def set_autopilot(self, seat: int, *, on: bool) -> int:
        """Have a bot play a client's seat, or no longer; return the table's `n` right after. Raises `Refusal`."""
        self._running()
        if (seat in self._autopilot) != on:
            reasons = events_pb2.AutopilotReason
            asked = reasons.AUTOPILOT_REASON_ASKED if on else reasons.AUTOPILOT_REASON_TAKEN_BACK
            pilot = opponent_of("simple", random.Random(self._rng.random()))  # noqa: S311
            self.change_pilot(seat, pilot, on=on, reason=asked)
        version = self._n
        self._play_opponents()
        return version

    def set_auto_decline(self, seat: int, *, on: bool, always: bool) -> int:
        """Decline for a client's seat in the windows to come, at once, or no longer; return the table's `n`."""
        self._running()
        if on:
            self._auto_decline[seat] = always
        else:
            self._auto_decline.pop(seat, None)
        self._tell([])
        return self._n

    def _player_of(self, seat: int, deal: gr.Deal) -> Opponent | None:
        """Return who answers for a seat; None where its client does."""
        if seat in self._auto_decline and deal.public.kind == gr.Kind.WINDOW:
            return DECLINER
        return self._opponents.get(seat) or self._autopilot.get(seat)

    def change_pilot(
        self, seat: int, pilot: Opponent | None, *, on: bool, reason: events_pb2.AutopilotReason.ValueType
    ) -> None:
        """Have a bot play a client's seat from the next answer on (None: one that thinks for ever), or no longer."""
        if on:
            self._autopilot[seat] = pilot
        else:
            del self._autopilot[seat]
        event = events_pb2.TableEvent()
        event.autopilot_changed.seat, event.autopilot_changed.on = seat, on
        event.autopilot_changed.reason = reason
        self._tell([event], deal=True, ask=False)

    def _running(self) -> gr.Deal:
        """Return the deal that is played. Raises `Refusal`."""
        if self.over:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "TABLE_CLOSED", "the table is closed", "牌桌已经关闭")
        if self.deal is None:
            text = "the match has not begun"
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "MATCH_NOT_STARTED", text, "牌局尚未开始")
        return self.deal

    def ask_count(self, asker: int, of: int) -> tuple[int, int | None]:
        """Tell all how many cards a seat holds; return the table's `n` and the count told, None for more than ten.

        Raises `Refusal`.
        """
        deal = self._running()
        try:
            said = deal.ask_count(asker, of)
        except gr.RuleViolation as error:
            raise Refusal.by_rule(error) from error
        self._tell([told.event_message(said)])
        return self._n, said.count if said.count >= 0 else None

    def feel(self, seat: int) -> tuple[int, state_pb2.FeltHand]:
        """Feel the hand opposite; return the table's `n` and what was felt. Raises `Refusal`."""
        deal = self._running()
        try:
            said, (least, most) = deal.feel(seat)
        except gr.RuleViolation as error:
            raise Refusal.by_rule(error) from error
        felt = state_pb2.FeltHand(least=least, most=most)
        self._felt[seat].append(felt)
        self._tell([told.event_message(said)], deal=True, ask=False)
        return self._n, felt

    def vote_dissolution(self, seat: int, *, agrees: bool) -> int:
        """Take a client's vote for or against ending the match, opponents being for it; return the table's `n`."""
        deal = self._running()
        changes = seat not in self._for_ending() if agrees else bool(self.match.agreed)
        if not changes:
            return self._n
        vote = events_pb2.TableEvent()
        vote.dissolution_voted.seat, vote.dissolution_voted.agrees = seat, agrees
        if not agrees:
            self.match.object_to_dissolving(seat)
            self._tell([vote], deal=True, ask=False)
            return self._n
        dissolved = None
        for agreeing in (*self._opponents, seat):
            dissolved = self.match.agree_to_dissolve(agreeing)
        events = [vote]
        if dissolved is not None:
            ended, closed = events_pb2.TableEvent(), events_pb2.TableEvent()
            ended.match_ended.scores.extend(self.match.scores)
            ended.match_ended.reason = events_pb2.MATCH_END_REASON_DISSOLVED
            closed.table_closed.reason = events_pb2.CLOSE_REASON_MATCH_OVER
            self.info.state = lobby_pb2.TABLE_STATE_FINISHED
            self.decision = 0
            revealed = told.revealed_message(deal, self._secret)
            events += [told.event_message(dissolved), revealed, ended, closed]
        self._tell(events, info=dissolved is not None, deal=True, ask=False)
        return self._n

    def _for_ending(self) -> tuple[int, ...]:
        return tuple(seat for seat in SEATS if self.match.agreed >> seat & 1 and seat not in self._opponents)

    def _play_opponents(self) -> None:
        """Let the opponents answer until a client is asked, or the match is over."""
        while not self.over:
            deal = self.deal
            if deal is None or deal.over:
                self._start_deal()
                continue
            asked = ((s, self._player_of(s, deal)) for s in SEATS if deal.is_asked(s))
            seat, player = next(((s, player) for s, player in asked if player is not None), (-1, None))
            if player is None:
                return
            view = deal.view(seat)
            action = player.choose(view)
            self._apply(seat, action, gouji_bots.choose_cards(view.cards, action, self._rng))

    def _start_deal(self) -> None:
        number = self.match.deal_number
        self._secret = hashlib.sha256(f"{self.setting.seed}/{self._secrets}".encode()).digest()
        self._secrets += 1
        hands = self.setting.hands
        if hands is not None and number == 1:
            self.deal = gr.Deal.from_hands(self.setting.rules, hands, self.setting.lead)
        else:
            self.deal = self.match.start_deal(gr.deal_seed(self._secret))
        self.deals.append(self.deal)
        self._felt = [[] for _ in SEATS]
        self._auto_decline = {seat: True for seat, always in self._auto_decline.items() if always}
        begun = events_pb2.TableEvent()
        begun.deal_started.deal = number
        begun.deal_started.commitment = gr.commitment(self._secret)
        self._deal_started = begun.deal_started
        self._tell([begun, *(told.event_message(event) for event in self.deal.start_events)], deal=True)

    # ── telling ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def renumber(self) -> None:
        """Begin another numbering: places of the old one mean nothing any more."""
        self.epoch += 1
        self._p = [0] * 6
        self._n += 1000
        self.decision += 1000 if self.decision else 0
        step = self._make_step([], (False,) * 6, info=True)
        self.steps = [step]

    def _tell(
        self, events: list[events_pb2.TableEvent], *, info: bool = False, deal: bool = False, ask: bool = True
    ) -> None:
        """Make a step of what happened, with what follows from it."""
        if deal and self.deal is not None and self.deal.over:
            events += self._end_deal(self.deal)
            info = info or self.over
        for event in events:
            self._n += 1
            event.n = self._n
        if deal and ask and self.deal is not None:
            self.decision = 0 if self.deal.over else self._n
        changed = self._new_parts()
        self.steps.append(self._make_step(events, changed, info=info, deal=deal))
        self.on_change()

    def _end_deal(self, deal: gr.Deal) -> list[events_pb2.TableEvent]:
        step = self.match.finish(deal)
        revealed = told.revealed_message(deal, self._secret)
        if not step.result.void:
            revealed.deal_revealed.record = deal.reveal().record
            self.records.append(revealed.deal_revealed.record)
        if not step.over:
            return [revealed]
        ended, closed = events_pb2.TableEvent(), events_pb2.TableEvent()
        ended.match_ended.scores.extend(step.scores)
        played = self.match.deals and self.match.deal_number >= self.match.deals
        reasons = events_pb2.MatchEndReason
        ended.match_ended.reason = reasons.MATCH_END_REASON_DEALS if played else reasons.MATCH_END_REASON_SWEEP
        closed.table_closed.reason = events_pb2.CLOSE_REASON_MATCH_OVER
        self.info.state = lobby_pb2.TABLE_STATE_FINISHED
        lots = [told.event_message(step.lot)] if step.lot is not None else []
        return [revealed, *lots, ended, closed]

    def _new_parts(self) -> tuple[bool, ...]:
        """Bring the private halves up to date and return which seats have something new to hear."""
        changed = []
        for seat in SEATS:
            part = state_pb2.SeatPart(seat=seat)
            if self.deal is not None:
                part.hand.extend(self.deal.cards(seat))  # type: ignore[arg-type]  # numbered alike
                part.answered = self.deal.pending(seat)
                part.felt.extend(self._felt[seat])
                part.auto_decline = seat in self._auto_decline
                part.auto_decline_always = self._auto_decline.get(seat, False)
            changed.append(part != self._parts[seat])
            self._p[seat] += changed[seat]
            self._parts[seat] = part
        return tuple(changed)

    def _make_step(
        self, events: list[events_pb2.TableEvent], changed: tuple[bool, ...], *, info: bool = False, deal: bool = False
    ) -> Step:
        now = Standing(
            info=copied(self.info),
            public=self.deal.public_view() if self.deal is not None else None,
            decision=self.decision,
            scores=tuple(self.match.scores),
            deal_started=self._deal_started,
            for_ending=self._for_ending(),
            autopilot=tuple(self._autopilot),
        )
        public = table_pb2.TableUpdate(table=self.name, epoch=self.epoch, n=self._n, events=events)
        if info:
            public.table_info.CopyFrom(self.info)
        if deal and (state := now.state()) is not None:
            public.state.CopyFrom(state)
        return Step(public, tuple(self._parts), changed, tuple(self._p), now)
