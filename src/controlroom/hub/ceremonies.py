"""The two ceremonies of Web Authentication: what the browser is asked, and whether its answer is good.

The library is large: it is imported with the first ceremony, in a thread, and never on the way to "ready".
Answers are outside text; whatever is wrong with one, it is simply no good. Blocking: call it in a thread.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import msgspec

from controlroom.core.unlock import CHALLENGE_MS, Challenge
from controlroom.hub.store.passkey_rows import PasskeyRow

if TYPE_CHECKING:
    from webauthn.helpers.structs import PublicKeyCredentialDescriptor

PRODUCT = "Control Room"
LARGEST_ANSWER = 32 * 1024  # bytes; ours have about one thousand


class NoGood(Exception):
    """The answer proves nothing; the text says why, for the log."""


class Made(msgspec.Struct, frozen=True):
    """A new credential."""

    id: str
    public_key: bytes
    sign_count: int


class _ClientData(msgspec.Struct):
    challenge: str


class _Response(msgspec.Struct):
    client_data_json: str = msgspec.field(name="clientDataJSON")


class _Answer(msgspec.Struct):
    id: str
    response: _Response


def challenge_and_id(credential: bytes) -> tuple[str, str]:
    """The challenge that an answer is for, and the credential that gave it. Raises NoGood."""
    if len(credential) > LARGEST_ANSWER:
        raise NoGood("too large")
    try:
        answer = msgspec.json.decode(credential, type=_Answer)
        data = msgspec.json.decode(_bytes(answer.response.client_data_json), type=_ClientData)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise NoGood(f"unreadable: {str(error)[:200]}") from None
    return data.challenge, answer.id


def register_options(challenge: Challenge, device_id: str, name: str, known: list[PasskeyRow]) -> bytes:
    """What ``navigator.credentials.create`` takes, as JSON."""
    import webauthn
    from webauthn.helpers import structs

    options = webauthn.generate_registration_options(
        rp_id=challenge.site.name,
        rp_name=PRODUCT,
        user_id=device_id.encode(),
        user_name=name,
        user_display_name=name,
        challenge=_bytes(challenge.value),
        timeout=CHALLENGE_MS,
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.PREFERRED,
            user_verification=structs.UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[_descriptor(row) for row in known],
    )
    return webauthn.options_to_json(options).encode()


def unlock_options(challenge: Challenge, known: list[PasskeyRow]) -> bytes:
    """What ``navigator.credentials.get`` takes, as JSON."""
    import webauthn
    from webauthn.helpers import structs

    options = webauthn.generate_authentication_options(
        rp_id=challenge.site.name,
        challenge=_bytes(challenge.value),
        timeout=CHALLENGE_MS,
        allow_credentials=[_descriptor(row) for row in known],
        user_verification=structs.UserVerificationRequirement.REQUIRED,
    )
    return webauthn.options_to_json(options).encode()


def check_registration(challenge: Challenge, credential: bytes) -> Made:
    """The credential that the browser made. Raises NoGood."""
    import webauthn
    from webauthn.helpers import bytes_to_base64url

    try:
        made = webauthn.verify_registration_response(
            credential=credential.decode(),
            expected_challenge=_bytes(challenge.value),
            expected_rp_id=challenge.site.name,
            expected_origin=challenge.site.origin,
            require_user_verification=True,
        )
    except Exception as error:  # noqa: BLE001 - the library lets through what its own parsers raise
        raise NoGood(_short(error)) from None
    return Made(bytes_to_base64url(made.credential_id), made.credential_public_key, made.sign_count)


def check_unlock(challenge: Challenge, credential: bytes, row: PasskeyRow) -> int:
    """The counter of a good answer. Raises NoGood."""
    import webauthn

    try:
        proof = webauthn.verify_authentication_response(
            credential=credential.decode(),
            expected_challenge=_bytes(challenge.value),
            expected_rp_id=challenge.site.name,
            expected_origin=challenge.site.origin,
            credential_public_key=row.public_key,
            credential_current_sign_count=0,  # the store compares it, in the transaction that keeps it
            require_user_verification=True,
        )
    except Exception as error:  # noqa: BLE001 - the library lets through what its own parsers raise
        raise NoGood(_short(error)) from None
    return proof.new_sign_count


def _descriptor(row: PasskeyRow) -> PublicKeyCredentialDescriptor:
    from webauthn.helpers import structs

    return structs.PublicKeyCredentialDescriptor(id=_bytes(row.shown.id))


def _bytes(text: str) -> bytes:
    """Raises ValueError."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"
