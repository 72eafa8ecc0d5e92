"""The usage endpoint in all its moods, asked by a real reader over loopback."""

from __future__ import annotations

import os
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from controlroom.core.notify.episodes import trouble_delay
from controlroom.core.usage import FRESH_MS, Paid
from controlroom.kit.health import HealthItem
from controlroom.node.usage import part, status_lines
from tests.integration.node.usage_stage import HOUR, NOW, TOKEN, Desk, Service, windows

FIXTURES = Path(__file__).parents[2] / "fixtures"


def says(status: int = 200, text: str = "", json: Any = None, **headers: str) -> Any:
    def answer(request: web.Request) -> web.StreamResponse:
        if json is not None:
            return web.json_response(json, status=status, headers=headers)
        return web.Response(text=text, status=status, headers=headers, content_type="text/html")

    return answer


def _failing(desk: Desk) -> list[HealthItem]:
    return [item for item in desk.health.items if item.code.startswith("usage:")]


async def test_an_account_is_asked_for_once_with_the_login_of_its_folder(
    desk: Desk, service: Service
) -> None:
    state = await desk.look()
    (request,) = service.asked
    assert request.headers["Authorization"] == f"Bearer {TOKEN}"
    assert request.headers["anthropic-beta"] == "oauth-2025-04-20"
    assert request.headers["User-Agent"].startswith("claude-code/")
    assert TOKEN not in str(request.rel_url)
    assert {name: window.used_pct for name, window in desk.windows().items()} == {
        "5 hours": 33.0,
        "week": 13.0,
    }
    assert state.accounts[0].name == "kim@example.com"
    assert "kim" not in state.accounts[0].id


async def test_it_is_asked_every_five_minutes_and_not_in_between(desk: Desk, service: Service) -> None:
    for _ in range(40):
        await desk.look(30)
    assert 3 <= len(service.asked) <= 5  # twenty minutes


async def test_the_same_account_in_two_folders_is_asked_for_once(desk: Desk, service: Service) -> None:
    desk.claude("home")
    await desk.restart()
    state = await desk.look()
    assert len(state.profiles) == 2
    assert len(state.accounts) == 1
    assert len(service.asked) == 1


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (says(text="<!doctype html><title>Sign in</title>"), "something else than usage"),
        (says(500), "status 500"),
        (says(403, json={"error": "scope"}), "no right"),
        (says(429, **{"Retry-After": "0"}), "less often"),
        (says(302, Location="/oauth/token"), "status 302"),
    ],
)
async def test_a_refusal_keeps_the_last_reading_with_its_age(
    desk: Desk, service: Service, answer: Any, problem: str
) -> None:
    await desk.look()
    service.answer = answer
    for _ in range(40):
        await desk.look(60)
    week = desk.windows()["week"]
    assert (week.used_pct, week.taken_at_ms, week.state) == (13.0, NOW, "stale")
    profile = desk.profile("work")
    assert problem in profile.problem
    assert service.refreshes == 0
    # A login without the right is no reader that fails: it never could.
    failing = [] if "right" in problem else [f"usage:{profile.account_id}"]
    assert [item.code for item in _failing(desk)] == failing
    service.answer = says(json=windows())
    for _ in range(130):
        await desk.look(30)
    assert _failing(desk) == []


async def test_a_person_who_wants_to_know_is_told_sooner(desk: Desk, service: Service) -> None:
    await desk.look()
    desk.part.read_again()
    await desk.look(30)
    assert len(service.asked) == 1, "it was asked half a minute ago"
    desk.part.read_again()
    await desk.look(70)
    assert len(service.asked) == 2
    await desk.look(70)
    assert len(service.asked) == 2, "a wish is for one look"


