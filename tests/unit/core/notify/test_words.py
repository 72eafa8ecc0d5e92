"""What a locked screen may show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.notify.words import TEXT_LIMIT, shown, without_secrets

SECRETS = [
    "sk-live_51Habcdefgh",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "xoxb-1234567890-abcdefghij",
]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "frame", ["Use {} now?", "`{}`", "TOKEN={}", "```\n{}\n```", "https://u:{}@a.example/"]
)
def test_a_secret_never_stands_on_a_locked_screen(secret: str, frame: str) -> None:
    assert secret not in without_secrets(frame.format(secret))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Shall I merge the branch?", "Shall I merge the branch?"),
        ("Keep **both** parsers, the _old_ one too?", "Keep both parsers, the old one too?"),
        ("Run `rm -rf build` first?", "Run […] first?"),
        ("The code is 123 456.", "The code is […]."),
        ("The password is hunter2, use it", "The password is […] use it"),
        ("api_key: abc", "api_key: […]"),
        ("See https://docs.example/a/b?token=1 please", "See https://docs.example please"),
        ("Use src/controlroom/core/notify/words.py or test_2026_11_30?", None),
        ("In 2026 it took 41 minutes and 3,200 rows.", None),
        ("Shall I run rm -rf /var/lib/data now?", "Shall I run […]?"),
        ("Run: sudo systemctl restart nginx?", "Run: […]?"),
        ("May I git push origin main?", "May I […]?"),
        ("Is git or docker better here? I prefer python.", None),
        ("Does the python version matter, or is npm the trouble?", None),
        ("Your code is 4821, the OTP 48213", "Your code is […], the OTP […]"),
        ("It ended with exit code 137. Go on?", None),
        ("Send Authorization: Bearer abc.def-ghi?", "Send Authorization: Bearer […]?"),
        ("Is -----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY----- it?", "Is […] it?"),
        ("$ curl https://a.example\nGo on?", "[…] Go on?"),
    ],
)
def test_words_stay_and_code_goes(text: str, left: str | None) -> None:
    assert shown(text, "words") == (text if left is None else left)


def test_who_allows_it_sees_all_and_who_does_not_sees_nothing() -> None:
    assert shown("Run `make`?", "all") == "Run `make`?"
    assert shown("Run `make`?", "none") == ""


@given(st.text(max_size=2_000))
def test_any_text_is_one_limited_line(text: str) -> None:
    said = shown(text, "words")
    assert len(said) <= TEXT_LIMIT
    assert "\n" not in said
    assert "\x1b" not in said
