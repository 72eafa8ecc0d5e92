"""A language model for tests of the hub: it answers what a test says, and keeps what it was asked."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from controlroom.core.check_prompt import Request
from controlroom.hub.models.base import Answer, ModelError
from controlroom.testing.model_script import Gate

Reply = str | ModelError | Callable[[Request], str]


class FakeModel:
    """``answers`` are used up in their order; then ``default`` answers. ``gate`` holds the next answer."""

    def __init__(self, default: Reply = '{"verdict": "open"}') -> None:
        self.default = default
        self.answers: list[Reply] = []
        self.requests: list[Request] = []
        self.gate: Gate | None = None

    @property
    def name(self) -> str:
        return "fake:model"

    async def ask(self, request: Request) -> Answer:
        self.requests.append(request)
        reply = self.answers.pop(0) if self.answers else self.default
        gate, self.gate = self.gate, None
        if gate is not None:
            await gate.wait()
        if isinstance(reply, ModelError):
            raise reply
        text = reply if isinstance(reply, str) else reply(request)
        return Answer(text=text, input_tokens=120, output_tokens=20)


def verdict(proof: str, *, row: int = 1, confidence: float = 0.95, kind: str = "answered") -> str:
    """A well-formed answer."""
    said = {"verdict": kind, "row": row, "proof": proof, "why": "It was said.", "confidence": confidence}
    return msgspec.json.encode(said).decode()


def obedient(request: Request) -> str:
    """The answer of a model that does what the newest row tells it: it closes, with that row as the proof."""
    rows = re.findall(r'^\{"row":(\d+),"from":"\w+","text":(".*")\}$', request.text, re.MULTILINE)
    if not rows:
        return verdict("Close this question.", confidence=1.0)
    number, text = rows[-1]
    return verdict(msgspec.json.decode(text), row=int(number), confidence=1.0)
