"""Where in a record's text its tables, keys and entries stand: one pass over the text."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import Final

from gouji_rules.records.model import RecordError

MOST_CHARACTERS: Final = 16_000_000
"""How long a record's text may be."""
MOST_NESTED: Final = 8
"""How many parts a key may have, and how many brackets a value may stand in: a record needs three."""

# Every alternative takes what it can and gives nothing back, so that a text is gone through once, whatever it is.
_TOKEN: Final = re.compile(
    r"""
      (?P<string>
          \"{3}(?:[^"\\]|\\.|"(?!""))*+\"{0,5}
        | '{3}(?:[^']|'(?!''))*+'{0,5}
        | "(?:[^"\\\n]|\\[^\n])*+"?
        | '[^'\n]*+'?
      )
    | (?P<word>[A-Za-z0-9_+\-]++)
    | (?P<mark>[\[\]{}=,.])
    | (?P<newline>\n)
    | (?:\#[^\n]*+|[^\S\n]++|[^\s\[\]{}=,."'#A-Za-z0-9_+\-]++)
    """,
    re.VERBOSE | re.DOTALL,
)

_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
"""How a key may write any of its characters. The other escapes stand for characters that no known key has."""


@dataclass(slots=True)
class Places:
    """The first line of each key and table, by each part of its name, and the lines of the entries of ``actions``.

    Lines count from 1. What stands nowhere has line 0.
    """

    lines: dict[str, int] = field(default_factory=dict)
    entries: list[int] = field(default_factory=list)

    def line(self, name: str) -> int:
        """The line where a key or table is first written; 0 if it is not."""
        return self.lines.get(name, 0)


@dataclass(slots=True)
class TextPlaces:
    """The places of a whole text, those of each ``[[deal]]`` on its own, and those of the table ``[expect]``.

    ``actions`` has the lines of the entries of every key ``actions``, in order: for deals written without ``[[deal]]``.
    """

    whole: Places = field(default_factory=Places)
    deals: list[Places] = field(default_factory=list)
    expect: Places = field(default_factory=Places)
    actions: list[list[int]] = field(default_factory=list)


def places_in(text: str) -> TextPlaces:
    """Find the places in a text that may be no TOML: what they are then is of no account.

    Raises RecordError for a text that is longer or deeper nested than any record.
    """
    if len(text) > MOST_CHARACTERS:
        raise RecordError(
            0,
            f"a record has at most {MOST_CHARACTERS} characters, this has {len(text)}",
            f"牌谱最多 {MOST_CHARACTERS} 个字符，这里有 {len(text)} 个",
        )
    return _Scan().run(text)


def _key_of(token: str) -> str:
    """The key that a quoted text is: `"de\\u0061l"` is `deal`."""
    inner = token[1:-1]
    return _ESCAPE.sub(_unescaped, inner) if token[0] == '"' and "\\" in inner else inner


def _unescaped(found: re.Match[str]) -> str:
    code = int(found[1] or found[2], 16)
    return chr(code) if code <= sys.maxunicode else found[0]


class _Scan:
    """One pass: what is being read, a header or a key or a value, and the tables that it belongs to."""

    def __init__(self) -> None:
        self._found = TextPlaces()
        self._tables: list[Places] = [self._found.whole]
        self._line = 1
        self._open: list[str] = []
        self._header = 0
        self._key: list[str] = []
        self._dots = 0
        self._reads_key = True
        self._entries: list[int] | None = None

    def run(self, text: str) -> TextPlaces:
        for found in _TOKEN.finditer(text):
            kind = found.lastgroup
            if kind == "newline":
                self._line += 1
                if not self._open:
                    self._begin_key()
            elif kind == "mark":
                self._mark(found[0])
            elif kind == "word":
                if self._reads_key:
                    self._key.append(found[0])
            elif kind == "string":
                self._string(found[0])
        return self._found

    def _begin_key(self) -> None:
        self._reads_key = True
        self._key = []
        self._header = self._dots = 0

    def _string(self, token: str) -> None:
        if self._reads_key:
            self._key.append(_key_of(token))
        elif self._entries is not None:
            self._entries.append(self._line)
        self._line += token.count("\n")

    def _mark(self, mark: str) -> None:
        if mark == "[" and self._reads_key and not self._open and not self._key:
            self._header += 1
        elif mark in "[{":
            self._open.append(mark)
            self._not_too_deep(len(self._open))
            if mark == "{":
                self._begin_key()
        elif mark == "]" and self._header:
            self._note_header()
        elif mark in "]}":
            if self._open:
                self._open.pop()
            self._reads_key = False
        elif mark == "=" and self._reads_key:
            self._note_key()
        elif mark == "," and self._open and self._open[-1] == "{":
            self._begin_key()
        elif mark == "." and self._reads_key:
            self._dots += 1
            self._not_too_deep(self._dots + 1)

    def _not_too_deep(self, depth: int) -> None:
        if depth > MOST_NESTED:
            raise RecordError(
                self._line,
                f"nothing in a record is nested more than {MOST_NESTED} deep",
                f"牌谱里的嵌套不会超过 {MOST_NESTED} 层",
            )

    def _note_header(self) -> None:
        """A table begins: one deal of a match, what is expected of the whole, or another."""
        if self._reads_key and self._key:
            found = self._found
            if self._key == ["deal"] and self._header > 1:
                found.deals.append(Places())
                self._tables = [found.whole, found.deals[-1]]
            elif self._key == ["expect"]:
                self._tables = [found.whole, found.expect]
            elif self._key[0] != "deal":
                self._tables = [found.whole]
            self._note(self._key)
        self._reads_key = False
        self._entries = None

    def _note_key(self) -> None:
        self._reads_key = False
        self._note(self._key)
        self._entries = None
        if self._key[-1:] == ["actions"]:
            self._entries = []
            self._found.actions.append(self._entries)
            for table in self._tables:
                if not table.entries:
                    table.entries = self._entries

    def _note(self, names: list[str]) -> None:
        for table in self._tables:
            for name in names:
                table.lines.setdefault(name, self._line)
