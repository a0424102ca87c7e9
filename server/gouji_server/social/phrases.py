"""The quick phrases."""

from __future__ import annotations

from typing import NamedTuple


class Phrase(NamedTuple):
    """A phrase in both languages."""

    en: str
    zh: str


PHRASES: dict[str, Phrase] = {
    "hello": Phrase("Hello, everyone!", "大家好！"),
    "good_luck": Phrase("Good luck!", "祝好运！"),
    "hurry_up": Phrase("Please hurry up.", "快点出牌吧。"),
    "thinking": Phrase("Let me think.", "让我想想。"),
    "one_moment": Phrase("One moment, please.", "请稍等。"),
    "well_played": Phrase("Well played!", "打得漂亮！"),
    "good_burn": Phrase("What a burn!", "烧得好！"),
    "thanks": Phrase("Thank you.", "谢谢。"),
    "sorry": Phrase("Sorry.", "不好意思。"),
    "no_problem": Phrase("No problem.", "没关系。"),
    "so_close": Phrase("So close!", "就差一点！"),
    "lucky": Phrase("That was lucky.", "运气真好。"),
    "connection": Phrase("My connection is bad.", "我的网络不好。"),
    "again": Phrase("Another match?", "再来一局？"),
    "one_more": Phrase("One more deal!", "再打一盘！"),
    "goodbye": Phrase("Goodbye!", "再见！"),
}
"""By id. Ids are for ever: clients keep pictures and sounds for them."""
