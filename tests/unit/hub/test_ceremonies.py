"""What is read of an answer before anything is checked; whatever comes, it is an answer or no good."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.unlock import Challenge, Site
from controlroom.hub import ceremonies
from controlroom.hub.ceremonies import LARGEST_ANSWER, NoGood
from controlroom.hub.store.passkey_rows import PasskeyRow
from controlroom.wire.device import Passkey
from tests.support.authenticator import Authenticator, text

SITE = Site("http://localhost:8767", "localhost")
ROW = PasskeyRow(
    shown=Passkey(id="AQID", name="Phone", site="localhost", created_ms=1), public_key=b"x", sign_count=0
)


def answer(client_data: bytes) -> bytes:
    return json.dumps({"id": "AQID", "response": {"clientDataJSON": text(client_data)}}).encode()


def test_an_answer_names_its_challenge_and_its_passkey() -> None:
    authenticator = Authenticator(SITE.origin)
    shown = json.dumps(authenticator.get({"challenge": "abc"})).encode()
    assert ceremonies.challenge_and_id(shown) == ("abc", text(authenticator.id))


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"id":"x"}',
        b'{"id":"x","response":{}}',
        b'{"id":"x","response":{"clientDataJSON":7}}',
        b'{"id":"x","response":{"clientDataJSON":"%%%"}}',
        b'{"id":"x","response":{"clientDataJSON":"\xc3\xa9"}}',
        answer(b""),
        answer(b"{}"),
        answer(b'{"challenge":7}'),
        answer(b"\xff\xfe"),
        b"[" * 20_000,
        b"x" * (LARGEST_ANSWER + 1),
    ],
)
def test_whatever_cannot_be_read_is_no_good(said: bytes) -> None:
    with pytest.raises(NoGood):
        ceremonies.challenge_and_id(said)


@given(st.binary(max_size=300))
def test_any_bytes_are_an_answer_or_no_good(said: bytes) -> None:
    for given_bytes in (said, answer(said)):
        try:
            ceremonies.challenge_and_id(given_bytes)
        except NoGood:
            pass


@given(st.binary(max_size=300))
def test_any_bytes_prove_nothing(said: bytes) -> None:
    with pytest.raises(NoGood):
        ceremonies.check_unlock(Challenge("AAAA", "unlock", SITE, 0), said, ROW)
    with pytest.raises(NoGood):
        ceremonies.check_registration(Challenge("AAAA", "register", SITE, 0), said)


def test_the_library_is_not_imported_on_the_way_to_ready() -> None:
    program = "import sys, controlroom.app.room, controlroom.cli.up; print('webauthn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
