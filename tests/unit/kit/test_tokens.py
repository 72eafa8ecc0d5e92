"""Secrets of devices: their forms, and how they are compared."""

from __future__ import annotations

from uuid import UUID

from controlroom.kit.tokens import digest, draw, is_same, long_token, session_token


def test_tokens_have_the_forms_that_clients_expect() -> None:
    token = session_token()
    assert len(token) == 36 and UUID(token).version == 4
    assert len(long_token()) == 43
    assert len({session_token() for _ in range(100)} | {long_token() for _ in range(100)}) == 200


def test_drawn_numbers_stay_below_their_limit() -> None:
    drawn = draw(500, 36)
    assert set(drawn) <= set(range(36)) and len(set(drawn)) > 20


def test_any_text_has_a_digest() -> None:
    assert digest("abc").startswith("ba7816bf")
    assert is_same(digest("\ud800"), digest("\ud800"))
    assert not is_same(digest("a"), digest("b"))
