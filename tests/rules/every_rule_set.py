"""Rule sets that between them use every option of play: the six presets and mixtures of their options."""

from __future__ import annotations

import gouji_rules as gr


def _made(name: str, **overrides: object) -> gr.RuleSet:
    return gr.preset(name).replace(**overrides)


RULE_SETS: dict[str, gr.RuleSet] = {
    **gr.PRESETS,
    "hokkaido, threes held": _made("hokkaido", hold_three=True),
    "hokkaido, every option": _made(
        "hokkaido",
        slam=True,
        gap_doubles=True,
        opening=True,
        calls="both",
        joker_kill="full",
        tribute=("point", "loser"),
    ),
    "chinagames, threes held, kills": _made("chinagames", hold_three=True, joker_kill="full"),
    "shandong, threes held, kills": _made(
        "shandong", hold_three=True, joker_kill="two_big", kill_anyone=True, burn_after_pass=True
    ),
    "qingdao, six packs, no burns": _made("qingdao", decks=6, joker_kill="full", burn="off", kill_anyone=True),
    "qingdao, shown on demand": _made("qingdao", show="ask", gouji_twos=2, dead_gouji="gouji_last"),
    "competition, strict": _made(
        "competition",
        pass_after_last="closed",
        burn="strict",
        burn_after_pass=True,
        dead_gouji="any_last",
        stifle="tribute",
        melee_at="after_second",
        removed="",
        decks=6,
    ),
    "lianzhong, stifled last": _made("lianzhong", stifle="last_place", tribute=("burn",), open_leads_four=True),
    "alone, melee at once": _made("qingdao", teams="individual", melee_at="at_once", seating="free"),
}
