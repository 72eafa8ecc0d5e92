"""A push message that only its browser can read: RFC 8291 (aes128gcm, RFC 8188) over ``cryptography``.

The one library for it comes only as source and would have to be built wherever the product is installed; what
it does is these few calls, proven by the example of RFC 8291.
"""

from __future__ import annotations

import base64
import binascii
import os
from typing import Final

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

RECORD: Final = 4096  # bytes; push services take no more in a body
HEAD: Final = 86  # salt, record size, length of the key id, our public key
LONGEST_TEXT: Final = RECORD - HEAD - 17  # one byte says that it is the last record, 16 prove it


class BadKeys(Exception):
    """The browser's keys are no keys."""


def unpadded(data: bytes) -> str:
    """URL-safe base64 without its padding, as all of Web Push writes it."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def from_unpadded(text: str) -> bytes:
    """Raises BadKeys."""
    try:
        return base64.b64decode(
            text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4), validate=True
        )
    except (binascii.Error, ValueError):
        raise BadKeys("not base64") from None


def public_point(key: ec.EllipticCurvePublicKey) -> bytes:
    """65 bytes: the point, uncompressed."""
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def checked_keys(p256dh: str, auth: str) -> tuple[ec.EllipticCurvePublicKey, bytes]:
    """A subscription's keys. Raises BadKeys."""
    point, secret = from_unpadded(p256dh), from_unpadded(auth)
    if len(secret) != 16:
        raise BadKeys("auth has not 16 bytes")
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point), secret
    except ValueError:
        raise BadKeys("p256dh is no point of its curve") from None


def sealed(
    text: bytes,
    p256dh: str,
    auth: str,
    *,
    own: ec.EllipticCurvePrivateKey | None = None,
    salt: bytes | None = None,
) -> bytes:
    """The body of one push. ``text`` has at most LONGEST_TEXT bytes. ``own`` and ``salt`` are fresh for each
    message; only a test gives them. Raises BadKeys."""
    theirs, secret = checked_keys(p256dh, auth)
    own = own or ec.generate_private_key(ec.SECP256R1())
    salt = salt or os.urandom(16)
    ours = public_point(own.public_key())
    shared = own.exchange(ec.ECDH(), theirs)
    key_info = b"WebPush: info\x00" + public_point(theirs) + ours
    material = _derived(shared, secret, key_info, 32)
    key = _derived(material, salt, b"Content-Encoding: aes128gcm\x00", 16)
    nonce = _derived(material, salt, b"Content-Encoding: nonce\x00", 12)
    head = salt + RECORD.to_bytes(4, "big") + bytes([len(ours)]) + ours
    return head + AESGCM(key).encrypt(nonce, text + b"\x02", None)


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)
