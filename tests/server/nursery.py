"""A process that has everything imported and forks servers on demand: `python -m tests.server.nursery`.

A server killed is a real process killed; only the second of importing is saved at each start. It reads a line of JSON
(the server's arguments, and where its standard error goes) and answers with one: the child's process id and the line
with which it said that it is ready, empty if it ended instead.
"""

from __future__ import annotations

import json
import os
import sys

from gouji_server.main import main


def start(arguments: list[str], log: str, *, ready: bool) -> dict[str, object]:
    """Fork a server and, if `ready`, wait for its first line."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(writing, 1)
        errors = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(errors, 2)
        os._exit(main(arguments))
    os.close(writing)
    with os.fdopen(reading, "rb") as output:
        line = output.readline().decode() if ready else ""
    return {"pid": child, "line": line}


def serve() -> None:
    """Answer until standard input ends; reap whoever has ended."""
    for line in sys.stdin:
        wanted = json.loads(line)
        if "wait" in wanted:
            _, status = os.waitpid(wanted["wait"], 0)
            answer: dict[str, object] = {"status": os.waitstatus_to_exitcode(status)}
        else:
            answer = start(wanted["arguments"], wanted["log"], ready=wanted["ready"])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
