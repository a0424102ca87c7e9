"""Scenes of a table made by hand, for the tests of what the terminal shows."""

from __future__ import annotations

from gouji.cards.v1 import cards_pb2
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2, state_pb2, table_pb2
from gouji_cli.scene import Scene
from gouji_client.story import Update
from gouji_client.view import view_of_snapshot

NAMES = ("泰山", "崂山", "蓬莱", "趵突泉", "沂蒙", "曲阜")


def table(names: tuple[str, ...] = NAMES) -> lobby_pb2.Table:
    """Return a table of six people."""
    players = [lobby_pb2.Player(seat=seat, display_name=name, ready=True) for seat, name in enumerate(names)]
    return lobby_pb2.Table(name="tables/t", rule_set="ruleSets/qingdao", deals=3, players=players)


def burn_play(seat: int = 4) -> state_pb2.PlayedCards:
    """Return a burn with two big jokers, three kings and a two."""
    return state_pb2.PlayedCards(
        seat=seat,
        cards=[11, 11, 24, 13, 54, 54],  # type: ignore[list-item]
        play=cards_pb2.Play(rank=cards_pb2.RANK_KING, naturals=3, twos=1, big_jokers=2, gouji=True),
        manner=state_pb2.MANNER_BURN,
        trick=5,
    )


def deal_state() -> state_pb2.DealState:
    """Return a deal in which 4 burns 2, 3 has finished first, 0 is headless and 1 has seven cards left."""
    state = state_pb2.DealState(deal=2, phase=state_pb2.PHASE_PLAY, scores=[4, 0])
    for seat in range(6):
        state.seats.add(seat=seat, standing=state_pb2.STANDING_ACTIVE, connected=True)
    state.seats[3].standing = state_pb2.STANDING_FINISHED
    state.seats[3].place = 1
    state.seats[1].cards_left = 7
    state.seats[0].headless = True
    state.trick.CopyFrom(state_pb2.TrickState(number=5, leader=2, top=burn_play()))
    state.burn.CopyFrom(state_pb2.BurnState(burner=4, burned=2))
    state.question.CopyFrom(state_pb2.Question(kind=state_pb2.QUESTION_KIND_FOLLOW, seats=[1]))
    return state


def event(**kind: object) -> events_pb2.TableEvent:
    """Return a table event of one kind."""
    return events_pb2.TableEvent(**kind)  # type: ignore[arg-type]


class Story:
    """A table's story as a spectator's client tells it: a snapshot, then steps."""

    def __init__(self, names: tuple[str, ...] = NAMES, snapshot: table_pb2.Snapshot | None = None) -> None:
        first = table_pb2.TableUpdate(
            table="tables/t", table_info=table(names), snapshot=snapshot or table_pb2.Snapshot()
        )
        if snapshot is not None:
            first.state.CopyFrom(deal_state())
        self._view = view_of_snapshot(first)
        self.scene = Scene()
        self.first = Update("tables/t", (), self._view, table_pb2.SNAPSHOT_REASON_FIRST)
        self.scene.apply(self.first)

    def step(self, *events: events_pb2.TableEvent, state: state_pb2.DealState | None = None) -> Update:
        """Let something happen; the scene takes it in."""
        self._view = self._view.after(table_pb2.TableUpdate(table="tables/t", events=events, state=state))
        update = Update("tables/t", events, self._view)
        self.scene.apply(update)
        return update


def in_progress(names: tuple[str, ...] = NAMES, state: state_pb2.DealState | None = None) -> Scene:
    """Return a scene in which a burn lies on the table."""
    story = Story(names)
    story.step(
        event(deal_started=events_pb2.DealStarted(deal=2)),
        event(passed=events_pb2.Passed(seat=5)),
        event(played=events_pb2.Played(play=burn_play())),
        state=state or deal_state(),
    )
    return story.scene


