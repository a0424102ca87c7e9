"""R84: what a record says its seed came of is checked, digit by digit."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gouji_rules as gr
from gouji_rules.fairness import Proof, faults_of, hands_of
from gouji_rules.records import read_record, record_of_deal, write_record

SECRET = bytes(range(32))
GIVEN = ((0, b"a" * 16), (3, b"b" * 64))
PROOF = Proof(gr.commitment(SECRET), SECRET, GIVEN)


def text(proof: Proof = PROOF, seed: bytes = PROOF.seed) -> str:
    """The record of a deal before its first answer."""
    deal = gr.Deal.start(gr.preset("qingdao"), seed)
    return write_record(replace(record_of_deal(deal), proof=proof))


def test_a_record_keeps_what_its_seed_came_of() -> None:
    """Commitment, secret and entropies are written and read back, and hold."""
    assert read_record(text()).proof == PROOF
    assert gr.check_record(text()) == []
    without = Proof(PROOF.commitment, SECRET)
    assert "entropies" not in text(without)
    assert gr.check_record(text(without, without.seed)) == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (replace(PROOF, secret=bytes(32)), "commitment"),
        (replace(PROOF, commitment=bytes(32)), "commitment"),
        (replace(PROOF, entropies=()), "seed"),
        (replace(PROOF, entropies=((0, b"c" * 16), (3, b"b" * 64))), "seed"),
        (replace(PROOF, entropies=GIVEN[::-1]), "in order"),
        (replace(PROOF, entropies=(*GIVEN, (3, b"d" * 16))), "each once"),
    ],
)
def test_what_does_not_fit_is_a_difference_with_its_line(wrong: Proof, said: str) -> None:
    """Another secret, commitment or entropy, or another order of them, is named where the commitment stands."""
    spoiled = text(wrong)
    differences = gr.check_record(spoiled)
    assert any(said in difference.message for difference in differences)
    line = 1 + next(at for at, row in enumerate(spoiled.splitlines()) if row.startswith("commitment"))
    assert {difference.line for difference in differences} == {line}


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ("secret = ", "#", "commitment"),
        ("commitment = ", "#", "secret"),
        ('secret = "00', 'secret = "0', "secret"),
        ('secret = "00', 'secret = "zz', "secret"),
        ('"0 61', '"6 61', "entropies"),
        ('"0 61', '"0 61 61', "entropies"),
        ('"0 6161', '"0 ', "entropies"),
    ],
)
def test_what_cannot_be_read_is_named(before: str, after: str, key: str) -> None:
    """A half of the proof, digits that are none, and entropy of no seat or of a wrong length have their line."""
    spoiled = text()
    assert before in spoiled
    with pytest.raises(gr.RecordError, match=key) as refused:
        read_record(spoiled.replace(before, after))
    assert refused.value.line


def test_a_proof_goes_with_a_seed() -> None:
    """Hands written down come of no seed, and prove nothing."""
    spoiled = 'format = "gouji-record/1"\nrules = "qingdao"\n[deal]\nhands = ["3","4","5","6","7","8"]\nlead = 0\n'
    with pytest.raises(gr.RecordError, match="seed"):
        read_record(spoiled + f'commitment = "{"0" * 64}"\nsecret = "{"0" * 64}"\n')


def test_hands_are_those_that_are_dealt() -> None:
    """What a verifier deals again is what the engine deals, for every preset."""
    for rules in gr.PRESETS.values():
        deal = gr.Deal.start(rules, PROOF.seed)
        assert [list(hand) for hand in hands_of(rules, PROOF.seed)] == [sorted(hand) for hand in deal.dealt]
    assert faults_of(PROOF, None) == faults_of(PROOF, PROOF.seed) == []
