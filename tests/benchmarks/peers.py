"""Where the things that we compare ourselves with are found.

They are not part of this repository. `PEERS` names a folder laid out as docs/benchmarks.md says; without it the peers'
rows are left out, and the programs say so.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


class PeersError(Exception):
    """The folder that `PEERS` names is not laid out as docs/benchmarks.md says; the message is for people."""


@dataclass(frozen=True)
class Peers:
    """A folder of peers and the interpreter that they run under."""

    folder: Path
    python: Path

    @property
    def engines(self) -> Path:
        """The folder of `peers.py`, whose functions are factories of `play(rng) -> decisions`."""
        return self.folder / "engines"

    @property
    def server(self) -> Path:
        """The folder of the bare grpc.aio server: `server.py` and `table.proto`."""
        return self.folder / "servers" / "grpcaio"

    def need(self, *paths: Path) -> None:
        """Raise `PeersError` unless all these files exist."""
        for path in paths:
            if not path.is_file():
                raise PeersError(f"PEERS={self.folder}: {path} is missing; docs/benchmarks.md says how to set it up")


def find_peers() -> Peers | None:
    """Return the peers that the environment names, or None.

    `PEERS` names the folder; `PEERS_PYTHON` the interpreter, by default `.venv/bin/python` in the folder.
    Raises `PeersError` when either is named but is not there.
    """
    named = os.environ.get("PEERS")
    if not named:
        return None
    folder = Path(named).expanduser().absolute()
    if not folder.is_dir():
        raise PeersError(f"PEERS={named} is no folder")
    python = Path(os.environ.get("PEERS_PYTHON") or folder / ".venv" / "bin" / "python").expanduser().absolute()
    peers = Peers(folder, python)
    peers.need(python)
    return peers
