"""A soft authenticator: makes passkeys and signs with them, as a browser with a fingerprint reader does.

Source: Web Authentication Level 3, sections 5.8.1, 6.1 and 6.5. Each thing that a hub has to check can be
made wrong on purpose.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class Authenticator:
    """One device's. ``counts`` False: like passkeys that are kept in an account."""

    origin: str
    site: str = "localhost"
    counts: bool = True
    verifies: bool = True
    count: int = 0
    id: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        """What ``navigator.credentials.create`` gives for these options."""
        numbers = self.key.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cbor2.dumps(cose)
        attestation = {"fmt": "none", "attStmt": {}, "authData": self._data(ATTESTED) + attested}
        return self._answer(
            {
                "clientDataJSON": text(self._client_data("webauthn.create", options["challenge"])),
                "attestationObject": text(cbor2.dumps(attestation)),
            }
        )

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        """What ``navigator.credentials.get`` gives for these options."""
        client_data, data = self._client_data("webauthn.get", options["challenge"]), self._data(0)
        signed = data + hashlib.sha256(client_data).digest()
        return self._answer(
            {
                "clientDataJSON": text(client_data),
                "authenticatorData": text(data),
                "signature": text(self.key.sign(signed, ec.ECDSA(hashes.SHA256()))),
                "userHandle": None,
            }
        )

    def _data(self, more: int) -> bytes:
        if self.counts:
            self.count += 1
        flags = PRESENT | (VERIFIED if self.verifies else 0) | more
        return hashlib.sha256(self.site.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")

    def _client_data(self, kind: str, challenge: str) -> bytes:
        said = {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        return json.dumps(said).encode()

    def _answer(self, response: dict[str, Any]) -> dict[str, Any]:
        id = text(self.id)
        return {
            "id": id,
            "rawId": id,
            "type": "public-key",
            "response": response,
            "clientExtensionResults": {},
        }
