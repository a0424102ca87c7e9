"""Moves of a table's journal as the rules engine knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_rules import actions
from gouji_rules.actions import VERB_SHIFT

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.tables import inputs


def action_of(entry: inputs.Moved) -> gr.Action:
    """Return a move as the engine knows it. Raises gouji_rules.PlayError (R10) for cards that make no play."""
    verb = entry.verb
    if verb in _WITH_CARDS:
        return _WITH_CARDS[verb](gr.play_of_cards(entry.cards))
    if verb == gr.Verb.SHOW:
        return gr.show_action(entry.suit)
    return _PLAIN[verb]


def _kill(play: gr.Play) -> gr.Action:
    return gr.Action(gr.Verb.KILL << VERB_SHIFT | play)


_WITH_CARDS: dict[int, Callable[[gr.Play], gr.Action]] = {
    gr.Verb.PLAY: gr.play_action,
    gr.Verb.BURN: gr.burn_action,
    gr.Verb.KILL: _kill,
    gr.Verb.GIVE: actions.give_action,
}
_PLAIN: dict[int, gr.Action] = {
    gr.Verb.PASS: gr.PASS,
    gr.Verb.YIELD: gr.YIELD,
    gr.Verb.WIND: gr.WIND,
    gr.Verb.DECLINE: gr.DECLINE,
    gr.Verb.NO: gr.NO,
    gr.Verb.REVOLT: gr.REVOLT,
    gr.Verb.KEEP_HEAD: gr.KEEP_HEAD,
    gr.Verb.DROP_HEAD: gr.DROP_HEAD,
    gr.Verb.CALL_OPEN: actions.CALL_OPEN,
    gr.Verb.CALL_BLIND: actions.CALL_BLIND,
    gr.Verb.REFUSE: actions.REFUSE,
    gr.Verb.ACCEPT: actions.ACCEPT,
    gr.Verb.WAIVE: actions.WAIVE,
    gr.Verb.SWAP: actions.SWAP,
}
