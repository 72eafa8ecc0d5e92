"""The log of a running control room: one JSON line for each entry, in a rotating private file.

The console stays for people. Values are bounded and lose their control characters; what is called like a
secret is not written at all.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any, cast


@contextmanager
def _hidden(package: str) -> Iterator[None]:
    """Imports inside see this package as not installed."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]  # documented: importing it raises ImportError
    try:
        yield
    finally:
        del sys.modules[package]


with _hidden("rich"):  # for its console renderer, which is not used here: a tenth of the whole start
    import structlog

FILE_BYTES, FILES_KEPT = 5_000_000, 3
LONGEST_VALUE, LONGEST_TRACE = 500, 8_000
MOST_PARTS = 20  # entries of one list or mapping
SECRET_WORDS = ("token", "secret", "password", "authorization", "cookie", "credential", "api_key")

_CONTROLS = dict.fromkeys([*range(32), *range(127, 160)], "�")
_TRACE_CONTROLS = {code: mark for code, mark in _CONTROLS.items() if chr(code) != "\n"}


def log_to_file(path: Path, level: str = "info") -> None:
    """Send all entries of this process, the libraries' warnings too, to ``path``. Called once, at start."""
    handler = _PrivateFile(path, maxBytes=FILE_BYTES, backupCount=FILES_KEPT, encoding="utf-8")
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*_SHARED, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _bounded, _RENDER],
        )
    )
    _install(handler, level)


def _install(handler: logging.Handler, level: str) -> None:
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("controlroom").setLevel(level.upper())
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=_loggers,
        cache_logger_on_first_use=False,
    )


def _loggers(*names: str) -> logging.Logger:
    return logging.getLogger(".".join(["controlroom", *names]))


class _PrivateFile(logging.handlers.RotatingFileHandler):
    """A rotating file that only its owner may read; a full disk loses entries, never the program."""

    def _open(self) -> TextIOWrapper:
        file = os.open(self.baseFilename, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
        return cast(TextIOWrapper, os.fdopen(file, self.mode, encoding=self.encoding))

    def handleError(self, record: logging.LogRecord) -> None:
        """Standard error is the person's console: a traceback has no place there."""


def _name(_logger: object, _method: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    entry.setdefault("logger", getattr(_logger, "name", "").removeprefix("controlroom."))
    return entry


def _bounded(_logger: object, _method: str, entry: MutableMapping[str, Any]) -> Mapping[str, Any]:
    return {
        key: _limited_trace(value) if key == "exception" else _safe(key, value)
        for key, value in entry.items()
    }


def _limited_trace(value: object) -> str:
    text = str(value)
    if len(text) > LONGEST_TRACE:  # the end names the error
        text = text[: LONGEST_TRACE // 2] + "\n…\n" + text[-LONGEST_TRACE // 2 :]
    return text.translate(_TRACE_CONTROLS)


def _safe(key: str, value: object, depth: int = 0) -> object:
    if any(word in key.lower() for word in SECRET_WORDS):
        return "(not written)"
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping) and depth < 2:
        items = list(value.items())[:MOST_PARTS]
        return {str(k)[:100]: _safe(str(k), v, depth + 1) for k, v in items}
    if isinstance(value, (list, tuple, set, frozenset)) and depth < 2:
        return [_safe("", part, depth + 1) for part in list(value)[:MOST_PARTS]]
    text = value if isinstance(value, str) else repr(value)
    if len(text) > LONGEST_VALUE:
        text = f"{text[:LONGEST_VALUE]}… ({len(text)} characters)"
    return text.translate(_CONTROLS)


_SHARED: list[structlog.typing.Processor] = [
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    structlog.processors.add_log_level,
    _name,
    structlog.processors.format_exc_info,
]
_RENDER = structlog.processors.JSONRenderer(ensure_ascii=False)
