"""The plainest invitation: a code and a link to this machine alone."""

from __future__ import annotations

from collections.abc import Callable

from controlroom.wire.device import Invitation, MintPairing, PairingCode


def app_link(base: str, code: str) -> str:
    """The app with the code in the fragment, which no server and no log ever sees."""
    return f"{base.rstrip('/')}/app/#pair={code}"


class LinkOnly:
    """``ports.Invitations`` of a hub that only knows its own address."""

    def __init__(self, url: Callable[[], str]) -> None:
        self._url = url

    async def invite(self, code: PairingCode, wish: MintPairing) -> Invitation:
        base = self._url().removesuffix("/app/")
        return Invitation(code=code.code, expires_ms=code.expires_ms, links=(app_link(base, code.code),))