def one_of_each_event() -> list[events_pb2.TableEvent]:
    """Return a filled event of every kind there is."""
    seat = 1
    drawn = events_pb2.SEATS_MOVED_REASON_DRAWN
    return [
        event(seats_moved=events_pb2.SeatsMoved(reason=drawn, players=table().players)),
        event(seat_changed=events_pb2.SeatChanged(player=lobby_pb2.Player(seat=seat, display_name="沂水"))),
        event(table_changed=events_pb2.TableChanged(fields=["deals", "title"])),
        event(player_kicked=events_pb2.PlayerKicked(seat=seat, display_name="沂水", banned=True)),
        event(match_started=events_pb2.MatchStarted(deals=3)),
        event(deal_promised=events_pb2.DealPromised(deal=2, commitment=bytes(32))),
        event(entropy_given=events_pb2.EntropyGiven(entropy=events_pb2.Entropy(seat=seat, entropy=bytes(16)))),
        event(deal_started=events_pb2.DealStarted(deal=2, commitment=bytes(32))),
        event(cards_shown=events_pb2.CardsShown(seat=seat, cards=[1, 1])),  # type: ignore[list-item]
        event(lead_fixed=events_pb2.LeadFixed(seat=seat, reason=events_pb2.LEAD_REASON_LOT)),
        event(revolution_settled=events_pb2.RevolutionSettled(seats=[seat])),
        event(head_chosen=events_pb2.HeadChosen(seat=seat, keep=True)),
        event(deal_voided=events_pb2.DealVoided(seats=[seat, 2])),
        event(played=events_pb2.Played(play=burn_play())),
        event(passed=events_pb2.Passed(seat=seat)),
        event(yielded=events_pb2.Yielded(seat=seat)),
        event(wind_asked=events_pb2.WindAsked(seat=seat)),
        event(window_closed=events_pb2.WindowClosed()),
        event(burn_ended=events_pb2.BurnEnded(burner=seat, reason=events_pb2.BURN_END_REASON_DEFUSED)),
        event(burn_succeeded=events_pb2.BurnSucceeded(burner=seat, burned=2)),
        event(busted=events_pb2.Busted(seat=seat, place=6)),
        event(finished=events_pb2.Finished(seat=seat, place=1)),
        event(melee_began=events_pb2.MeleeBegan()),
        event(trick_ended=events_pb2.TrickEnded(owner=seat, next_leader=seat)),
        event(deal_ended=events_pb2.DealEnded(places=[3, 1, 5, 0, 2, 4], scores=[0, 12], sweep=True)),
        event(deal_revealed=events_pb2.DealRevealed(deal=2, record="")),
        event(match_ended=events_pb2.MatchEnded(scores=[4, 12])),
        event(table_closed=events_pb2.TableClosed(reason=events_pb2.CLOSE_REASON_FROZEN)),
        *one_of_each_event_around_play(seat),
    ]


def one_of_each_event_around_play(seat: int) -> list[events_pb2.TableEvent]:
    """Return a filled event of every kind that belongs to calls, buying, tribute, opening and the match."""
    kind = state_pb2.TRIBUTE_KIND_LOSER
    autopilot = events_pb2.AUTOPILOT_REASON_AWAY
    owed = state_pb2.Obligation(payer=seat, receiver=0, kind=kind, count=2)
    return [
        event(places_swapped=events_pb2.PlacesSwapped(seats=[seat, 3])),
        event(called=events_pb2.Called(seat=seat, blind=True)),
        event(card_bought=events_pb2.CardBought(buyer=seat, seller=4, card=1, paid=13)),  # type: ignore[arg-type]
        event(tribute_paid=events_pb2.TributePaid(payer=seat, receiver=0, kind=kind, owed=2, cards=[54])),  # type: ignore[list-item]
        event(tribute_refused=events_pb2.TributeRefused(payer=seat, receiver=0, kind=kind, owed=2)),
        event(tribute_waived=events_pb2.TributeWaived(payer=seat, receiver=3)),
        event(card_returned=events_pb2.CardReturned(receiver=0, payer=seat, card=1)),  # type: ignore[arg-type]
        event(return_refused=events_pb2.ReturnRefused(payer=seat, receiver=0, card=1)),  # type: ignore[arg-type]
        event(opened=events_pb2.Opened(seat=seat)),
        event(stifled=events_pb2.Stifled(seat=seat, by=2)),
        event(slam_made=events_pb2.SlamMade(seat=seat)),
        event(obligations_recorded=events_pb2.ObligationsRecorded(obligations=[owed])),
        event(match_dissolved=events_pb2.MatchDissolved()),
        event(lot_drawn=events_pb2.LotDrawn(team=1)),
        event(count_told=events_pb2.CountTold(asker=seat, seat=2, count=7)),
        event(felt=events_pb2.Felt(asker=seat, seat=4)),
        event(dissolution_voted=events_pb2.DissolutionVoted(seat=seat, agrees=True)),
        event(presence_changed=events_pb2.PresenceChanged(seat=seat)),
        event(autopilot_changed=events_pb2.AutopilotChanged(seat=seat, on=True, reason=autopilot)),
        event(clock_compensated=events_pb2.ClockCompensated()),
        event(table_suspended=events_pb2.TableSuspended()),
        event(table_resumed=events_pb2.TableResumed()),
        event(table_held=events_pb2.TableHeld()),
        event(table_released=events_pb2.TableReleased()),
        event(question_opened=events_pb2.QuestionOpened()),
    ]
