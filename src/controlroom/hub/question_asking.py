"""Questions by command: of the agent in whose pane the command runs, or for an agent that a person names."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC

import msgspec

from controlroom.core.text import clean_block
from controlroom.hub.errors import HubError, no_agent
from controlroom.hub.nodes import Nodes
from controlroom.hub.question_cards import Times, card_of_command
from controlroom.hub.question_intake import MOST, WITHIN_MS, is_too_fast, new_question, replacing
from controlroom.hub.question_steps import Steps
from controlroom.hub.store import fleet_rows, question_rows, request_rows
from controlroom.hub.store.store import Change, Store
from controlroom.kit.zone import zone_of
from controlroom.wire.codec import encode
from controlroom.wire.question import AskQuestion, Question, QuestionOption

ID = re.compile(r"q_[A-Za-z0-9_\-]{1,80}")
KEY = re.compile(r"[A-Za-z0-9_\-]{1,40}")
MOST_OPTIONS, LONGEST_QUESTION, LONGEST_LABEL, LONGEST_WHAT, LONGEST_REST = 50, 2_000, 500, 1_000, 4_000


class Asking:
    """Files questions."""

    def __init__(self, store: Store, nodes: Nodes, steps: Steps) -> None:
        self._store = store
        self._nodes = nodes
        self._steps = steps

    async def file(self, body: AskQuestion, by: str) -> Question:
        """Make a question, once for its id. Raises HubError: bad_request, too_large, not_allowed, not_found,
        conflict, and too_many when the agent asks too fast."""
        agent_id = _agent(body, by)
        body = _checked(body)
        digest = hashlib.sha256(encode(["ask", body])).hexdigest()

        def job(change: Change) -> Question:
            known = question_rows.question_row(change.connection, body.id)
            if known is not None:
                request = request_rows.request_row(change.connection, by, body.id)
                if request is None or request.digest != digest:
                    raise HubError("conflict", "Another question was asked with this id.")
                return self._steps.shown(change, known)
            agent = fleet_rows.agent_row(change.connection, agent_id)
            if agent is None or not agent.is_listed:
                raise no_agent(agent_id)
            if is_too_fast(change, agent_id):
                text = f"It asked {MOST} questions within ten minutes. Ask the most important one later."
                raise HubError("too_many", text, WITHIN_MS)
            node = self._nodes.get(agent.machine_id)
            zone = UTC if node is None else node.time_zone
            times = Times(asked_at_ms=change.now_ms, zone=zone, zone_of=zone_of)
            card, is_blocking = card_of_command(body, times)
            row = new_question(change, body.id, agent_id, agent.chat_id, card, is_blocking=is_blocking, by=by)
            row = self._steps.put(change, replacing(self._steps, change, row))
            request_rows.add_request(change, by, body.id, digest, b"{}")
            return self._steps.shown(change, row)

        return await self._store.change(job)


def _agent(body: AskQuestion, by: str) -> str:
    """For which agent it is. Raises HubError."""
    if by.startswith("agent:"):
        own = by.removeprefix("agent:")
        if body.agent_id not in (None, own):
            raise HubError("not_allowed", "An agent asks for itself only.")
        return own
    if body.agent_id is None:
        raise HubError("bad_request", "agent_id: say which agent asks; in an agent's own pane it is known.")
    return body.agent_id


def _checked(body: AskQuestion) -> AskQuestion:
    """The question within its limits, its texts cleaned as all outside text, each option with a key of its
    own. Raises HubError."""
    if not ID.fullmatch(body.id):
        raise HubError("bad_request", "id: q_ and up to 80 letters, digits, _ and -.")
    if len(body.options) > MOST_OPTIONS:
        raise HubError("too_large", f"options: at most {MOST_OPTIONS}.")
    body = msgspec.structs.replace(
        body,
        question=_clean("question", body.question, LONGEST_QUESTION),
        options=tuple(_option(option) for option in body.options),
        default=_clean("default", body.default or "", LONGEST_REST) or None,
        by=_clean("by", body.by or "", LONGEST_LABEL) or None,
        context=_clean("context", body.context or "", LONGEST_REST) or None,
        doc=_clean("doc", body.doc or "", LONGEST_REST) or None,
    )
    if not body.question:
        raise HubError("bad_request", "question: it asks nothing.")
    if any(not option.label for option in body.options):
        raise HubError("bad_request", "options: each needs a label.")
    if body.multi and len(body.options) < 2:
        raise HubError("bad_request", "multi: there must be options to choose from.")
    keys = [option.key for option in body.options]
    if len(set(keys)) == len(keys) and all(KEY.fullmatch(key) for key in keys):
        return body
    placed = [msgspec.structs.replace(one, key=str(at)) for at, one in enumerate(body.options, start=1)]
    return msgspec.structs.replace(body, options=tuple(placed))


def _option(option: QuestionOption) -> QuestionOption:
    return msgspec.structs.replace(
        option,
        label=_clean("label", option.label, LONGEST_LABEL),
        what=_clean("what", option.what or "", LONGEST_WHAT) or None,
    )


def _clean(name: str, text: str, longest: int) -> str:
    if len(text) > longest:
        raise HubError("too_large", f"{name}: at most {longest} characters.")
    return clean_block(text, longest).strip()