async def test_an_hour_of_429_with_retry_after_0_costs_few_requests_and_then_goes_on(
    desk: Desk, service: Service
) -> None:
    service.answer = says(429, **{"Retry-After": "0"})
    for _ in range(120):
        await desk.look(30)
    assert len(service.asked) <= 4
    assert desk.windows() == {}  # nothing was ever known: no number is made up
    (item,) = _failing(desk)
    assert trouble_delay(item.code) == HOUR  # it is told then
    assert item.since_ms == NOW + 30_000 and "example.com" not in item.code + item.title
    service.answer = says(json=windows(96))
    for _ in range(130):
        await desk.look(30)
    assert desk.windows()["5 hours"].used_pct == 96.0
    assert desk.profile("work").problem == ""


async def test_a_service_that_refuses_is_no_trouble_while_agents_tell_the_usage(
    desk: Desk, service: Service
) -> None:
    service.answer = says(429)
    data = (FIXTURES / "usage" / "statusline-input-subscription.json").read_bytes()
    assert status_lines.keep(desk.folder / "status-lines", str(desk.folder / "work"), data, NOW)
    await desk.look()
    await desk.look(30)
    assert desk.profile("work").problem and _failing(desk) == []
    await desk.look(FRESH_MS / 1000)
    assert len(_failing(desk)) == 1


async def test_lesson_idle_logins_keep_their_last_reading(desk: Desk, service: Service) -> None:
    """A stale login is idle and waits for the agent to renew it (field lesson 33)."""
    await desk.look()
    service.answer = says(401, json={"error": {"type": "authentication_error"}})
    await desk.look(600)
    assert len(service.asked) == 2
    assert desk.profile("work").login == "idle"
    for _ in range(40):
        await desk.look(30)
    assert len(service.asked) == 2
    assert desk.windows("idle")["week"].state == "idle_login"
    service.answer = says(json=windows(1))
    desk.claude("work", expires_ms=NOW + 80 * HOUR)  # as the agent does it
    await desk.look(30)
    assert len(service.asked) == 3
    assert desk.windows()["5 hours"].used_pct == 1.0
    assert desk.profile("work").login == "ok"


async def test_a_login_that_has_run_out_is_not_used_at_all(desk: Desk, service: Service) -> None:
    desk.claude("work", expires_ms=NOW - 1)
    await desk.look()
    assert service.asked == []
    assert desk.profile("work").login == "idle"
    assert desk.windows() == {}


async def test_a_login_that_ends_soon_is_said_ahead(desk: Desk) -> None:
    desk.claude("work", refreshTokenExpiresAt=NOW + 3 * 24 * HOUR)
    await desk.look()
    profile = desk.profile("work")
    assert (profile.login, profile.login_ends_ms) == ("ends_soon", NOW + 3 * 24 * HOUR)


@pytest.mark.parametrize("value", [None, -1, -0.5, "much"])
async def test_null_and_negative_numbers_are_unknown_and_hide_nothing(
    desk: Desk, service: Service, value: object
) -> None:
    service.answer = says(json=windows(value))
    await desk.look()
    window = desk.windows().get("5 hours")
    assert window is None or (window.used_pct, window.state) == (None, "unknown")
    assert desk.windows()["week"].used_pct == 13.0
    service.answer = says(json=windows(40))
    await desk.look(600)
    service.answer = says(json=windows(value))
    await desk.look(600)
    assert desk.windows()["5 hours"].used_pct == 40.0


async def test_a_reset_in_the_past_is_a_full_window(desk: Desk, service: Service) -> None:
    service.answer = says(json=windows(97, resets="2026-11-29T00:00:00+00:00"))
    await desk.look()
    window = desk.windows()["5 hours"]
    assert (window.used_pct, window.resets_at_ms) == (0.0, None)


async def test_a_wrong_clock_is_said_and_resets_are_judged_by_the_services(
    desk: Desk, service: Service
) -> None:
    # The service says 00:53:20; our clock is two hours ahead. The reset is one hour from now.
    desk.clock.advance(7200)
    service.answer = says(
        json=windows(97, resets="2026-11-30T01:53:20+00:00"), Date="Mon, 30 Nov 2026 00:53:20 GMT"
    )
    await desk.look()
    assert [item.code for item in desk.health.items] == ["clock:skew"]
    window = desk.windows()["5 hours"]
    assert window.used_pct == 97.0
    assert window.resets_at_ms == desk.clock.now_ms() + HOUR
    service.answer = says(json=windows(97), Date="Mon, 30 Nov 2026 03:03:20 GMT")
    await desk.look(600)
    assert desk.health.items == ()


