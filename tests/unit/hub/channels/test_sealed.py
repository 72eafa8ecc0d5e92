"""The encryption of Web Push, by the example of RFC 8291 (section 5 and appendix A)."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from controlroom.hub.channels.sealed import BadKeys, checked_keys, from_unpadded, sealed, unpadded

TEXT = b"When I grow up, I want to be a watermelon"
OWN = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
P256DH = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz"
    "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def test_the_example_of_the_rfc() -> None:
    own = ec.derive_private_key(int.from_bytes(from_unpadded(OWN), "big"), ec.SECP256R1())
    assert unpadded(sealed(TEXT, P256DH, AUTH, own=own, salt=from_unpadded(SALT))) == BODY


def test_no_two_messages_look_alike() -> None:
    assert sealed(TEXT, P256DH, AUTH) != sealed(TEXT, P256DH, AUTH)


@pytest.mark.parametrize(
    ("p256dh", "auth"),
    [
        ("", AUTH),
        (P256DH, ""),
        (P256DH[:-4], AUTH),
        (P256DH, AUTH[:-4]),
        ("B" + "A" * 86, AUTH),  # on no curve
        ("not base64 ✗", AUTH),
        (P256DH, "not base64 ✗"),
    ],
)
def test_keys_that_are_none(p256dh: str, auth: str) -> None:
    with pytest.raises(BadKeys):
        checked_keys(p256dh, auth)
