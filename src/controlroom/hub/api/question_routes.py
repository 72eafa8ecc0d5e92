"""Rows of the table of routes: questions for the person, and the pause of what happens by itself."""

from __future__ import annotations

from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import Call, Parameter, Route
from controlroom.hub.errors import HubError
from controlroom.wire.question import (
    AnswerQuestion,
    AskQuestion,
    CloseQuestion,
    PauseState,
    Question,
    Questions,
    SetPause,
)

PAGE, LARGEST_PAGE = 50, 200
LONGEST_WAIT_S = 25


async def get_questions(parts: Parts, call: Call) -> Questions:
    state = call.query.get("state") or "open"
    if state not in ("open", "all"):
        raise HubError("bad_request", "state: open or all.")
    return await parts.questions.page(
        is_open=state == "open",
        before=call.cursor("before"),
        agent_id=call.cursor("agent"),
        limit=max(1, call.number("limit", PAGE, LARGEST_PAGE)),
    )


async def get_question(parts: Parts, call: Call) -> Question:
    wait_s = call.number("wait", 0, LONGEST_WAIT_S)
    return await parts.questions.get(call.path["question_id"], wait_s=wait_s, by=call.caller.by)


async def post_question(parts: Parts, call: Call) -> Question:
    assert isinstance(call.body, AskQuestion)
    return await parts.questions.file(call.body, call.caller.by)


async def post_question_answer(parts: Parts, call: Call) -> Question:
    assert isinstance(call.body, AnswerQuestion)
    return await parts.questions.answer(call.path["question_id"], call.body, call.caller.by)


async def post_skip(parts: Parts, call: Call) -> Question:
    assert isinstance(call.body, CloseQuestion)
    return await parts.questions.skip(call.path["question_id"], call.body, call.caller.by)


async def post_dismiss(parts: Parts, call: Call) -> Question:
    assert isinstance(call.body, CloseQuestion)
    return await parts.questions.dismiss(call.path["question_id"], call.body, call.caller.by)


async def post_undo(parts: Parts, call: Call) -> Question:
    assert isinstance(call.body, CloseQuestion)
    return await parts.questions.undo(call.path["question_id"], call.body, call.caller.by)


async def post_reopen(parts: Parts, call: Call) -> Question:
    assert isinstance(call.body, CloseQuestion)
    return await parts.questions.reopen(call.path["question_id"], call.body, call.caller.by)


async def put_pause(parts: Parts, call: Call) -> PauseState:
    assert isinstance(call.body, SetPause)
    return await parts.questions.set_paused(call.body, call.caller.by)


QUESTION_ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/questions",
        "Questions for the person: the open ones as they wait, or all of them, the newest first.",
        get_questions,
        Questions,
        query=(
            Parameter("state", str, "open (without it), or all: the history too"),
            Parameter("before", str, "with all: cursor of an older page"),
            Parameter("agent", str, "only those of this agent (an id)"),
            Parameter("limit", int, f"with all, how many: 1 to {LARGEST_PAGE}, {PAGE} without it"),
        ),
    ),
    Route(
        "GET",
        "/questions/{question_id}",
        "One question, with its whole history.",
        get_question,
        Question,
        query=(
            Parameter("wait", int, f"seconds to wait until it is not open: 0 to {LONGEST_WAIT_S}, 0 without"),
        ),
    ),
    Route(
        "POST",
        "/questions",
        "Ask the person something: of the agent in whose pane the caller runs, or of one that is named.",
        post_question,
        Question,
        body=AskQuestion,
        status=201,
    ),
    Route(
        "POST",
        "/questions/{question_id}/answer",
        "Answer an open question, or correct a default that was used. The agent is told in one message.",
        post_question_answer,
        Question,
        body=AnswerQuestion,
    ),
    Route(
        "POST",
        "/questions/{question_id}/skip",
        "Close a question without a decision; the agent is told that this is no approval.",
        post_skip,
        Question,
        body=CloseQuestion,
    ),
    Route(
        "POST",
        "/questions/{question_id}/dismiss",
        "Close a question; the agent is told nothing.",
        post_dismiss,
        Question,
        body=CloseQuestion,
    ),
    Route(
        "POST",
        "/questions/{question_id}/undo",
        "Take back a skip, a dismissal, or an answer that is not typed yet.",
        post_undo,
        Question,
        body=CloseQuestion,
    ),
    Route(
        "POST",
        "/questions/{question_id}/reopen",
        "Open a question again that was closed without a person, or whose answer did not arrive.",
        post_reopen,
        Question,
        body=CloseQuestion,
    ),
    Route(
        "PUT",
        "/pause",
        "Pause what happens by itself, or go on: no default is used and no model is called meanwhile.",
        put_pause,
        PauseState,
        body=SetPause,
    ),
)
