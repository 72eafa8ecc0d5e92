"""How a cost is measured and shown."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

import msgspec

TICK = os.sysconf("SC_CLK_TCK")


class Row(msgspec.Struct, frozen=True):
    """One line of the table. ``ratio``: measured over target, below 1 is within it."""

    what: str
    measured: str
    target: str
    ratio: float | None = None


class Usage(msgspec.Struct, frozen=True):
    """Processor seconds and resident bytes of some processes."""

    cpu_s: float
    rss_bytes: int


def family(pid: int) -> list[int]:
    """The process and all its descendants."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        current = todo.pop()
        found.append(current)
        todo += parents.get(current, [])
    return found


def usage(pids: list[int]) -> Usage:
    """Together, now. Processes that ended meanwhile count as nothing."""
    cpu, rss = 0.0, 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            rss += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            continue
        cpu += (int(fields[11]) + int(fields[12])) / TICK
    return Usage(cpu, rss)


def cpu_shares(groups: tuple[list[int], list[int]], seconds: float) -> tuple[float, float]:
    """Percent of one core that each group of processes takes over the same ``seconds``."""
    before, began = [usage(group) for group in groups], time.monotonic()
    time.sleep(seconds)
    after, took = [usage(group) for group in groups], time.monotonic() - began
    first, second = (100 * (new.cpu_s - old.cpu_s) / took for old, new in zip(before, after, strict=True))
    return first, second


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def slowdown() -> float:
    """How much longer the same work takes now than at its best: 1 on a quiet machine.

    Cores that are shared with other work (and halves of cores) are slower, so that processor time grows too.
    """
    took = []
    for _ in range(200):
        began = time.process_time()
        sum(number * number for number in range(20_000))
        took.append(time.process_time() - began)
        time.sleep(0.02)
    return percentile(took, 0.5) / min(took)


def machine() -> str:
    """What this ran on, without names."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} cores of {model}, {system}"


def table(rows: list[Row]) -> str:
    """Markdown."""
    lines = ["| What | Measured | Target | Measured ÷ target |", "|---|---|---|---|"]
    for row in rows:
        ratio = "–" if row.ratio is None else f"{row.ratio:.2f}"
        lines.append(f"| {row.what} | {row.measured} | {row.target} | {ratio} |")
    return "\n".join(lines)
