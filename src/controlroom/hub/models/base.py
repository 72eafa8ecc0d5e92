"""The port: what the hub asks of a language model, and how a model can fail.

Errors say what the caller should do. Their texts are sentences for people: they hold no key, no address with
secrets, and of what the other side said at most one short clean line.

======================  ================================================================
``RetryLater``          busy, away, or it answered garbage: ask again after a pause
``NeedsLogin``          the key is missing, cannot be read, or is refused: a person must act
``NotPossible``         the settings can never work as they are: a person must act
======================  ================================================================
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from controlroom.core.check_prompt import Request

ANSWER_S = 90.0  # a small model answers in seconds; a local one on a busy machine may take a minute
ANSWER_BYTES = 1_048_576  # a verdict has 300; what is larger is none
ANSWER_TOKENS = 2_000  # room for models that think before they answer


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """``text`` is outside text. Tokens are 0 where the model does not tell."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class ModelError(Exception):
    """Base of the three kinds; ``text`` is a sentence."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class RetryLater(ModelError):
    """``after_s``: the other side asked for this pause; None: it said nothing."""

    def __init__(self, text: str, after_s: float | None = None) -> None:
        super().__init__(text)
        self.after_s = after_s


class NeedsLogin(ModelError):
    """Only a person can help: there is no usable key."""


class NotPossible(ModelError):
    """Only a person can help: a setting is wrong."""


class Model(Protocol):
    """One model of one provider. It keeps nothing between two calls."""

    @property
    def name(self) -> str:
        """As in the settings, such as ``anthropic:claude-haiku-4-5``."""

    async def ask(self, request: Request) -> Answer:
        """One call, within ``ANSWER_S``. Raises ModelError and nothing else. A cancelled call leaves nothing
        running."""
