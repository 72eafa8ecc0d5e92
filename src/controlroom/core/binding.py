"""At which addresses the device door may listen, and over what, decided before anything is opened.

Source: house.md section 3. Loopback and private addresses (tailnet 100.64/10, RFC 1918, unique local) are
fine; everything else, and all addresses at once, must be wanted in words. Plain HTTP stays on this machine
and in the tailnet, which encrypts by itself.
"""

from __future__ import annotations

import ipaddress
from typing import Final

import msgspec

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

LOOPBACK: Final = ("127.0.0.1", "::1")
TAILNETS: Final = (ipaddress.ip_network("100.64.0.0/10"), ipaddress.ip_network("fd7a:115c:a1e0::/48"))
PRIVATE: Final = (
    ipaddress.ip_network("10.0.0.0/8"),
    ipaddress.ip_network("172.16.0.0/12"),
    ipaddress.ip_network("192.168.0.0/16"),
    ipaddress.ip_network("fc00::/7"),
)


class Binding(msgspec.Struct, frozen=True, kw_only=True):
    """``addresses``: to listen at, the wished one first. ``beyond``: the one that other machines reach,
    "" when there is none, or an unspecified address for all."""

    addresses: tuple[str, ...] = LOOPBACK
    beyond: str = ""

    @property
    def is_everywhere(self) -> bool:
        return bool(self.beyond) and ipaddress.ip_address(self.beyond).is_unspecified

    @property
    def is_in_tailnet(self) -> bool:
        return bool(self.beyond) and is_tailnet(ipaddress.ip_address(self.beyond))

    @property
    def is_readable(self) -> bool:
        """Whether plain HTTP would be readable for others on its way."""
        return bool(self.beyond) and not self.is_in_tailnet


def binding(host: str, *, has_tls: bool, is_public: bool = False, plain_http: bool = False) -> Binding:
    """Where to listen when the person says ``--host HOST``; this machine itself can always connect.

    Raises ValueError, a sentence that names the flag to use.
    """
    if host == "localhost":
        return Binding()
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        raise ValueError(f"--host {host[:80]!r} is not an address, such as 192.168.1.5") from None
    if address.is_loopback:
        shown = str(address)
        return Binding() if shown in LOOPBACK else Binding(addresses=(shown,))
    if not is_private(address) and not is_public:
        where = "every address of this machine" if address.is_unspecified else "an address of the Internet"
        raise ValueError(
            f"--host {host} is {where}; name one of your private network, or say --public if you mean it"
        )
    if not (has_tls or plain_http or is_tailnet(address)):
        raise ValueError(
            f"--host {host} would carry everything in the clear: use --tailscale, give --cert and --key, or "
            "say --plain-http if you trust everybody in that network"
        )
    if address.is_unspecified:
        both = ("0.0.0.0", "::") if address.version == 6 else ("0.0.0.0", "::1")  # noqa: S104 - with --public
        return Binding(addresses=both, beyond=str(address))
    return Binding(addresses=(str(address), *LOOPBACK), beyond=str(address))


def is_tailnet(address: Address) -> bool:
    """Whether only machines of one's own tailnet reach it, encrypted."""
    return any(address.version == net.version and address in net for net in TAILNETS)


def is_private(address: Address) -> bool:
    """Whether only machines of one's own networks reach it."""
    return is_tailnet(address) or any(address.version == net.version and address in net for net in PRIVATE)
