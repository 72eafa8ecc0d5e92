"""Which files may be fetched, what they are sent as, and what has to go."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.media import (
    Limits,
    MediaEntry,
    Sandbox,
    Span,
    byte_range,
    check_path,
    check_place,
    check_size,
    content_type,
    image_type,
    is_sensitive,
    is_under,
    sent_as,
    shown,
    to_drop,
)

BOX = Sandbox(
    roots=("/tmp", "/home/dev/.hermes/workspace"),
    protected=("/etc", "/proc", "/home/dev/.ssh", "/home/dev/.hermes/config.yaml", "/tmp/room"),
)
PNG = b"\x89PNG\r\n\x1a\nrest"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/tmp/a", None),
        ("rel.png", "relative"),
        ("", "relative"),
        ("~/x", "relative"),
        ("file:///tmp/a", "relative"),
        ("/tmp/a\0b", "missing"),
        ("/tmp/\ud800", "missing"),
        ("/" + "a" * 5000, "missing"),
    ],
)
def test_what_can_be_a_path(path: str, why: str | None) -> None:
    refused = check_path(path)
    assert (refused.why if refused else None) == why


@pytest.mark.parametrize(
    ("resolved", "strict", "why"),
    [
        ("/tmp/pic.png", True, None),
        ("/tmp", True, None),
        ("/tmpfoo/pic.png", True, "outside"),
        ("/home/dev/.hermes/workspace/a/b", True, None),
        ("/home/dev/notes.txt", True, "outside"),
        ("/home/dev/notes.txt", False, None),
        ("/etc/passwd", False, "protected"),
        ("/etcetera/x", False, None),
        ("/proc/self/environ", False, "protected"),
        ("/home/dev/.ssh/id_rsa", False, "protected"),
        ("/home/dev/.hermes/config.yaml", False, "protected"),
        ("/tmp/room/hub.sqlite", True, "protected"),
        ("/tmp/project/.env", True, "protected"),
        ("/tmp/krb5cc_1000", True, "protected"),
        ("/tmp/backup/id_ed25519", True, "protected"),
        ("/tmp/profile/.Credentials.json", True, "protected"),
    ],
)
def test_where_a_file_may_lie(resolved: str, strict: bool, why: str | None) -> None:
    refused = check_place(resolved, BOX, "/asked", strict=strict)
    assert (refused.why if refused else None) == why


def test_an_answer_names_only_what_was_asked() -> None:
    refused = check_place("/home/dev/.ssh/id_rsa", BOX, "/tmp/link", strict=True)
    assert refused is not None
    assert refused.text == "path is in a protected credential/system location: '/tmp/link'"
    assert "\n" not in shown("/tmp/a\nb\x1b[2J")
    assert len(shown("/" + "x" * 4000)) < 320


@given(st.text("/.ab", min_size=1, max_size=24))
def test_a_path_is_under_a_place_exactly_when_its_parts_begin_with_the_places(tail: str) -> None:
    path = posixpath.normpath("/" + tail).replace("//", "/")
    place = "/a/b"
    assert is_under(path, place) == (path.split("/")[:3] == ["", "a", "b"])


@given(st.text(max_size=60), st.sampled_from(["/tmp/", "/etc/", "/home/dev/.ssh/", ""]))
def test_whatever_passes_lies_under_a_root_and_in_no_protected_place(tail: str, start: str) -> None:
    path = start + tail
    if check_path(path) is None and check_place(path, BOX, path, strict=True) is None:
        assert any(path == root or path.startswith(root + "/") for root in BOX.roots)
        assert not any(path == place or path.startswith(place + "/") for place in BOX.protected)


def test_a_file_over_the_limit_is_refused_with_both_numbers() -> None:
    assert check_size(1_048_576, 1_048_576) is None
    refused = check_size(1_200_000, 1_048_576)
    assert refused is not None
    assert refused.text == "file too large (1200000 bytes, max 1048576)"


@pytest.mark.parametrize(
    ("said", "result"),
    [
        (True, True), (False, False), (1, True), (0, False), (2, True), ("1", True), ("true", True),
        ("YES", True), ("on", True), ("no", False), ("", False), (None, False), (1.5, False), ([1], False),
    ],
)  # fmt: skip
def test_the_sensitive_flag_is_read_as_the_contract_does(said: object, result: bool) -> None:
    assert is_sensitive(said) is result


@pytest.mark.parametrize(
    ("head", "type_"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a..", "image/gif"),
        (b"GIF87a..", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\0\0\0WAVEfmt ", None),
        (b"<svg xmlns=", None),
        (b"GIF8", None),
        (b"", None),
    ],
)
def test_images_are_known_by_their_bytes(head: bytes, type_: str | None) -> None:
    assert image_type(head) == type_


@pytest.mark.parametrize(
    ("head", "declared", "name", "type_", "disposition"),
    [
        (PNG, "image/jpeg", 'shot "1".png', "image/png", 'inline; filename="shot 1.png"'),
        (PNG, "text/html", None, "image/png", "inline"),
        (b"<script>", "text/html", "a.html", "text/html", 'attachment; filename="a.html"'),
        (b"<script>", "image/png", "a.png", "application/octet-stream", 'attachment; filename="a.png"'),
        (b"<svg/>", "image/svg+xml", None, "image/svg+xml", "attachment"),
        (b"x", "text/plain", "a\rSet-Cookie: x", "text/plain", 'attachment; filename="a Set-Cookie: x"'),
        (b"x", "a/b", "é.txt", "a/b", "attachment; filename=\"_.txt\"; filename*=UTF-8''%C3%A9%2Etxt"),
        (b"x", "text/plain", '"/\\', "text/plain", "attachment"),
    ],
)  # fmt: skip
def test_only_real_images_are_shown_in_place(
    head: bytes, declared: str, name: str | None, type_: str, disposition: str
) -> None:
    sent = sent_as(head, declared, name)
    assert sent == {"Content-Type": type_, "Content-Disposition": disposition}


@given(st.text(max_size=80), st.binary(max_size=16))
def test_no_name_can_break_out_of_its_header(name: str, head: bytes) -> None:
    sent = sent_as(head, "text/plain", name)["Content-Disposition"]
    assert sent.isascii() and sent.isprintable()
    assert sent.count('"') in {0, 2}


@pytest.mark.parametrize(
    ("said", "type_"),
    [
        ("image/PNG", "image/png"),
        ("text/plain; charset=utf-8", "text/plain"),
        ("text/x-custom", "text/x-custom"),
        ("text", None),
        ("", None),
        ("a/b\r\nX: y", None),
        ("a/b/c", None),
        (None, None),
        (5, None),
    ],
)
def test_declared_types(said: object, type_: str | None) -> None:
    assert content_type(said) == type_


@pytest.mark.parametrize(
    ("header", "size", "result"),
    [
        ("bytes=2-4", 10, Span(2, 3)),
        ("bytes=2-", 10, Span(2, 8)),
        ("bytes=-3", 10, Span(7, 3)),
        ("bytes=-30", 10, Span(0, 10)),
        ("bytes=0-99", 10, Span(0, 10)),
        ("bytes=10-", 10, "unsatisfiable"),
        ("bytes=-0", 10, "unsatisfiable"),
        ("bytes=0-", 0, "unsatisfiable"),
        ("bytes=4-2", 10, "all"),
        ("bytes=1-2,4-5", 10, "all"),
        ("bytes=-", 10, "all"),
        ("lines=1-2", 10, "all"),
        ("bytes=1-99999999999999999999", 10, "all"),
        ("", 10, "all"),
    ],
)
def test_ranges(header: str, size: int, result: object) -> None:
    assert byte_range(header, size) == result


@given(st.text("bytes=-,0123456789 ", max_size=30), st.integers(0, 1000))
def test_a_range_never_leaves_the_file(header: str, size: int) -> None:
    span = byte_range(header, size)
    if isinstance(span, Span):
        assert span.length > 0 and span.start >= 0 and span.start + span.length <= size


def entry(token: str, *, size: int = 1, is_upload: bool = False, expires_ms: int = 1000) -> MediaEntry:
    return MediaEntry(
        token=token,
        path=token,
        content_type="text/plain",
        file_name=None,
        size=size,
        is_sensitive=False,
        is_upload=is_upload,
        created_ms=0,
        expires_ms=expires_ms,
        accessed_ms=0,
    )


def tokens(entries: list[MediaEntry]) -> list[str]:
    return [entry.token for entry in entries]


def test_what_has_expired_goes_and_then_the_longest_unused() -> None:
    entries = [entry("a"), entry("b", expires_ms=5), entry("c"), entry("d")]
    assert tokens(to_drop(entries, 5, Limits(entries=2, uploads=100))) == ["b", "a"]
    assert tokens(to_drop(entries, 4, Limits(entries=4, uploads=100))) == []


def test_uploads_share_a_limit_in_bytes_that_offers_of_other_files_do_not_touch() -> None:
    entries = [
        entry("old", size=60, is_upload=True),
        entry("file", size=10_000),
        entry("new", size=50, is_upload=True),
    ]
    assert tokens(to_drop(entries, 0, Limits(entries=9, uploads=100))) == ["old"]
    assert tokens(to_drop(entries, 0, Limits(entries=9, uploads=49))) == ["old", "new"]


@given(
    st.lists(st.tuples(st.integers(1, 50), st.booleans(), st.integers(0, 9)), max_size=12),
    st.integers(1, 6),
    st.integers(0, 100),
)
def test_what_is_left_keeps_all_limits(rows: list[tuple[int, bool, int]], most: int, uploads: int) -> None:
    entries = [
        entry(str(n), size=size, is_upload=up, expires_ms=ends) for n, (size, up, ends) in enumerate(rows)
    ]
    dropped = set(tokens(to_drop(entries, 5, Limits(entries=most, uploads=uploads))))
    left = [one for one in entries if one.token not in dropped]
    assert len(left) <= most
    assert sum(one.size for one in left if one.is_upload) <= uploads
    assert all(one.expires_ms > 5 for one in left)
