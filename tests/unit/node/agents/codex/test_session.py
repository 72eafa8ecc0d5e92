"""What a rollout says of its session at its end."""

from __future__ import annotations

import pytest

from controlroom.core.facts import Fault
from controlroom.node.agents.codex.session import Session, usage_limit
from tests.unit.node.agents.codex.samples import event, item, response, said, session, written


def of(*lines: dict[str, object]) -> Session:
    found = Session("s")
    found.feed(written(*lines))
    return found


@pytest.mark.parametrize(
    ("name", "turn", "detail"),
    [
        ("11-07-12", "ended", "task_complete"),
        ("11-07-59", "ended", "task_complete"),
        ("11-08-08", "failed", "task_complete: usage_limit_exceeded"),
        ("11-08-18", "failed", "task_complete: response_too_many_failed_attempts 429"),
        ("11-09-07", "interrupted", "turn_aborted: interrupted"),
        ("11-09-29", "ended", "task_complete"),
        ("11-10-02", "open", "task_started"),
        ("11-10-59", "ended", "task_complete"),
        ("11-18-27", "none", "no turn yet"),
        ("11-19-08", "open", "task_started"),
        ("sessions-0.60.1-resumed-by-0.171.0/11-17-15", "ended", "task_complete"),
    ],
)
def test_the_last_turn(name: str, turn: str, detail: str) -> None:
    found = session(name)
    assert (found.turn, found.turn_detail) == (turn, detail)


def test_an_old_file_says_only_what_it_can() -> None:
    found = session("sessions-0.60.1/11-17-15")
    assert found.is_old and found.turn == "open"
    assert found.turn_detail == "the last message has no answer yet (this version writes no turn rows)"
    assert not session("sessions-0.60.1-resumed-by-0.171.0/11-17-15").is_old
    assert not session("11-07-12").is_old


def test_an_old_answer_ends_the_turn_until_more_comes() -> None:
    found = of(event("user_message", message="hi"))
    assert found.turn == "open" and found.turn_began_ms is not None
    found = of(event("user_message", message="hi"), event("agent_message", message="ok"))
    assert found.turn == "ended"
    found = of(
        event("user_message", message="hi"),
        event("agent_message", message="I look first."),
        response("function_call", name="shell", arguments="{}", call_id="c"),
    )
    assert found.turn == "open"


def test_the_reply_is_the_last_words_of_the_agent() -> None:
    found = session("11-07-59")
    assert found.reply is not None
    assert found.reply.text == "carried on after the interruption"
    assert found.reply.item_id == f"{found.id}:23"
    assert (found.last_author, found.last_text) == ("assistant", "carried on after the interruption")


def test_a_failed_turn_keeps_the_reply_before_and_the_persons_last_words() -> None:
    found = session("11-08-08")
    assert found.reply is not None and found.reply.text == "first a normal answer"
    assert (found.last_author, found.last_text) == ("user", "limit 7200")


def test_model_and_context() -> None:
    found = session("11-11-13")
    assert (found.model, found.context_used_pct) == ("gpt-6-luna", 0.5)


def test_a_pending_call_is_the_position_and_keeps_its_whole_request() -> None:
    found = session("11-19-08")
    assert found.position == f"{found.id}:call_28ea3ceb561f459aadf9343a+0"
    (pending,) = found.pending.values()
    assert "Which bed should the beans go in?" in pending.request


def test_what_ran_inside_a_pending_call_moves_the_position() -> None:
    call = response("custom_tool_call", name="exec", input="await tools.exec_command({})", call_id="c")
    one = item("CommandExecution", command=["ls"], exit_code=0)
    assert of(call).position == "s:c+0"
    assert of(call, one).position == "s:c+1"
    assert of(call, response("custom_tool_call_output", call_id="c", output="ok")).position == "s:1"


def test_rows_that_say_nothing_to_people_do_not_move_the_position() -> None:
    lines = [event("task_started", turn_id="t"), said("done"), event("task_complete", turn_id="t")]
    quiet: list[dict[str, object]] = [
        event("token_count", info=None),
        event("thread_settings_applied"),
        {"type": "world_state", "payload": {}},
    ]
    assert of(*lines, *quiet).position == of(*lines).position == "s:2"


def test_helpers_run_from_started_to_completed() -> None:
    def helper(kind: str, thread: str) -> dict[str, object]:
        return item("SubAgentActivity", kind=kind, agent_thread_id=thread, agent_path="/main/x")

    assert set(of(helper("started", "a"), helper("started", "b"), helper("completed", "a")).helpers) == {"b"}
    assert of(helper("started", "a"), helper("interrupted", "a")).helpers == {}
    assert session("sessions-helpers/13-42-32").helpers == {}


def test_a_usage_limit_says_when_it_works_again() -> None:
    fault = session("11-08-08").fault
    assert fault == Fault(
        "usage_limit", "The usage limit is reached. It works again at 1:08 PM.", 1_796_036_891_737
    )
    assert usage_limit("Quota exceeded.", 5).text == "The usage limit is reached. It said: Quota exceeded."


@pytest.mark.parametrize(
    ("info", "code"),
    [
        ({"http_connection_failed": {"http_status_code": 401}}, "signed_out"),
        ("unauthorized", "signed_out"),
        ({"http_connection_failed": {"http_status_code": 500}}, "api_error"),
        ("other", "api_error"),
    ],
)
def test_other_errors_are_faults_too(info: object, code: str) -> None:
    fault = of(event("task_complete", error={"message": "no", "codex_error_info": info})).fault
    assert fault is not None and fault.code == code


def test_the_next_turn_takes_a_fault_away() -> None:
    failed = event("task_complete", error={"message": "no", "codex_error_info": "other"})
    assert of(failed, event("task_started", turn_id="t2")).fault is None


def test_a_turn_that_ends_leaves_no_pending_call() -> None:
    call = response("function_call", name="shell", arguments="{}", call_id="c")
    assert of(event("task_started"), call, event("turn_aborted", reason="interrupted")).pending == {}


def test_times_are_those_of_the_rows() -> None:
    found = session("11-07-12")
    assert found.moved_at_ms == found.turn_at_ms == 1_796_036_847_486
    assert found.turn_began_ms == 1_796_036_842_926
