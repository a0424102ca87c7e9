"""That the own answer is in, as the client remembers it."""

from __future__ import annotations

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import state_pb2, table_pb2
from gouji_client.view import view_of_snapshot


def told(decision: int, p: int = 0, *, answered: bool | None = None, n: int = 1) -> table_pb2.TableUpdate:
    """Make a step in which a question of everybody is open; `answered` is said to seat 2 if it is not None."""
    question = state_pb2.Question(kind=state_pb2.QUESTION_KIND_WINDOW, seats=range(6), decision=decision)
    update = table_pb2.TableUpdate(table="tables/t", epoch=1, n=n, state=state_pb2.DealState(question=question))
    update.events.add(n=n).window_closed.SetInParent()
    if answered is not None:
        update.p = p
        update.seat.CopyFrom(state_pb2.SeatPart(seat=2, answered=answered))
    return update


def test_an_answer_belongs_to_its_question() -> None:
    """That the answer is in holds while its question is open, and lapses with the next one, told or untold."""
    first = told(1, 1, answered=True)
    first.snapshot.SetInParent()
    first.table_info.players.extend(lobby_pb2.Player(seat=seat) for seat in range(6))
    view = view_of_snapshot(first)
    assert (view.answered, view.asked) == (True, False)
    same = view.after(told(1, n=2))
    assert (same.answered, same.asked) == (True, False)
    following = same.after(told(3, n=3))
    assert (following.answered, following.asked, following.at.p) == (False, True, 1)
