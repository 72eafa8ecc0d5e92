"""Routes of widgets: what they show, and their tokens."""

from __future__ import annotations

from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import Call, Route
from controlroom.hub.glance_view import glance_of
from controlroom.wire.glance import Glance, GlanceToken, GlanceTokens, MakeGlanceToken


async def get_glance(parts: Parts, call: Call) -> Glance:
    return glance_of(
        parts.fleet(),
        await parts.questions.open(),
        parts.accounts.accounts(),
        parts.status().health,
        now_ms=parts.clock.now_ms(),
    )


async def get_glance_tokens(parts: Parts, call: Call) -> GlanceTokens:
    return parts.glances.shown()


async def post_glance_token(parts: Parts, call: Call) -> GlanceToken:
    assert isinstance(call.body, MakeGlanceToken)
    return await parts.glances.make(call.body.name)


async def delete_glance_token(parts: Parts, call: Call) -> GlanceTokens:
    return await parts.glances.remove(call.path["token_id"])


GLANCE_ROUTES: tuple[Route, ...] = (
    Route("GET", "/glance", "What needs the person and what is used, for widgets.", get_glance, Glance),
    Route("GET", "/glance-tokens", "What may look at that alone.", get_glance_tokens, GlanceTokens),
    Route(
        "DELETE", "/glance-tokens/{token_id}", "Let a widget look no more.", delete_glance_token, GlanceTokens
    ),
    Route(
        "POST",
        "/host/glance-tokens",
        "Make a token for a widget; it is told once.",
        post_glance_token,
        GlanceToken,
        body=MakeGlanceToken,
    ),
)
