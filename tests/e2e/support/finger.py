"""The browser's virtual authenticator: a fingerprint reader that a test moves."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import CDPSession, Page

from tests.e2e.support.browser import Visitor


class Finger:
    """A fingerprint reader that the test moves."""

    def __init__(self, visitor: Visitor, page: Page) -> None:
        self._cdp: CDPSession = visitor.context.new_cdp_session(page)
        self._cdp.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        answer: Any = self._cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        self._id = answer["authenticatorId"]

    def fits(self, is_verified: bool) -> None:
        self._cdp.send(
            "WebAuthn.setUserVerified", {"authenticatorId": self._id, "isUserVerified": is_verified}
        )

    def lose(self) -> None:
        self._cdp.send("WebAuthn.clearCredentials", {"authenticatorId": self._id})
