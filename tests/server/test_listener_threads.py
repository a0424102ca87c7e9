"""Which thread may interrupt the event loop on its own core."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gouji_server.api.listener import yield_to_the_loop

pytestmark = pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="this system has no batch scheduling")


def test_a_thread_that_is_named_does_not_interrupt_others_do() -> None:
    """The thread named becomes a batch thread; the caller's own is left as it was."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    mine = os.sched_getscheduler(0)
    thread.start()
    try:
        assert thread.native_id is not None
        yield_to_the_loop([thread])
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
    yield_to_the_loop([threading.current_thread()])


def test_of_a_running_server_one_thread_is_a_batch_thread(tmp_path: Path) -> None:
    """A server that serves has one batch thread, gRPC's, and the main thread is none."""
    command = [
        sys.executable,
        "-m",
        "gouji_server",
        "--port",
        "0",
        "--metrics-port",
        "none",
        "--data-dir",
        str(tmp_path),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        try:
            assert "serving on" in server.stdout.readline()
            threads = [int(path.name) for path in Path(f"/proc/{server.pid}/task").iterdir()]
            batch = [thread for thread in threads if os.sched_getscheduler(thread) == os.SCHED_BATCH]
            assert len(batch) == 1
            assert server.pid not in batch
        finally:
            server.terminate()
