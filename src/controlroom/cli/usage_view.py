"""Accounts, profiles and use as rows for a terminal. Names come from outside and are made safe here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo

from controlroom.cli import text, times
from controlroom.cli.look import Span, compose
from controlroom.cli.palette import Role
from controlroom.wire.usage import Account, AccountWindow, Profile, UsageBy, UsageReport, UsageRow

BAR = 10  # cells
NAME = 40
_KINDS = {"claude": "Claude", "codex": "Codex"}
_SOURCES = {
    "endpoint": "usage endpoint",
    "status_line": "status line",
    "transcript": "transcript",
    "rollout": "rollout",
}
_NONE = {"agent": "no agent here", "day": "no day", "model": "no model", "profile": "no profile"}


def accounts_lines(
    accounts: Sequence[Account],
    profiles: Sequence[Profile],
    machines: Mapping[str, str],
    now_ms: int,
    width: int,
    colour: bool,
    zone: tzinfo | None = None,
) -> list[str]:
    """Each account with its windows, what holds it, and where it is signed in."""
    if not accounts:
        return [
            "No account is known. Agents that use an API key have none; config folders elsewhere can be",
            "named in the setting profiles.folders.",
        ]
    lines: list[str] = []
    for account in accounts:
        if lines:
            lines.append("")
        lines.append(compose(_head(account), width, colour))
        named = max((text.cells(window.name) for window in account.windows), default=0)
        lines += [compose(_window(window, named, now_ms, zone), width, colour) for window in account.windows]
        if not account.windows:
            lines.append("  Nothing is known yet of what it has left.")
        for note, role in _notes(account, profiles, machines, now_ms, zone):
            lines += [compose([(f"  {row}", role)], width, colour) for row in text.wrap(note, width - 2)]
    return lines


def _head(account: Account) -> list[Span]:
    kind = _KINDS.get(account.kind, text.line(account.kind, 20))
    plan = f" {text.line(account.plan, 30)}" if account.plan else ""
    states: dict[str, Span] = {
        "ok": ("signed in", "good"),
        "idle": ("login idle", "rest"),
        "ends_soon": ("login ends soon", "lamp"),
        "out": ("signed out", "fault"),
    }
    state = states.get(account.login, (text.line(account.login, 20), "plain"))
    return [(text.line(account.name, NAME), "name"), (f"  {kind}{plan}  ", "meta"), state]


def _window(window: AccountWindow, named: int, now_ms: int, zone: tzinfo | None) -> list[Span]:
    """``  week     ███░░░░░░░   33 % used, resets 14:05   2 min ago, usage endpoint``."""
    name = text.pad(text.line(window.name, NAME), named)
    age = f"{times.span(now_ms - window.taken_at_ms)} ago, {_SOURCES.get(window.source, 'unknown source')}"
    if window.used_pct is None:
        return [(f"  {name}  ", "plain"), (" " * BAR + "  unknown", "rest"), (f"   {age}", "meta")]
    full = min(round(window.used_pct / 100 * BAR), BAR)
    is_old = window.state != "fresh"
    used = f"{'at least ' if is_old and window.used_pct else ''}{_percent(window.used_pct)} used"
    resets = (
        "" if window.resets_at_ms is None else f", resets {times.stamp(window.resets_at_ms, now_ms, zone)}"
    )
    role: Role = "fault" if window.used_pct >= 100 else "plain"
    return [
        (f"  {name}  ", "plain"),
        ("█" * full, "work"),
        ("░" * (BAR - full), "rest"),
        (f"  {used}", role),
        (resets, "plain"),
        (f"   {age}", "lamp" if is_old else "meta"),
    ]


def _percent(value: float) -> str:
    """Whole percents, but never 0 or 100 for what is neither."""
    if 0 < value < 1:
        return "<1 %"
    if 99 < value < 100:
        return ">99 %"
    return f"{round(value)} %"


def _notes(
    account: Account,
    profiles: Sequence[Profile],
    machines: Mapping[str, str],
    now_ms: int,
    zone: tzinfo | None,
) -> Iterable[tuple[str, Role]]:
    if account.hold is not None:
        until = times.stamp(account.hold.until_ms, now_ms, zone)
        yield f"Held until {until}. {text.line(account.hold.why, 200)}", "lamp"
    if account.reserve_pct:
        yield f"{_percent(account.reserve_pct)} of its week are kept in reserve.", "meta"
    if account.paid is not None and account.paid.is_in_use:
        yield "Paid extra usage is in use.", "lamp"
    elif account.paid is not None and account.paid.is_enabled:
        yield "It goes on with paid extra usage when it is spent.", "meta"
    if account.login == "ends_soon" and account.login_ends_ms is not None:
        yield f"Its login ends in {times.span(account.login_ends_ms - now_ms)}: sign in again before.", "lamp"
    own = [profile for profile in profiles if profile.account == account.id]
    if own:
        yield "Profiles: " + ", ".join(_where(profile, machines) for profile in own), "meta"
    for profile in own:
        if profile.problem:
            yield f"{text.line(profile.name, NAME)}: {text.line(profile.problem, 200)}", "meta"


def _where(profile: Profile, machines: Mapping[str, str]) -> str:
    machine = machines.get(profile.machine_id, "")
    return text.line(profile.name, NAME) + (f" on {text.line(machine, NAME)}" if machine else "")


def profiles_lines(
    profiles: Sequence[Profile],
    accounts: Sequence[Account],
    machines: Mapping[str, str],
    width: int,
    colour: bool,
) -> list[str]:
    """Each profile with its account and its folder."""
    if not profiles:
        return ["No config folder of an agent was found. Name some in the setting profiles.folders."]
    names = {account.id: account.name for account in accounts}
    lines = []
    for profile in profiles:
        kind = _KINDS.get(profile.kind, text.line(profile.kind, 20))
        whose = text.line(names.get(profile.account or "", ""), NAME) or "no account"
        lines.append(
            compose(
                [
                    (_where(profile, machines), "name"),
                    (f"  {kind}  ", "meta"),
                    (whose, "plain"),
                    (f"  {text.line(profile.folder, 200)}", "meta"),
                ],
                width,
                colour,
            )
        )
        if profile.problem:
            lines.append(compose([(f"  {text.line(profile.problem, 300)}", "lamp")], width, colour))
    return lines


_HEADS = ("answers", "input", "cached", "written", "output", "cost")


def report_lines(
    report: UsageReport, names: Mapping[str, str], by: UsageBy, width: int, colour: bool
) -> list[str]:
    """A table, the sum below it, and what is missing from it."""
    lines: list[str] = []
    if report.rows:
        rows = [(_called(row, names, by), _cells(row)) for row in report.rows]
        if len(rows) > 1:
            rows.append(("together", _cells(_together(report.rows))))
        first = max(text.cells(name) for name, _ in rows)
        sizes = [max(len(head), *(len(row[at]) for _, row in rows)) for at, head in enumerate(_HEADS)]
        heads = "  ".join(head.rjust(size) for head, size in zip(_HEADS, sizes, strict=True))
        lines.append(compose([(f"{text.pad(by, first)}  {heads}", "meta")], width, colour))
        for name, cells in rows:
            numbers = "  ".join(cell.rjust(size) for cell, size in zip(cells, sizes, strict=True))
            lines.append(compose([(text.pad(name, first), "name"), (f"  {numbers}", "plain")], width, colour))
        lines.append("")
    else:
        lines.append("Nothing was used yet, as far as the agents' files say.")
    lines += [compose([(row, "meta")], width, colour) for row in _footnotes(report, names, width)]
    return lines


def _footnotes(report: UsageReport, names: Mapping[str, str], width: int) -> Iterable[str]:
    notes = []
    if report.rows:
        notes.append("Costs are what the API would take, by list prices; a subscription pays none of them.")
    if report.unpriced:
        models = ", ".join(text.line(model, NAME) for model in report.unpriced)
        notes.append(f"No price is known for {models}: costs with a + are without them.")
    if report.missing:
        away = ", ".join(text.line(names.get(id, id), NAME) for id in report.missing)
        notes.append(f"Not in it, because it is away: {away}.")
    if report.reading is not None:
        percent = report.reading.done * 100 // max(report.reading.total, 1)
        notes.append(f"Files are still being read ({percent} %): the sums are not whole yet.")
    for note in notes:
        yield from text.wrap(note, width)


def _called(row: UsageRow, names: Mapping[str, str], by: UsageBy) -> str:
    return text.line(names.get(row.key, row.key), NAME) or f"({_NONE[by]})"


def _cells(row: UsageRow) -> tuple[str, ...]:
    cost = "?" if row.cost_usd is None else _dollars(row.cost_usd) + ("+" if row.partly_priced else "")
    counts = (
        row.answers,
        row.input_tokens,
        row.cache_read_tokens,
        row.cache_write_tokens,
        row.output_tokens,
    )
    return (*(short(count) for count in counts), cost)


def _dollars(value: float) -> str:
    return "<$0.01" if 0 < value < 0.005 else f"${value:.2f}"


def _together(rows: Sequence[UsageRow]) -> UsageRow:
    costs = [row.cost_usd for row in rows if row.cost_usd is not None]
    return UsageRow(
        key="",
        input_tokens=sum(row.input_tokens for row in rows),
        cache_read_tokens=sum(row.cache_read_tokens for row in rows),
        cache_write_tokens=sum(row.cache_write_tokens for row in rows),
        output_tokens=sum(row.output_tokens for row in rows),
        answers=sum(row.answers for row in rows),
        cost_usd=sum(costs) if costs else None,
        partly_priced=any(row.partly_priced or row.cost_usd is None for row in rows),
    )


def short(count: int) -> str:
    """``950``, ``12.3k``, ``4.5M``, ``1.2G``."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count / size:.1f}{unit}"
    return str(count)
