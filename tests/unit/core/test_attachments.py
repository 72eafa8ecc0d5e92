"""Names, types and the text that tells an agent of its files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.attachments import (
    LONGEST_NAME,
    MOST,
    Placed,
    Told,
    placed_name,
    safe_name,
    size_text,
    split_typed,
    type_of,
    typed_text,
)

INBOX = "/home/kim/shop/.controlroom/inbox"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("photo.png", "photo.png"),
        ("My photo 1.png", "My-photo-1.png"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\kim\\a.txt", "a.txt"),
        (".env", "env"),
        ("--help", "help"),
        ("a`b$(c).sh", "a-b-(c).sh"),
        ("größe.txt", "größe.txt"),
        ("exe\u202etxt.png", "exetxt.png"),
        ("", "file"),
        (None, "file"),
        ("...", "file"),
        ("a\nb.txt", "a-b.txt"),
    ],
)
def test_names_are_harmless(said: str | None, name: str) -> None:
    assert safe_name(said) == name


@given(st.text(max_size=600))
def test_every_name_is_one_part_of_a_path(said: str) -> None:
    name = safe_name(said)
    assert name
    assert len(name) <= LONGEST_NAME
    assert not set(name) & set("/\\`\n\0 \"'$")
    assert name[0] not in ".-"
    assert len(placed_name("upl_" + "a" * 26, name).encode()) <= 255


def test_a_long_name_keeps_its_ending() -> None:
    assert safe_name("a" * 300 + ".png").endswith(".png")


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\x89PNG\r\n\x1a\nrest", "image/png"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"%PDF-1.7", "application/pdf"),
        (b"PK\x03\x04rest", "application/zip"),
        (b"<svg onload='x'>", "text/plain"),
        (b"hello", "text/plain"),
        (b"", "text/plain"),
        ("größe".encode() * 100 + "ö".encode()[:1], "text/plain"),
        (b"\xff\xfe\x00", "application/octet-stream"),
    ],
)
def test_a_file_is_what_its_bytes_say(head: bytes, kind: str) -> None:
    assert type_of(head) == kind


def test_sizes_are_words() -> None:
    assert [size_text(n) for n in (0, 999, 1000, 24_400, 999_600, 3_120_000)] == [
        "0 B", "999 B", "1 kB", "24 kB", "1.0 MB", "3.1 MB",
    ]  # fmt: skip


def test_the_agent_is_told_of_files_behind_the_text() -> None:
    files = [Placed(f"{INBOX}/upl_1a-photo.png", "image/png", 24_000)]
    assert typed_text("Look at this\n", files) == (
        f"Look at this\n\nAttached files:\n- `{INBOX}/upl_1a-photo.png` (image/png, 24 kB)"
    )
    assert typed_text("", files).startswith("Attached files:\n")
    assert typed_text("as it is\n", []) == "as it is\n"


@given(
    st.text(max_size=200),
    st.lists(
        st.tuples(
            st.from_regex("upl_[a-z0-9]{4,26}", fullmatch=True), st.text(max_size=60), st.integers(0, 10**8)
        ),
        min_size=1,
        max_size=MOST,
    ),
)
def test_what_was_typed_is_taken_apart_again(text: str, said: list[tuple[str, str, int]]) -> None:
    named = [(id, safe_name(name), size) for id, name, size in said]
    files = [Placed(f"{INBOX}/{placed_name(id, name)}", "text/plain", size) for id, name, size in named]
    own, told = split_typed(typed_text(text, files))
    assert own == text.rstrip()
    assert told == tuple(Told(id, name, "text/plain") for id, name, _ in named)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Attached files:",
        "Attached files:\n- nothing of ours",
        "Attached files:\n- `/etc/passwd` (text/plain, 1 kB)",
        f"Attached files:\n- `{INBOX}/upl_1-a.txt` (text/plain, 1 kB)\nand more",
        f"see Attached files:\n- `{INBOX}/upl_1-a.txt` (text/plain, 1 kB)",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert split_typed(text) == (text, ())
