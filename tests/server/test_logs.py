"""Log lines: structured, with their context, without secrets."""

from __future__ import annotations

import json
import logging
from io import StringIO
from typing import Any

import pytest
import structlog

from gouji_server import logs

pytestmark = pytest.mark.usefixtures("own_logging")


def lines(text: StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.getvalue().splitlines()]


def test_context_comes_with_every_line() -> None:
    """What is bound in context stands in each line, of structlog and of the standard library alike."""
    out = StringIO()
    logs.set_up("info", "json", out)
    structlog.contextvars.bind_contextvars(table="tables/t", seat=3)
    structlog.get_logger("gouji.test").info("one", version=7)
    logging.getLogger("library").warning("two %s", "words")
    one, two = lines(out)
    assert {**one, "timestamp": ""} == {
        "event": "one",
        "level": "info",
        "logger": "gouji.test",
        "seat": 3,
        "table": "tables/t",
        "timestamp": "",
        "version": 7,
    }
    assert (two["event"], two["logger"], two["table"]) == ("two words", "library", "tables/t")


def test_levels_hold() -> None:
    """Below the level nothing is written."""
    out = StringIO()
    logs.set_up("warning", "json", out)
    structlog.get_logger("gouji.test").info("quiet")
    logging.getLogger("library").info("quiet")
    structlog.get_logger("gouji.test").warning("loud")
    assert [line["event"] for line in lines(out)] == ["loud"]


@pytest.mark.parametrize("style", ["json", "text"])
def test_exceptions_are_frames_without_texts_and_variables(style: str) -> None:
    """Of an exception and its cause types and frames are logged; not texts and variables, which may hold a hand."""
    out = StringIO()
    logs.set_up("debug", style, out)
    secret_hand = "bbss22AA"
    try:
        try:
            raise ValueError(secret_hand)
        except ValueError as error:
            raise RuntimeError(f"while playing {secret_hand}") from error
    except RuntimeError:
        structlog.get_logger("gouji.test").exception("fault")
        logging.getLogger("library").exception("fault of %s", secret_hand)
    assert secret_hand not in out.getvalue()
    for wanted in ("ValueError", "RuntimeError", "test_exceptions_are_frames"):
        assert out.getvalue().count(wanted) >= 2


def test_a_line_that_cannot_be_formatted_is_not_written_raw(capsys: pytest.CaptureFixture[str]) -> None:
    """The standard library would print a broken record's arguments to standard error as they are."""
    out = StringIO()
    logs.set_up("info", "json", out)
    logging.getLogger("library").warning("%d", "bbss22AA")
    assert "bbss22AA" not in out.getvalue() + capsys.readouterr().err


def test_statements_of_the_database_are_not_logged() -> None:
    """At debug level SQLAlchemy would log statements with their values, hashes of secrets among them."""
    out = StringIO()
    logs.set_up("debug", "json", out)
    logging.getLogger("sqlalchemy.engine").info("INSERT INTO device_secrets")
    logging.getLogger("aiosqlite").debug("executing")
    assert out.getvalue() == ""


def test_a_loop_of_causes_ends() -> None:
    """Exceptions that cause one another are described once each."""
    one, two = ValueError(), KeyError()
    one.__cause__, two.__cause__ = two, one
    assert [entry["type"] for entry in logs.describe(one)] == ["builtins.ValueError", "builtins.KeyError"]
