"""What the hub refuses, in the words of api.md. ``hub/api/errors.py`` turns it into an answer."""

from __future__ import annotations

from controlroom.wire.client import ErrorCode


class HubError(Exception):
    """A refusal: a stable code for programs and a sentence for people."""

    def __init__(self, code: ErrorCode, text: str, retry_after_ms: int | None = None) -> None:
        super().__init__(f"{code}: {text}")
        self.code: ErrorCode = code
        self.text = text
        self.retry_after_ms = retry_after_ms


def no_agent(agent_id: str) -> HubError:
    return HubError("not_found", f"There is no agent {agent_id[:80]}.")


def no_chat(chat_id: str) -> HubError:
    return HubError("not_found", f"There is no chat {chat_id[:80]}.")


def no_message(message_id: str) -> HubError:
    return HubError("not_found", f"There is no message {message_id[:80]}.")


def no_question(question_id: str) -> HubError:
    return HubError("not_found", f"There is no question {question_id[:80]}.")
