"""The process in which built-in bots think: it is given what one seat may see, and knows nothing else.

It imports the rules and the bots alone; the server writes questions to its standard input (four bytes of length, then
a pickle, which the server alone can write) and reads answers, a line of JSON each, from its standard output.
"""

from __future__ import annotations

import json
import pickle
import random
import signal
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from gouji_bots import choose_cards, policies

if TYPE_CHECKING:
    from gouji_rules import SeatView

LENGTH_BYTES = 4


def answer(policy: str, view: SeatView, seed: bytes) -> dict[str, Any]:
    """Have a bot answer; `{}` if it fails."""
    dice = random.Random(seed)  # noqa: S311 - the seed comes from the server's entropy
    try:
        action = policies[policy](view, dice)
        cards = choose_cards(view.cards, action, dice)
    except Exception:  # noqa: BLE001 - a bot's fault is its own: the table takes the default answer
        return {}
    return {"action": int(action), "cards": bytes(cards).hex()}


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer questions until there are no more."""
    while len(head := questions.read(LENGTH_BYTES)) == LENGTH_BYTES:
        serial, policy, view, seed = pickle.loads(questions.read(int.from_bytes(head, "big")))  # noqa: S301
        line = json.dumps({"serial": serial, **answer(policy, view, seed)})
        answers.write(line.encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's, which closes our standard input
    serve(sys.stdin.buffer, sys.stdout.buffer)
