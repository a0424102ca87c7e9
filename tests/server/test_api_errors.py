"""What clients are told when something is refused or goes wrong."""

from __future__ import annotations

import json
from io import StringIO
from urllib.parse import quote

import pytest
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2

from gouji_server import logs
from gouji_server.api.errors import MAX_FIELDS, invalid, to_status, told
from gouji_server.metrics import Metrics
from gouji_server.tables import Refused


def details(refused: Refused) -> list[Message]:
    kinds = (
        error_details_pb2.ErrorInfo,
        error_details_pb2.BadRequest,
        error_details_pb2.RetryInfo,
        error_details_pb2.LocalizedMessage,
    )
    found: list[Message] = []
    for packed in to_status(refused).details:
        for kind in kinds:
            detail = kind()
            if packed.Unpack(detail):
                found.append(detail)
    return found


def test_a_refusal_by_the_rules_names_the_rule() -> None:
    """A refusal carries code, reason, rule and both languages."""
    refused = Refused(code_pb2.FAILED_PRECONDITION, "DOES_NOT_BEAT", "too weak", "管不上", rule="R12")
    status = to_status(refused)
    assert (status.code, status.message) == (code_pb2.FAILED_PRECONDITION, "too weak")
    assert details(refused) == [
        error_details_pb2.ErrorInfo(reason="DOES_NOT_BEAT", domain="gouji", metadata={"rule": "R12"}),
        error_details_pb2.LocalizedMessage(locale="en-US", message="too weak"),
        error_details_pb2.LocalizedMessage(locale="zh-CN", message="管不上"),
    ]


def test_a_limit_says_when_to_come_back() -> None:
    """A wait is told as RetryInfo, rounded up to whole milliseconds: who waits that long does not come too early."""
    refused = Refused(code_pb2.RESOURCE_EXHAUSTED, "LIMITED", "slow down", "慢一点", retry_seconds=1.0001)
    retries = [detail for detail in details(refused) if isinstance(detail, error_details_pb2.RetryInfo)]
    assert [retry.retry_delay.ToMilliseconds() for retry in retries] == [1001]


def test_bad_fields_are_all_named_up_to_a_bound() -> None:
    """Each bad field is named; a request with hundreds of them does not make an answer too large to send."""
    refused = invalid([(f"field{n}", "wrong") for n in range(500)], "错误")
    violations = [detail for detail in details(refused) if isinstance(detail, error_details_pb2.BadRequest)]
    assert [v.field for bad in violations for v in bad.field_violations] == [f"field{n}" for n in range(MAX_FIELDS)]
    assert len(to_status(refused).SerializeToString()) < 4096


def test_long_texts_are_cut() -> None:
    """A text that repeats what a client sent does not make the trailers larger than clients take, whatever its script:
    8 KiB, where the details grow by a third and every byte of the message that is not ASCII becomes three."""
    for sign in ("x", "字", "\U000f0000"):
        fields = tuple((sign * 60_000, sign * 60_000) for _ in range(50))
        refused = Refused(code_pb2.INVALID_ARGUMENT, "REASON", sign * 60_000, sign * 60_000, rule="R50", fields=fields)
        status = to_status(refused)
        size = len(status.SerializeToString()) * 4 / 3 + len(quote(status.message))
        assert size < 7 * 1024
        assert status.message.endswith(sign + "…")
        told = [detail for detail in details(refused) if isinstance(detail, error_details_pb2.BadRequest)]
        assert told
        assert told[0].field_violations[0].field.endswith(sign + "…")


@pytest.mark.usefixtures("own_logging")
def test_a_fault_tells_a_number_and_nothing_else() -> None:
    """An exception nobody planned is told by incident number; the log has the number and the frames, not the text."""
    lines = StringIO()
    logs.set_up("info", "json", lines)
    metrics = Metrics()
    hand = "bbss22AA"
    try:
        raise KeyError(hand)
    except KeyError as error:
        refused = told(error, metrics)
    assert (refused.code, refused.reason) == (code_pb2.INTERNAL, "FAULT")
    incident = refused.metadata["incident"]
    assert incident in refused.text_en
    assert incident in refused.text_zh
    assert hand not in str(to_status(refused))
    line = json.loads(lines.getvalue())
    assert line["incident"] == incident
    assert line["raised"][0]["type"] == "builtins.KeyError"
    assert "test_a_fault_tells_a_number" in line["raised"][0]["frames"][-1]
    assert hand not in lines.getvalue()
    assert metrics.registry.get_sample_value("gouji_faults_total") == 1


@pytest.mark.parametrize("code", [code_pb2.NOT_FOUND, code_pb2.ABORTED, code_pb2.UNAVAILABLE])
def test_refusals_are_told_as_they_are(code: int) -> None:
    """A planned refusal is no fault, whatever its code."""
    refused = Refused(code, "REASON", "text", "文字")
    assert told(refused, Metrics()) is refused
