"""``make bench``: all costs, or those named, as a Markdown table."""

from __future__ import annotations

import sys

from bench.costs import ALL
from bench.measure import Row, machine, slowdown, table


def main() -> None:
    names = sys.argv[1:] or list(ALL)
    if unknown := [name for name in names if name not in ALL]:
        raise SystemExit(f"unknown: {', '.join(unknown)}; there are {', '.join(ALL)}")
    rows: list[Row] = []
    slow = [slowdown()]
    for name in names:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        rows += ALL[name]()
        slow.append(slowdown())
    print(table(rows))
    print(f"\nMeasured on {machine()}.")
    print(f"The same work took {min(slow):.2f} to {max(slow):.2f} times its best time meanwhile.")


if __name__ == "__main__":
    main()