async def test_paid_usage_is_told(desk: Desk, service: Service) -> None:
    extra = {"is_enabled": True, "monthly_limit": 2000, "used_credits": 150}
    service.answer = says(json=windows() | {"extra_usage": extra})
    state = await desk.look()
    assert state.accounts[0].paid == Paid(is_enabled=True, used_cents=150, limit_cents=2000)


async def test_nothing_is_asked_when_the_person_does_not_want_it(desk: Desk, service: Service) -> None:
    await desk.restart(endpoint=False)
    await desk.look()
    assert service.asked == []


async def test_a_login_never_goes_in_the_clear_to_another_machine(desk: Desk, service: Service) -> None:
    await desk.restart(claude_url="http://usage.example.com/api/oauth/usage")
    await desk.look()
    assert "plain HTTP" in desk.profile("work").problem


async def test_a_service_that_is_not_there_leaves_everything_as_it_was(desk: Desk, service: Service) -> None:
    await desk.look()
    await service.aclose()
    await desk.look(600)
    assert desk.windows()["week"].used_pct == 13.0
    assert "cannot be reached" in desk.profile("work").problem


async def test_readings_survive_a_restart(desk: Desk, service: Service) -> None:
    await desk.look()
    service.answer = says(500)
    await desk.restart()
    await desk.look(60)
    assert desk.windows()["week"].used_pct == 13.0


async def test_a_damaged_identity_file_keeps_the_account_as_it_was(desk: Desk) -> None:
    before = await desk.look()
    (desk.folder / "work" / ".claude.json").write_text('{"oauthAccount": {"accou')
    after = await desk.look(30)
    assert after.accounts == before.accounts
    assert after.readings == before.readings
    assert "not in the form" in desk.profile("work").problem


async def test_a_login_that_is_just_being_written_stands_as_it_did(desk: Desk, service: Service) -> None:
    await desk.look()
    (desk.folder / "work" / ".credentials.json").write_text('{"claudeAiOauth": {"acc')
    await desk.look(600)
    assert desk.profile("work").login == "ok"
    assert "not in the form" in desk.profile("work").problem
    assert len(service.asked) == 1
    desk.claude("work")
    await desk.look(30)
    assert desk.profile("work").problem == ""
    assert len(service.asked) == 2


async def test_a_pipe_in_place_of_a_login_holds_nobody_up(desk: Desk, service: Service) -> None:
    path = desk.folder / "work" / ".credentials.json"
    path.unlink()
    os.mkfifo(path)
    await desk.look()
    assert service.asked == []
    assert "it is no file" in desk.profile("work").problem
    assert desk.profile("work").login == "out"


async def test_a_folder_through_a_link_is_the_same_profile(desk: Desk) -> None:
    (desk.folder / "linked").symlink_to(desk.folder / "work")
    desk.name("claude", "linked", desk.folder / "linked")
    await desk.restart()
    assert [profile.name for profile in (await desk.look()).profiles] == ["work"]


async def test_accounts_are_asked_apart_and_one_that_is_refused_stops_no_other(
    desk: Desk, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part, "APART_S", 0.2)
    for number in range(2, 4):
        desk.claude(f"more-{number}", account=f"a-{number}")
    await desk.restart()
    asked_s: list[float] = []

    def answer(request: web.Request) -> web.StreamResponse:
        asked_s.append(time.monotonic())
        if len(asked_s) == 2:
            return web.Response(status=429, headers={"Retry-After": "0"})
        return web.json_response(windows())

    service.answer = answer
    state = await desk.look()
    assert len(asked_s) == 3
    assert all(later - before >= 0.2 for before, later in pairwise(asked_s))
    assert len({reading.account_id for reading in state.readings}) == 2
