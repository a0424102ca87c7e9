"""Which thread may interrupt the event loop on its own core."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gouji_server.api.listener import threads, yield_to_the_loop

# A server that first says which threads Python knows of.
SCRIPT = """
import json, sys, threading
from gouji_server import main
say = main._say
def tell(line):
    if "serving on" in line:
        line = json.dumps({thread.name: thread.native_id for thread in threading.enumerate()})
    say(line)
main._say = tell
sys.exit(main.main())
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="this system has no batch scheduling")


def test_a_thread_that_is_named_does_not_interrupt_others_do() -> None:
    """The thread named becomes a batch thread; the caller's own is left as it was."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    mine = os.sched_getscheduler(0)
    thread.start()
    try:
        assert thread.native_id is not None
        yield_to_the_loop({thread.native_id} & threads())
        assert os.sched_getscheduler(thread.native_id) == os.SCHED_BATCH
        assert os.sched_getscheduler(0) == mine
    finally:
        end.set()
        thread.join()


def test_a_system_that_forbids_it_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the policy may not be set, as in some containers, the server runs without."""

    def forbidden(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", forbidden)
    yield_to_the_loop(threads())


def test_a_thread_that_has_ended_is_no_matter() -> None:
    """A thread may end before it is looked at."""
    thread = threading.Thread(target=lambda: None)
    thread.start()
    number = thread.native_id
    thread.join()
    assert number is not None
    yield_to_the_loop([number])


def test_of_a_running_server_only_threads_of_grpc_are_batch_threads(tmp_path: Path) -> None:
    """A server that serves has batch threads, gRPC's; its main thread and the journal's writer are none."""
    command = [sys.executable, "-c", SCRIPT, "--port", "0", "--metrics-port", "none", "--data-dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        try:
            known = {int(number): name for name, number in json.loads(server.stdout.readline()).items()}
            numbers = [int(path.name) for path in Path(f"/proc/{server.pid}/task").iterdir()]
            batch = {number for number in numbers if os.sched_getscheduler(number) == os.SCHED_BATCH}
            assert server.pid not in batch
            assert not [name for number, name in known.items() if number in batch and "poll" not in name]
            assert len(batch) >= 2
        finally:
            server.terminate()
