"""QR payloads, signatures and invite links, against vectors made by the original."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from controlroom.core.qr import (
    ApiAddress,
    RelayBlock,
    canonical,
    invite_url,
    qr_payload,
    qr_text,
    signature,
    signed,
    verifies,
    whole_seconds,
)

FIXTURES = Path(__file__).parents[2] / "fixtures" / "relay"
SIGN = json.loads((FIXTURES / "qr_sign_vectors.json").read_text(encoding="utf-8"))
PAYLOADS = json.loads((FIXTURES / "pairing_payload_vectors.json").read_text(encoding="utf-8"))["payloads"]


@pytest.mark.parametrize("vector", SIGN["sign"], ids=lambda vector: str(vector["name"]))
def test_canonical_form_and_signature_are_the_originals_bit_for_bit(vector: dict[str, Any]) -> None:
    made = canonical(vector["payload"])
    assert made.decode("ascii") == vector["canonical"]
    assert hashlib.sha256(made).hexdigest() == vector["canonical_utf8_hex_sha256"]
    assert signature(vector["payload"], bytes.fromhex(vector["secret_hex"])) == vector["sig"]


@pytest.mark.parametrize("vector", SIGN["verify"], ids=lambda vector: str(vector["name"]))
def test_only_strict_base64_of_the_right_bytes_verifies(vector: dict[str, Any]) -> None:
    secret = bytes.fromhex(vector["secret_hex"])
    assert verifies(vector["payload"], vector["signature"], secret) is vector["verifies"]


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_what_json_does_not_know_is_not_signed(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        signature({"a": value}, b"0" * 32)


@pytest.mark.parametrize("vector", PAYLOADS, ids=lambda vector: str(vector["name"]))
def test_payloads_are_the_originals(vector: dict[str, Any]) -> None:
    parsed = vector["parsed"]
    relay = parsed.get("relay")
    payload = qr_payload(
        ApiAddress(host=parsed["host"], port=parsed["port"], tls=parsed["tls"]),
        key=parsed["key"],
        relay=None
        if relay is None
        else RelayBlock(
            url=relay["url"],
            code=relay["code"],
            ttl_s=relay.get("ttl_seconds"),
            grants=relay.get("grants"),
            transport_hint=relay.get("transport_hint"),
        ),
        endpoints=parsed.get("endpoints", ()),
        dashboard_url=parsed.get("dashboard_url"),
    )
    if "sig" in parsed:
        payload = signed(payload, bytes.fromhex(vector["secret_hex"]))
    text = qr_text(payload)
    assert text == vector["qr_text"]
    assert invite_url(text) == vector["invite_url"]


def test_lifetimes_are_integers_and_a_short_one_is_not_never() -> None:
    assert [whole_seconds(value) for value in (604800.0, 0.4, 0.0)] == [604800, 1, 0]
