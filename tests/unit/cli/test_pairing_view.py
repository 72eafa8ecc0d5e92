"""Invitations, QR codes and devices as people see them."""

from __future__ import annotations

import pytest
import segno

from controlroom.cli.devices import render_device
from controlroom.cli.errors import CliError
from controlroom.cli.lifetimes import grants, seconds
from controlroom.cli.pair import render_invitation
from controlroom.cli.qr_view import BORDER, qr_lines, qr_width
from controlroom.wire.device import Device, Invitation

NOW = 1_796_000_000_000
DAY = 86_400_000


def drawn(lines: list[str], is_inverse: bool) -> list[list[bool]]:
    """The modules that the cells show: True = dark."""
    modules: list[list[bool]] = []
    for line in lines:
        modules.append([(cell in "█▀") != is_inverse for cell in line])
        modules.append([(cell in "█▄") != is_inverse for cell in line])
    return modules


@pytest.mark.parametrize("colour", [True, False])
def test_a_code_is_drawn_module_by_module(colour: bool) -> None:
    text = '{"hermes":3,"host":"192.0.2.1"}' * 6
    lines = qr_lines(text, 120, colour)
    assert lines is not None
    wanted = [
        [bool(m) for m in row] for row in segno.make(text, error="l", micro=False).matrix_iter(border=BORDER)
    ]
    plain = [line.removeprefix("\x1b[38;5;16;48;5;231m").removesuffix("\x1b[0m") for line in lines]
    assert drawn(plain, is_inverse=not colour)[: len(wanted)] == wanted
    assert {len(line) for line in plain} == {qr_width(text)}


def test_a_code_that_does_not_fit_says_what_helps() -> None:
    qr = "x" * 600
    invitation = Invitation(code="AB12CD", expires_ms=NOW, links=("https://x/app/#pair=AB12CD",), qr=qr)
    shown = "\n".join(render_invitation(invitation, 80, colour=False))
    assert f"needs {qr_width(qr)} columns" in shown
    assert qr_lines(qr, 80, colour=False) is None
    assert "AB12CD" in shown and "controlroom login https://x" in shown


@pytest.mark.parametrize(
    ("link", "is_drawn"),
    [
        ("https://studio.tail1234.ts.net:8767/app/#pair=AB12CD", True),
        ("http://192.168.1.5:8767/app/#pair=AB12CD", True),
        ("http://localhost:8767/app/#pair=AB12CD", False),
        ("http://127.0.0.1:8767/app/#pair=AB12CD", False),
        ("http://[::1]:8767/app/#pair=AB12CD", False),
    ],
)
def test_a_phone_s_camera_gets_the_link_when_it_can_open_it(link: str, is_drawn: bool) -> None:
    invitation = Invitation(code="AB12CD", expires_ms=NOW, links=(link,))
    lines = render_invitation(invitation, 80, colour=False)
    wanted = qr_lines(link, 80, colour=False) or []
    assert (lines[2 : 2 + len(wanted)] == wanted) is is_drawn
    assert ("camera" in lines[0]) is is_drawn
    assert any(link in line for line in lines)


def test_notes_of_an_invitation_are_safe_to_print() -> None:
    invitation = Invitation(code="AB12CD", expires_ms=NOW, notes=("Mind\x1b[31m this.",))
    assert "\x1b" not in "".join(render_invitation(invitation, 80, colour=False))


def device(**more: object) -> Device:
    fields: dict[str, object] = {
        "id": "dev_1",
        "prefix": "3f0c9a12",
        "kind": "relay",
        "name": "Pixel",
        "device_id": "d",
        "created_ms": NOW,
        "last_seen_ms": NOW - 120_000,
        "expires_ms": NOW + 30 * DAY,
        "grants": {"chat": NOW + 30 * DAY, "bridge": NOW + 7 * DAY, "tui": NOW - 1},
        "address": "100.64.0.9",
        "transport": "wss",
        "door": "proxy",
    }
    return Device(**{**fields, **more})  # type: ignore[arg-type] # fields by name


def test_a_device_in_a_few_lines() -> None:
    assert render_device(device(), False, NOW, 80) == [
        "Pixel  3f0c9a12  (relay app)",
        "  seen 2 min ago at 100.64.0.9, encrypted, through the proxy; paired for 30 d",
        "  may: chat, bridge (for 7 d), tui (ended)",
    ]
    kim = device(tailscale_user="kim@example.com", tailscale_name="Kim\x1b[31m")
    assert render_device(kim, False, NOW, 140)[1] == (
        "  seen 2 min ago at 100.64.0.9, encrypted, through the proxy, as Kim <kim@example.com> of the"
        " tailnet; paired for 30 d"
    )
    never = device(expires_ms=None, grants={}, kind="cli", name="Lap\ntop", address="", transport="unknown")
    assert render_device(never, True, NOW, 80) == [
        "Lap top  3f0c9a12  (command line, this one)",
        "  seen 2 min ago, through the proxy; paired for good",
        "  may: nothing",
    ]


def test_lifetimes_as_people_type_them() -> None:
    assert seconds("--ttl", None) is None
    assert seconds("--ttl", "30d") == 30 * 86_400
    assert seconds("--ttl", "never") == 0
    assert grants(None) is None
    assert grants("terminal=7d, bridge=none,chat=never") == {"terminal": 604_800, "bridge": -1, "chat": 0}
    for wrong in ("terminal", "terminal=x", "=7d", "=none,x"):
        with pytest.raises(CliError, match="--grants"):
            grants(wrong)
    with pytest.raises(CliError, match="--ttl"):
        seconds("--ttl", "soon")
