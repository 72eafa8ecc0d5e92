"""The one place where failures become answers: ``{code, text}`` and an HTTP status."""

from __future__ import annotations

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

from controlroom.hub.errors import HubError
from controlroom.kit.http import BadBody, json_answer
from controlroom.kit.sql import DatabaseTrouble
from controlroom.wire.client import HTTP_STATUS, Error

_log = structlog.get_logger("api")


def explain(error: Exception) -> HubError:
    """What a failure is for the caller. What nobody foresaw is logged and called ``failed``."""
    match error:
        case HubError():
            return error
        case BadBody():
            return HubError("bad_request", str(error)[:300])
        case DatabaseTrouble():
            return HubError("failed", str(error))
        case web.HTTPRequestEntityTooLarge():
            return HubError("too_large", "The body is too large.")
        case web.HTTPNotFound():
            return HubError("not_found", "There is nothing here.")
        case web.HTTPException() if error.status < 500:
            return HubError("bad_request", error.reason)
    _log.error("a request failed", exc_info=error)
    return HubError("failed", "The hub failed at this; its log says more.")


def answer(error: HubError) -> web.Response:
    body = Error(code=error.code, text=error.text, retry_after_ms=error.retry_after_ms)
    return json_answer(body, HTTP_STATUS[error.code])


@web.middleware
async def errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPRedirection:
        raise
    except Exception as error:  # noqa: BLE001 - the edge
        return answer(explain(error))
