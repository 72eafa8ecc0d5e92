"""The route of the policy's opinion."""

from __future__ import annotations

from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import Call, Route
from controlroom.wire.policy import PolicyReport


async def get_policy(parts: Parts, call: Call) -> PolicyReport:
    return await parts.policy()


POLICY_ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/policy",
        "On which account each agent should be now, and why; reading it moves nothing.",
        get_policy,
        PolicyReport,
    ),
)
