"""The server's settings: `GOUJI_*` environment variables, `--flags`, or arguments, in rising order of weight."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from gouji_server.client_minimums import read_minimums

Port = Annotated[int, Field(ge=0, le=65535)]
"""A TCP port; 0 has the system pick a free one."""


class Config(BaseSettings):
    """Settings of one server.

    Raises pydantic.ValidationError for a value out of range or a contradiction. Every field may be given as
    environment variable (`GOUJI_PORT`) or flag (`--port`).
    """

    model_config = SettingsConfigDict(
        env_prefix="GOUJI_",
        env_parse_none_str="none",
        cli_prog_name="gouji_server",
        cli_kebab_case=True,
        cli_implicit_flags=True,
        cli_parse_none_str="none",
        cli_avoid_json=True,
        extra="forbid",
        frozen=True,
    )

    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: Port = Field(default=50151, description="port to listen on; 0 picks a free one")
    data_dir: Path = Field(default=Path("data"), description="directory of journal, records and keys (mode 0700)")
    metrics_host: str = Field(default="127.0.0.1", description="address of the Prometheus figures")
    metrics_port: Port | None = Field(default=50152, description="port of the figures; 0 picks one; none: off")
    admin_port: Port | None = Field(
        default=None, description="port of this machine for operators; none: admin.sock in the data directory"
    )
    tls_cert: Path | None = Field(default=None, description="certificate chain (PEM) to serve over TLS")
    tls_key: Path | None = Field(default=None, description="private key (PEM) of the certificate")
    tls_client_ca: Path | None = Field(
        default=None, description="roots (PEM) of which clients must show a certificate (mTLS)"
    )
    insecure: bool = Field(default=False, description="allow cleartext on an address that is not loopback")
    minimum_client_versions: str = Field(
        default="", description="older clients are refused: python=0.2,web=1.0.3; any other client is let in"
    )
    named_clients_only: bool = Field(default=False, description="refuse clients that do not say their name and version")
    reflection: bool = Field(default=True, description="answer gRPC reflection")
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="least level logged")
    log_format: Literal["json", "text"] = Field(default="json", description="one JSON object a line, or text")

    access_token_seconds: PositiveFloat = Field(default=900, description="life of an access token")
    refresh_token_seconds: PositiveFloat = Field(default=30 * 86400, description="life of a refresh token")
    heartbeat_seconds: PositiveFloat = Field(default=15, description="silence after which a stream says it is alive")
    stop_grace_seconds: PositiveFloat = Field(default=5, description="time for calls to end when the server stops")

    lag_allowance_seconds: NonNegativeFloat = Field(default=0.3, description="an answer that late is still in time")
    bot_least_seconds: NonNegativeFloat = Field(default=0.4, description="least time a built-in bot takes to answer")
    bot_most_seconds: NonNegativeFloat = Field(default=1.2, description="most time a built-in bot takes to answer")

    sign_in_burst: PositiveInt = Field(default=300, description="sign-ins an address may make at once")
    sign_ins_per_minute: PositiveFloat = Field(default=60, description="sign-ins a minute an address may make")
    seat_lease_seconds: NonNegativeFloat = Field(
        default=60, description="time after which who is away loses the seat at a waiting table; 0: never"
    )
    join_code_burst: PositiveInt = Field(default=10, description="join codes an account may try at once")
    join_codes_per_minute: PositiveFloat = Field(default=6, description="join codes a minute an account may try")
    join_code_address_factor: PositiveInt = Field(default=6, description="times as many join codes an address may try")
    password_tries_burst: PositiveInt = Field(default=10, description="passwords tried at once for one name")
    password_tries_per_minute: PositiveFloat = Field(default=6, description="passwords tried a minute for one name")
    password_memory_kib: Annotated[int, Field(ge=64, le=4_194_304)] = Field(
        default=65_536, description="memory that hashing one password takes"
    )
    passwords_at_once: PositiveInt = Field(default=2, description="passwords hashed at once; others wait")
    max_tables_per_account: NonNegativeInt = Field(default=50, description="tables of one owner that are not over yet")
    max_streams: PositiveInt = Field(default=10_000, description="open streams of all accounts")
    max_streams_per_account: PositiveInt = Field(default=32, description="streams of one account")
    max_tables_per_stream: PositiveInt = Field(default=200, description="tables followed on one Play stream")
    max_commands_in_flight: PositiveInt = Field(default=32, description="commands of a stream that wait for a result")
    max_request_bytes: PositiveInt = Field(default=65_536, description="size of one message from a client")
    max_calls: PositiveInt = Field(default=20_000, description="calls and streams served at once")
    entropy_wait_seconds: NonNegativeFloat = Field(
        default=1, description="time a deal waits for players' entropy, unless all have given it; 0: none is taken"
    )
    spectator_delay_seconds: Annotated[float, Field(ge=0, le=600)] = Field(
        default=0, description="people without a seat are told what happens in a match that much later, at least"
    )
    chat_retention_days: PositiveFloat = Field(default=30, description="how long what people reported is kept")
    call_limit_factor: NonNegativeFloat = Field(
        default=1, description="times as many calls a second as api/limits.py says; 0: calls are not counted"
    )
    max_streams_per_address: PositiveInt = Field(default=4_000, description="streams of one address")
    keepalive_seconds: PositiveFloat = Field(default=60, description="the server pings an idle connection that often")

    max_connection_age_seconds: NonNegativeFloat = Field(
        default=0, description="an older connection is closed, so that clients spread over servers anew; 0: never"
    )
    connection_age_grace_seconds: PositiveFloat = Field(
        default=30, description="time that the streams and calls of such a connection have to end"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("--tls-cert and --tls-key go together")
        if self.tls_client_ca is not None and self.tls_cert is None:
            raise ValueError("--tls-client-ca needs --tls-cert and --tls-key")
        if self.refresh_token_seconds < self.access_token_seconds:
            # A session's end is remembered with its refresh tokens: until its last access token has lapsed.
            raise ValueError("refresh_token_seconds is less than access_token_seconds")
        read_minimums(self.minimum_client_versions)
        if self.bot_least_seconds > self.bot_most_seconds:
            raise ValueError("bot_least_seconds is more than bot_most_seconds")
        if self.tls_cert is None and not self.insecure and not is_loopback(self.host):
            raise ValueError(
                f"{self.host} is not a loopback address: give --tls-cert and --tls-key, "
                f"or --insecure if something in front of the server encrypts"
            )
        return self


def is_loopback(host: str) -> bool:
    """Tell whether `host` reaches this machine alone. A name other than `localhost` counts as reaching others."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
