"""OpenAPI 3.1 of the hub, generated from the table of routes and the wire's own structs."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import msgspec

from controlroom import __version__
from controlroom.hub.api.file_routes import FILE_ROUTES, FileRoute
from controlroom.hub.api.route import PREFIX, Route
from controlroom.hub.api.routes import ROUTES
from controlroom.wire import events
from controlroom.wire.client import HTTP_STATUS, Error, FromClient, FromServer, OpenHealth
from controlroom.wire.codec import encode
from controlroom.wire.device import Paired, PairWithCode
from controlroom.wire.model import Attachment
from controlroom.wire.terminals import TerminalsReady

_EVENT_DATA = (events.AccountGone, events.AgentGone, events.ChatHidden, events.ChatItems, events.DeviceGone)
_REF = "#/components/schemas/{name}"


@cache
def document() -> bytes:
    """The whole page as JSON."""
    kinds: list[Any] = [OpenHealth, Error, FromClient, FromServer, *_EVENT_DATA]
    kinds += [Attachment, PairWithCode, Paired, TerminalsReady]
    for route in ROUTES:
        kinds += [route.answer] if route.body is None else [route.answer, route.body]
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_REF)
    by_kind = dict(zip(map(str, kinds), schemas, strict=True))
    live = {"FromClient": by_kind[str(FromClient)], "FromServer": by_kind[str(FromServer)]}
    paths: dict[str, dict[str, Any]] = {
        f"{PREFIX}/health": {
            "get": {
                "operationId": "get_health",
                "summary": "Whether it lives, and its version. Open to everybody.",
                "responses": {"200": _json("It lives.", by_kind[str(OpenHealth)])},
            }
        },
        f"{PREFIX}/openapi.json": {
            "get": {
                "operationId": "get_openapi",
                "summary": "This page.",
                "responses": {"200": _json("OpenAPI 3.1.", {"type": "object"})},
            }
        },
        f"{PREFIX}/pair": {
            "post": {
                "operationId": "post_pair",
                "summary": "Trade a pairing code for a device: a cookie and its key, or a token. "
                "Open to everybody, on the doors only.",
                "requestBody": _request(by_kind[str(PairWithCode)]),
                "responses": {
                    "200": _json("This is a paired device now.", by_kind[str(Paired)]),
                    "401": _json("The code does not work.", by_kind[str(Error)]),
                    "429": _json("Too many codes did not work.", by_kind[str(Error)]),
                },
            }
        },
        f"{PREFIX}/live": {
            "get": {
                "operationId": "live",
                "summary": "The live socket: frames of FromClient and FromServer (WebSocket, JSON texts).",
                "responses": {"101": {"description": "The socket is open; say hello first."}},
            }
        },
        f"{PREFIX}/terminals": {
            "get": {
                "operationId": "terminals",
                "summary": "Shells of this machine, on the doors only (WebSocket, JSON texts). Hello, then "
                "TerminalsReady; from then on {type, id, payload} both ways, with the types and payloads of "
                "the relay's terminal channel: terminal.list, .attach, .input, .resize, .detach and .kill, "
                "answered by terminal.sessions, .attached, .output, .detached and .error. What ends a "
                "socket, or refuses a message, is an error frame (Refused).",
                "x-right": "terminal",
                "responses": {"101": {"description": "The socket is open; say hello first."}},
            }
        },
    }
    for route in ROUTES:
        paths.setdefault(PREFIX + route.path, {})[route.method.lower()] = _operation(route, by_kind)
    for files in FILE_ROUTES:
        operation = _file_operation(files, by_kind[str(Attachment)], by_kind[str(Error)])
        paths.setdefault(PREFIX + files.path, {})[files.method.lower()] = operation
    return encode(
        {
            "openapi": "3.1.0",
            "info": {
                "title": "Agent Control Room",
                "version": __version__,
                "license": {"name": "Apache-2.0"},
            },
            "paths": paths,
            "components": {"schemas": {**components, **live}},
        }
    )


def _operation(route: Route, by_kind: dict[str, Any]) -> dict[str, Any]:
    variables = re.findall(r"\{(\w+)\}", route.path)
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in variables
    ]
    for parameter in route.query:
        parameters.append(
            {
                "name": parameter.name,
                "in": "query",
                "description": parameter.meaning,
                "schema": {"type": "integer" if parameter.kind is int else "string"},
            }
        )
    operation: dict[str, Any] = {
        "operationId": route.handler.__name__,
        "summary": route.summary,
        "x-right": route.rule.right,
        "parameters": parameters,
        "responses": {
            str(route.status): _json("Done.", by_kind[str(route.answer)]),
            **{
                str(status): _json("Refused.", by_kind[str(Error)])
                for status in sorted(set(HTTP_STATUS.values()))
            },
        },
    }
    if route.body is not None:
        operation["requestBody"] = _request(by_kind[str(route.body)])
    return operation


def _file_operation(route: FileRoute, attachment: Any, error: Any) -> dict[str, Any]:
    variables = re.findall(r"\{(\w+)\}", route.path)
    binary = {"schema": {"type": "string", "format": "binary"}}
    file = {"description": "The file.", "content": {"application/octet-stream": binary}}
    done = _json("Taken.", attachment) if route.is_taken else file
    operation: dict[str, Any] = {
        "operationId": route.serve.__name__,
        "summary": route.summary,
        "x-right": route.rule.right,
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in variables
        ],
        "responses": {
            "201" if route.is_taken else "200": done,
            **{str(status): _json("Refused.", error) for status in sorted(set(HTTP_STATUS.values()))},
        },
    }
    if route.is_taken:
        form = {"type": "object", "properties": {"file": binary["schema"]}, "required": ["file"]}
        operation["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": form}}}
    return operation


def _request(schema: Any) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _json(description: str, schema: Any) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}
