"""``controlroom login``: become a device of a control room on another computer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import CliError, wrong_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from controlroom.client.addresses import Address
    from controlroom.client.logins import Login, Logins


@declare(
    "login",
    examples="""
    controlroom login https://desk.tail1234.ts.net:8767
    controlroom login https://192.168.7.2:8767 https://desk.example --as desk
    controlroom fleet --hub desk
    """,
)
@click.argument("addresses", metavar="[URL]...", nargs=-1)
@click.option("--as", "name", metavar="NAME", help="What to call it here; its host name without it.")
@click.option("--plain-http", is_flag=True, help="Allow an address without encryption.")
@click.option("--forget", metavar="NAME", help="Forget a login (revoke the device there first).")
def command(
    call: Call, addresses: tuple[str, ...], name: str | None, plain_http: bool, forget: str | None
) -> None:
    """Use a control room on another computer from here.

    Type "controlroom pair" there, and its code here when asked (or on standard input). Several URLs are tried
    in their order, each time. A link of "controlroom pair" may stand for the URL. Without a URL: the logins
    that there are.
    """
    from controlroom.client.logins import Logins

    logins = Logins()
    if forget is not None:
        logins.get(forget)
        logins.remove(forget)
        call.out.say(f"Forgot {forget}.")
    elif not addresses:
        _show(call, logins)
    else:
        login = _log_in(call, logins, addresses, name, plain_http)
        shown = {
            "name": login.name,
            "device": login.device,
            "addresses": [one.url for one in login.addresses],
        }
        if call.json:
            call.out.json(shown)
        else:
            call.out.say(f"Logged in as a device. Now try: controlroom fleet --hub {login.name}")


def _log_in(call: Call, logins: Logins, typed: Sequence[str], name: str | None, plain_http: bool) -> Login:
    import asyncio

    from controlroom.client.addresses import check_plain
    from controlroom.client.logins import NAME
    from controlroom.client.pairing import log_in, remembered
    from controlroom.kit.clock import new_id

    addresses, code = _read(typed)
    check_plain(addresses, is_allowed=plain_http)
    chosen = name or addresses[0].host.replace(":", "-").strip("[]")
    if not NAME.fullmatch(chosen):
        raise wrong_use("--as NAME: up to 63 letters, digits and . _ - are allowed.")
    before = next((login for login in logins.all() if login.name == chosen), None)
    found = asyncio.run(remembered(addresses))
    if not call.json:
        for address in found.addresses:
            if address.pin is not None:
                call.out.say(f"The certificate of {address.url} is its own; it is remembered as")
                call.out.say(f"    {_in_pairs(address.pin)}")
        for away in found.away:
            call.out.say(f"{away} It is kept, and tried in its turn.")
    code = code or _ask_for_code(call)
    client_id = before.client_id if before is not None else new_id("cli")
    login = asyncio.run(log_in(chosen, client_id, found.addresses, code))
    logins.put(login)
    return login


def _read(typed: Sequence[str]) -> tuple[list[Address], str | None]:
    """What was typed as addresses in their order, and the code that a link brought along."""
    from controlroom.client.addresses import INVITE, read_address, read_invite

    addresses: list[Address] = []
    code: str | None = None
    for word in typed:
        if word.startswith((INVITE, "{")):
            more, brought = read_invite(word)
            addresses += more
        else:
            address, brought = read_address(word)
            addresses.append(address)
        code = code or brought
    return addresses, code


def _ask_for_code(call: Call) -> str:
    if sys.stdin.isatty():
        sys.stderr.write("Pairing code: ")
        sys.stderr.flush()
    code = sys.stdin.readline().strip()
    if not code:
        raise CliError("No pairing code was given. Make one there with: controlroom pair", "bad_request")
    return code


def _show(call: Call, logins: Logins) -> None:
    known, default = logins.all(), logins.default()
    if call.json:
        call.out.json(
            [{"name": login.name, "addresses": [one.url for one in login.addresses]} for login in known]
        )
        return
    if not known:
        call.out.say("No login yet: controlroom login URL")
    for login in known:
        used = "  used when none runs here" if default is not None and default.name == login.name else ""
        call.out.say(f"{login.name}  {', '.join(one.url for one in login.addresses)}{used}")


def _in_pairs(pin: str) -> str:
    return ":".join(pin[at : at + 2] for at in range(0, len(pin), 2)).upper()
