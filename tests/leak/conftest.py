"""The leak gates use the server tests' servers and logs."""

from tests.server.conftest import own_logging, start_server

__all__ = ["own_logging", "start_server"]
