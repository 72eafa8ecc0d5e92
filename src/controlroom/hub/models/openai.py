"""Any endpoint that speaks OpenAI's chat completions: OpenAI itself, gateways, and local servers.

Only what all of them know is sent. The one field they disagree on is how long an answer may be: newer models
of OpenAI refuse ``max_tokens`` and want ``max_completion_tokens``, older servers know only the first.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from controlroom.core.check_prompt import Request
from controlroom.hub.models.base import ANSWER_TOKENS, Answer, NotPossible, RetryLater
from controlroom.hub.models.http import post

URL = "https://api.openai.com/v1"


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class OpenAIModel:
    """``key`` is asked for each call; local servers need none."""

    def __init__(self, model: str, url: str, key: Callable[[], str | None]) -> None:
        self._model = model
        self._url = url
        self._key = key
        self._limit = "max_tokens"

    @property
    def name(self) -> str:
        return f"openai:{self._model}"

    async def ask(self, request: Request) -> Answer:
        try:
            done = await self._complete(request)
        except NotPossible as error:
            if self._limit != "max_tokens" or "max_completion_tokens" not in error.text:
                raise
            self._limit = "max_completion_tokens"
            done = await self._complete(request)
        text = (done.choices[0].message.content if done.choices else None) or ""
        if not text.strip():
            raise RetryLater("The model answered nothing.")
        usage = done.usage or _Usage()
        return Answer(
            text=text, input_tokens=usage.prompt_tokens or 0, output_tokens=usage.completion_tokens or 0
        )

    async def _complete(self, request: Request) -> _Completion:
        key = self._key()
        body = {
            "model": self._model,
            self._limit: ANSWER_TOKENS,
            "messages": [
                {"role": "system", "content": request.instructions},
                {"role": "user", "content": request.text},
            ],
        }
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return await post(f"{self._url}/chat/completions", body, headers, _Completion, key=key)
