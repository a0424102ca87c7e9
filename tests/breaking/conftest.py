"""The servers of tests/server."""

from tests.server.conftest import config, start_server

__all__ = ["config", "start_server"]
