"""Who we are for push services (RFC 8292): a key made on first use, kept private, and a signed word with it.

Whoever has the key can push to the browsers that subscribed to it, if they know an endpoint too. A new key
ends all subscriptions: browsers subscribe anew when they see another one at ``/push/key``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from controlroom.hub.channels.sealed import public_point, unpadded
from controlroom.kit.secrets_file import read_or_make

FILE: Final = "push-key.pem"
GOOD_FOR_S: Final = 12 * 3600  # a service takes at most 24 hours; half of it forgives a clock that is off
NOBODY: Final = "mailto:nobody@example.com"  # some services want a contact, and refuse local names


class NoKey(Exception):
    """The key cannot be read or made; the text says why."""


class Vapid:
    """One key. ``contact``: a mailto: or https: address at which a push service may complain."""

    def __init__(self, key: ec.EllipticCurvePrivateKey, contact: str = "") -> None:
        self._key = key
        self._contact = contact or NOBODY
        self.public = unpadded(public_point(key.public_key()))
        """What browsers subscribe with (``applicationServerKey``)."""

    @classmethod
    def in_folder(cls, folder: Path, contact: str = "") -> Vapid:
        """The key of this data folder, made when there is none. Raises NoKey."""
        path = folder / FILE
        try:
            key = serialization.load_pem_private_key(read_or_make(path, _fresh, shortest=1), None)
        except OSError as error:
            raise NoKey(f"{path.name} cannot be read: {error.strerror}") from None
        except ValueError:
            raise NoKey(f"{path.name} holds no key") from None
        if not isinstance(key, ec.EllipticCurvePrivateKey) or key.curve.name != "secp256r1":
            raise NoKey(f"{path.name} holds a key of another kind")
        return cls(key, contact)

    def authorization(self, endpoint: str, now_s: int) -> str:
        """The header for one request to this endpoint. The claims are made anew each time: those of one push
        service are no good at another."""
        parts = urlsplit(endpoint)
        claims = {
            "aud": f"{parts.scheme}://{parts.netloc}",
            "exp": now_s + GOOD_FOR_S,
            "sub": self._contact,
        }
        return f"vapid t={jwt.encode(claims, self._key, algorithm='ES256')}, k={self.public}"


def _fresh() -> bytes:
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
