"""Settings: where they come from, and which are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError
from pydantic_settings import CliApp

from gouji_server.config import Config, is_loopback


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for field in Config.model_fields:
        monkeypatch.delenv(f"GOUJI_{field.upper()}", raising=False)


def test_loopback_by_default() -> None:
    """Without any setting the server and its figures are this machine's alone."""
    config = Config()
    assert is_loopback(config.host)
    assert is_loopback(config.metrics_host)
    assert not config.insecure


def test_flags_outweigh_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flag wins over an environment variable, and that over the default."""
    monkeypatch.setenv("GOUJI_PORT", "1000")
    monkeypatch.setenv("GOUJI_METRICS_PORT", "none")
    monkeypatch.setenv("GOUJI_LOG_LEVEL", "debug")
    config = CliApp.run(Config, cli_args=["--port", "2000", "--data-dir", "elsewhere"])
    assert (config.port, config.metrics_port, config.log_level) == (2000, None, "debug")
    assert config.data_dir == Path("elsewhere")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])  # noqa: S104 - what is refused
def test_cleartext_only_on_loopback(host: str) -> None:
    """Listening in the clear where others could read along needs the word insecure."""
    with pytest.raises(ValidationError, match="not a loopback address"):
        Config(host=host)
    assert Config(host=host, insecure=True).host == host
    assert Config(host=host, tls_cert=Path("c.pem"), tls_key=Path("k.pem")).host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"])
def test_loopback_needs_nothing(host: str) -> None:
    """Every way to write loopback may be served in the clear."""
    assert Config(host=host).host == host


def test_certificate_and_key_go_together() -> None:
    """Half of a TLS setting is no setting."""
    with pytest.raises(ValidationError, match="go together"):
        Config(tls_cert=Path("c.pem"))


@pytest.mark.parametrize(
    "setting",
    [{"port": 65536}, {"port": -1}, {"max_streams": 0}, {"heartbeat_seconds": 0}, {"log_level": "loud"}, {"prot": 1}],
)
def test_values_out_of_range_are_refused(setting: dict[str, object]) -> None:
    """A value that makes no sense, or a setting that does not exist, is refused by name."""
    with pytest.raises(ValidationError, match=next(iter(setting))):
        Config(**setting)  # type: ignore[arg-type]


def test_a_session_outlives_its_access_tokens() -> None:
    """Refresh tokens that lapse before access tokens would let the end of a session be forgotten too early."""
    with pytest.raises(ValidationError, match="refresh_token_seconds is less"):
        Config(refresh_token_seconds=60, access_token_seconds=61)
    assert Config(refresh_token_seconds=60, access_token_seconds=60).refresh_token_seconds == 60
