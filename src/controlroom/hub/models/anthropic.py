"""The Anthropic Messages API (``POST /v1/messages``, version 2023-06-01)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from controlroom.core.check_prompt import Request
from controlroom.hub.models.base import ANSWER_TOKENS, Answer, NeedsLogin, RetryLater
from controlroom.hub.models.http import post

URL = "https://api.anthropic.com"


class _Block(msgspec.Struct):
    type: str = ""
    text: str = ""


class _Usage(msgspec.Struct):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Message(msgspec.Struct):
    content: list[_Block]
    usage: _Usage = msgspec.field(default_factory=_Usage)


class AnthropicModel:
    """``key`` is asked for each call."""

    def __init__(self, model: str, url: str, key: Callable[[], str | None]) -> None:
        self._model = model
        self._url = url
        self._key = key

    @property
    def name(self) -> str:
        return f"anthropic:{self._model}"

    async def ask(self, request: Request) -> Answer:
        key = self._key()
        if key is None:
            raise NeedsLogin("There is no key for the model: set checker.key_file or checker.key_env.")
        body = {
            "model": self._model,
            "max_tokens": ANSWER_TOKENS,
            "system": request.instructions,
            "messages": [{"role": "user", "content": request.text}],
        }
        headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
        message = await post(f"{self._url}/v1/messages", body, headers, _Message, key=key)
        text = "".join(block.text for block in message.content if block.type == "text")
        if not text.strip():
            raise RetryLater("The model answered nothing.")
        usage = message.usage
        cached = (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)
        return Answer(text=text, input_tokens=usage.input_tokens + cached, output_tokens=usage.output_tokens)
