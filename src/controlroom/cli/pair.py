"""``controlroom pair``: a code that lets one device in, as a QR code, a link and plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import wrong_use

if TYPE_CHECKING:
    from controlroom.wire.device import Invitation, PairingCode, PendingPairing


@declare(
    "pair",
    examples="""
    controlroom pair --name "My phone"
    controlroom pair --ttl never --grants terminal=7d,bridge=none
    controlroom pair pending
    controlroom pair approve AB12CD
    """,
)
@click.argument("what", required=False, type=click.Choice(["approve", "pending"]))
@click.argument("code", required=False)
@click.option("--name", help="What to call the device.")
@click.option("--ttl", metavar="TIME", help="How long it stays paired: 30d, 12h, never; 30d without it.")
@click.option(
    "--grants", metavar="LIST", help="How long single rights last: terminal=7d,bridge=1d,answers=none."
)
@click.option(
    "--mode",
    type=click.Choice(["auto", "lan", "tailscale", "public"]),
    default="auto",
    show_default=True,
    help="Which addresses the code offers.",
)
@click.option("--public-url", metavar="URL", help="An address of yours that leads here from outside.")
@click.option("--api-url", metavar="URL", help="The Hermes API server that a phone shall use.")
@click.option("--dashboard-url", metavar="URL", help="Its dashboard.")
@click.option("--with-api-key", is_flag=True, help="Put the Hermes host's API key into the QR code.")
def command(
    call: Call,
    what: str | None,
    code: str | None,
    name: str | None,
    ttl: str | None,
    grants: str | None,
    mode: str,
    public_url: str | None,
    api_url: str | None,
    dashboard_url: str | None,
    with_api_key: bool,
) -> None:
    """Let a phone, a browser or another computer in.

    The code works once, within ten minutes. "pending" lists phones that show a code of their own, without it:
    type what your phone shows after "approve", and that phone gets in.
    """
    import msgspec

    from controlroom.cli import lifetimes
    from controlroom.wire.device import ApprovePairing, MintPairing

    ttl_s, given = lifetimes.seconds("--ttl", ttl), lifetimes.grants(grants)
    if (what == "approve") != (code is not None):
        raise wrong_use("pair approve CODE: name the code that the phone shows.")
    if what == "pending":
        pairings = call.hub(lambda hub: hub.pairings())
        if call.json:
            call.out.json(pairings)
        else:
            _show_pending(call, pairings.pending)
    elif code is not None:
        approval = ApprovePairing(code=code, name=name, ttl_s=ttl_s, grants=given)
        approved = call.hub(lambda hub: hub.approve_pairing(approval))
        if call.json:
            call.out.json(approved)
        else:
            call.out.lines(render_approval(approved, call.out.width))
    else:
        wish = msgspec.convert(
            {
                "name": name,
                "ttl_s": ttl_s,
                "grants": given,
                "mode": mode,
                "public_url": public_url,
                "api_url": api_url,
                "dashboard_url": dashboard_url,
                "with_api_key": with_api_key,
            },
            MintPairing,
        )
        invitation = call.hub(lambda hub: hub.pair(wish))
        if call.json:
            call.out.json(invitation)
        else:
            call.out.lines(render_invitation(invitation, call.out.width, call.out.colour))


def render_approval(approved: PairingCode, width: int) -> list[str]:
    """Who may come in now; an approval of a code that nobody has shown must not look like any other."""
    from controlroom.cli import text

    if approved.asked is not None:
        said = f"{_asking(approved.asked)} may come in now: try again there."
    else:
        said = (
            f"No device has shown the code {approved.code} so far. The first that shows it within ten "
            "minutes comes in. When that is not what your device shows, type again what it does."
        )
    return text.wrap(said, width)


def render_invitation(invitation: Invitation, width: int, colour: bool) -> list[str]:
    """The QR code, then everything it says as text."""
    from controlroom.cli import text
    from controlroom.cli.qr_view import qr_lines, qr_width

    lines: list[str] = []
    if invitation.qr is not None:
        drawn = qr_lines(invitation.qr, width, colour)
        if drawn is None:
            needed = qr_width(invitation.qr)
            drawn = [f"The QR code needs {needed} columns and this terminal has {width}: make it wider, or"]
            drawn += ["choose one address with --mode.", ""]
        lines += ["Scan with the Hermes-Relay app:", "", *drawn, ""]
    lines += _for_cameras(invitation, width, colour)
    lines.append(f"Pairing code   {invitation.code}   works once, within ten minutes")
    for number, link in enumerate(invitation.links):
        lines.append(f"{'Browser' if number == 0 else '    or':<15}{text.line(link)}")
    if invitation.links:
        base = invitation.links[0].partition("/app/#")[0]
        lines.append(f"{'Computer':<15}controlroom login {text.line(base)}")
    if invitation.relay_link is not None:
        lines.append(f"{'App link':<15}{text.line(invitation.relay_link, 8_000)}")
    for note in invitation.notes:
        lines += ["", *text.wrap(text.line(note), width)]
    return lines


def _for_cameras(invitation: Invitation, width: int, colour: bool) -> list[str]:
    """The link as a code of its own, for a phone's camera; nothing when no other device can open the link."""
    from controlroom.cli.qr_view import qr_lines
    from controlroom.core.origin import LOCAL_NAMES, host_name

    reachable = [
        link
        for link in invitation.links
        if host_name(link.partition("//")[2].partition("/")[0]) not in LOCAL_NAMES
    ]
    drawn = qr_lines(reachable[0], width, colour) if reachable else None
    return [] if drawn is None else ["Scan with a phone's camera to open the app:", "", *drawn, ""]


def _show_pending(call: Call, pending: tuple[PendingPairing, ...]) -> None:
    from controlroom.cli import times
    from controlroom.kit.clock import SystemClock

    if not pending:
        call.out.say("No device waits for approval.")
        return
    now_ms = SystemClock().now_ms()
    for one in pending:
        call.out.say(f"{_asking(one)}, {times.span(now_ms - one.asked_ms)} ago")
    call.out.say(f"When one is yours, type the code that it shows: {call.hint('pair', 'approve', 'CODE')}")


def _asking(one: PendingPairing) -> str:
    from controlroom.cli import text

    name = text.line(one.device_name, 40) or "A device"
    return f"{name} from {text.line(one.address, 60)}" if one.address else name
