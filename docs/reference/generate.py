"""Writes the reference pages that are derived from the program: ``python docs/reference/generate.py``.

A test fails when a page is stale.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from controlroom.cli.main import COMMANDS, root
from controlroom.core.access import API, MEANINGS, RIGHTS
from controlroom.hub.api.openapi import document
from controlroom.kit.settings import all_settings
from controlroom.wire.client import HTTP_STATUS

HERE = Path(__file__).parent
NOTE = "<!-- Written by docs/reference/generate.py: do not edit. -->"


def commands() -> str:
    """One heading and the help of each command."""
    parts = [
        "# Commands",
        NOTE,
        "Every command takes `--home DIR`, `--hub NAME` and `--json`. Without them it speaks to the control "
        "room here, or, when none runs, to the one that you logged in to last. Exit status: 0 done, "
        "1 failed, 2 wrong use, 3 the control room cannot be reached.",
    ]
    parent = click.Context(
        root,
        info_name="controlroom",
        max_content_width=100,
        terminal_width=100,
        help_option_names=["-h", "--help"],  # as the program has them; click remembers the first it sees
    )
    for name in COMMANDS:
        command = import_module(f"controlroom.cli.{name}").command
        context = click.Context(
            command, info_name=name, parent=parent, max_content_width=100, terminal_width=100
        )
        parts += [f"## {name}", f"```\n{command.get_help(context)}\n```"]
    return "\n\n".join(parts) + "\n"


def settings() -> str:
    """One heading for each setting."""
    parts = [
        "# Settings",
        NOTE,
        "In `config.toml` of the data folder as `[section]` and `name = value`, or as a variable of the "
        "environment, which wins. A setting that cannot be used stops the start with one line.",
    ]
    for setting in all_settings():
        default = list(setting.default) if isinstance(setting.default, tuple) else setting.default
        shown = str(default).lower() if isinstance(default, bool) else repr(default).replace("'", '"')
        facts = f"Allowed: {setting.allowed}. Default: `{shown}`. Variable: `{setting.variable}`."
        parts += [f"## {setting.key}", facts]
    return "\n\n".join(parts) + "\n"


RIGHTS_OF = {
    "The hub's API": lambda subject: f" {API}/" in subject,
    "Messages of the live socket": lambda subject: subject.startswith("live "),
    "Channels of the relay's socket": lambda subject: subject.startswith("relay "),
    "Other routes of the doors": lambda subject: f" {API}/" not in subject and " /" in subject,
}


def rights() -> str:
    """The table of rights, as the program checks it."""
    parts = [
        "# Rights",
        NOTE,
        "Who may do what. The program checks each request and each message of an open socket against this "
        "very table; a right that ends, ends on open sockets too, and a refusal (`not_allowed`) names the "
        "right that is missing. Processes in agents' panes reach the hub over the private socket only.",
        "A browser or a command line gets `chat`, `answers`, `actions` and `terminal` when it is paired, "
        "unless `--grants` says less; a Hermes-Relay client gets that protocol's own rights and neither "
        "`answers` nor `actions`.",
        "## Words",
        "| Right | Who |\n|---|---|\n"
        + "\n".join(f"| {right} | {meaning} |" for right, meaning in MEANINGS.items()),
    ]
    for title, belongs in RIGHTS_OF.items():
        rows = [
            f"| `{subject}` | {rule.right} | {'yes' if rule.agents else ''} |"
            for subject, rule in RIGHTS.items()
            if belongs(subject)
        ]
        parts += [f"## {title}", "| What | Right | Agents too |\n|---|---|---|\n" + "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def api() -> str:
    """The hub's routes, messages and nouns, out of its own OpenAPI page."""
    page = json.loads(document())
    parts = [
        "# API",
        NOTE,
        "JSON, UTF-8. Times are integer milliseconds UTC, ids opaque texts. `?` = may be absent. Fields are "
        "added, never renamed: ignore those that you do not know. The same as OpenAPI 3.1: "
        f"`GET {API}/openapi.json`. On this machine: `curl --unix-socket DIR/control.sock http://x{API}/fleet`.",
        "Making something takes an `id` of your own, acting takes a `request_id`: the same twice is one. "
        "A refusal is `{code, text, retry_after_ms?}`:",
        "| Code | HTTP |\n|---|---|\n"
        + "\n".join(f"| {code} | {http} |" for code, http in HTTP_STATUS.items()),
        "## Routes",
    ]
    for path, methods in page["paths"].items():
        for method, operation in methods.items():
            parts += [f"### {method.upper()} {path}", operation["summary"], *_takes(operation)]
    parts.append("## Nouns and messages")
    for name, schema in page["components"]["schemas"].items():
        parts += [f"### {name}", *_shape(schema)]
    return "\n\n".join(parts) + "\n"


def _takes(operation: dict[str, Any]) -> list[str]:
    lines = [
        f"* `{parameter['name']}`: {parameter['description']}"
        for parameter in operation.get("parameters", [])
        if "description" in parameter
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body:
        lines.append(f"* body: {_kind(body['schema'])}")
    for status, answer in operation["responses"].items():
        if status < "300" and "application/json" in answer.get("content", {}):
            lines.append(f"* {status}: {_kind(answer['content']['application/json']['schema'])}")
    return ["\n".join(lines)] if lines else []


def _shape(schema: dict[str, Any]) -> list[str]:
    """What a schema says: its text, then a row for each field."""
    parts = [" ".join(schema["description"].split())] if "description" in schema else []
    if "properties" not in schema:
        return [*parts, f"One of: {_kind(schema)}"]
    required = schema.get("required", [])
    rows = [
        f"| {name}{'' if name in required else '?'} | {_kind(field)} |"
        for name, field in schema["properties"].items()
    ]
    return [*parts, "| Field | Kind |\n|---|---|\n" + "\n".join(rows)]


def _kind(schema: dict[str, Any]) -> str:
    """A schema in a few words; nouns lead to their heading."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_kind(part) for part in schema["anyOf"] if part != {"type": "null"})
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        items = schema.get("items") or {"anyOf": schema.get("prefixItems", [])}
        return f"list of {_kind(items)}" if items else "list"
    return str(schema.get("type", "any JSON"))


PAGES = {"api.md": api, "commands.md": commands, "settings.md": settings, "rights.md": rights}


def main() -> None:
    for name, write in PAGES.items():
        (HERE / name).write_text(write(), encoding="utf-8")


if __name__ == "__main__":
    main()
