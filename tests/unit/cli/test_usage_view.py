"""Accounts and use as a person sees them: nothing looks surer than it is."""

from __future__ import annotations

from datetime import UTC

import msgspec
import pytest

from controlroom.cli.usage_view import accounts_lines, profiles_lines, report_lines, short
from controlroom.core.usage import Hold, Paid
from controlroom.wire.usage import (
    Account,
    AccountWindow,
    Profile,
    ReadingProgress,
    UsageReport,
    UsageRow,
)

NOW, HOUR = 1_796_000_000_000, 3_600_000  # 2026-11-30 00:53 UTC


def window(name: str = "week", used: float | None = 33.0, **more: object) -> AccountWindow:
    made = AccountWindow(
        name=name,
        length_minutes=10_080,
        used_pct=used,
        resets_at_ms=NOW + HOUR,
        taken_at_ms=NOW - 120_000,
        source="endpoint",
        state="fresh",
    )
    return msgspec.structs.replace(made, **more)


def account(*windows: AccountWindow, **more: object) -> Account:
    made = Account(
        id="acc_1", kind="claude", name="kim@example.com", login="ok", profiles=("prf_1",), windows=windows
    )
    return msgspec.structs.replace(made, **more)


PROFILE = Profile(id="prf_1", name="work", machine_id="mac_1", kind="claude", folder="/w", account="acc_1")


def shown(*accounts: Account, profiles: tuple[Profile, ...] = (PROFILE,)) -> str:
    return "\n".join(accounts_lines(accounts, profiles, {"mac_1": "desk"}, NOW, 100, False, UTC))


def test_a_window_shows_what_is_used_its_reset_its_age_and_its_source() -> None:
    assert shown(account(window("5 hours"), plan="Max")) == (
        "kim@example.com  Claude Max  signed in\n"
        "  5 hours  ███░░░░░░░  33 % used, resets 01:53   2 min ago, usage endpoint\n"
        "  Profiles: work on desk"
    )


def test_unknown_is_not_zero() -> None:
    line = shown(account(window(used=None, state="unknown"))).splitlines()[1]
    assert "unknown" in line
    assert "0 %" not in line
    assert "Nothing is known yet" in shown(account())


@pytest.mark.parametrize("state", ["stale", "idle_login"])
def test_an_old_reading_says_at_least(state: str) -> None:
    assert "at least 70 % used" in shown(account(window(used=70.0, state=state, taken_at_ms=NOW - HOUR)))


@pytest.mark.parametrize(("used", "said"), [(0.0, " 0 %"), (0.2, "<1 %"), (99.7, ">99 %"), (100.0, "100 %")])
def test_almost_nothing_and_almost_all_are_not_rounded_away(used: float, said: str) -> None:
    assert f"{said} used" in shown(account(window(used=used)))


def test_what_holds_an_account_and_what_costs_is_said() -> None:
    held = account(
        window(used=100.0),
        hold=Hold(until_ms=NOW + HOUR, why="Its limit is reached."),
        reserve_pct=20.0,
        paid=Paid(is_in_use=True),
        login="ends_soon",
        login_ends_ms=NOW + 72 * HOUR,
    )
    text = shown(held)
    assert "Held until 01:53. Its limit is reached." in text
    assert "20 % of its week are kept in reserve." in text
    assert "Paid extra usage is in use." in text
    assert "Its login ends in 3 d" in text
    assert "when it is spent" in shown(account(paid=Paid(is_enabled=True)))


def test_a_profile_says_what_is_wrong_with_it() -> None:
    odd = msgspec.structs.replace(PROFILE, problem="The service wants to be asked less often.")
    assert "work: The service wants" in shown(account(window()), profiles=(odd,))
    (line, problem) = profiles_lines([odd], [account()], {"mac_1": "desk"}, 100, False)
    assert line == "work on desk  Claude  kim@example.com  /w"
    assert "less often" in problem
    assert "no account" in profiles_lines([PROFILE], [], {}, 100, False)[0]


def test_names_from_outside_cannot_steer_the_terminal() -> None:
    text = shown(account(window("week, \x1b[31mx"), name="kim\x1b[2J\nroot", plan="\x07p"))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert len(text.splitlines()) == 3


def test_without_accounts_and_profiles_it_is_said_how_to_name_some() -> None:
    assert "profiles.folders" in shown()
    assert "profiles.folders" in profiles_lines([], [], {}, 100, False)[0]


def row(key: str, cost: float | None, **more: object) -> UsageRow:
    made = UsageRow(
        key=key,
        input_tokens=1_200,
        cache_read_tokens=45_000_000,
        cache_write_tokens=0,
        output_tokens=950,
        answers=12,
        cost_usd=cost,
    )
    return msgspec.structs.replace(made, **more)


def table(report: UsageReport, **names: str) -> list[str]:
    return report_lines(report, names, "agent", 100, False)


def test_a_report_is_a_table_with_its_sum() -> None:
    lines = table(UsageReport(rows=(row("agt_1", 1.5), row("agt_2", 2.0)), unpriced=()), agt_1="orchard")
    assert [line.split() for line in lines[:4]] == [
        ["agent", "answers", "input", "cached", "written", "output", "cost"],
        ["orchard", "12", "1.2k", "45.0M", "0", "950", "$1.50"],
        ["agt_2", "12", "1.2k", "45.0M", "0", "950", "$2.00"],
        ["together", "24", "2.4k", "90.0M", "0", "1.9k", "$3.50"],
    ]
    assert "a subscription pays none" in lines[5]


def test_what_has_no_price_is_missing_and_said() -> None:
    rows = (row("", None), row("agt_1", 1.0, partly_priced=True))
    lines = table(UsageReport(rows=rows, unpriced=("local-llama",)))
    assert lines[1].startswith("(no agent here)")
    assert lines[1].endswith("?")
    assert lines[2].endswith("$1.00+")
    assert lines[3].endswith("$1.00+")
    assert "No price is known for local-llama" in lines[-1]


def test_a_report_that_is_not_whole_says_so() -> None:
    progress = ReadingProgress(done=40, total=200)
    report = UsageReport(rows=(), unpriced=(), missing=("mac_2",), reading=progress)
    text = "\n".join(table(report, mac_2="attic"))
    assert "away: attic" in text
    assert "still being read (20 %)" in text
    assert "Nothing was used yet" in text


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0"), (999, "999"), (1_000, "1.0k"), (2_500_000, "2.5M"), (10**10, "10.0G")]
)
def test_counts_are_short(count: int, said: str) -> None:
    assert short(count) == said
