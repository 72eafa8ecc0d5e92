"""What it costs that every reply may hold a question: nothing, where it holds none."""

from __future__ import annotations

import time
from collections.abc import Callable
from io import BytesIO

from bench.measure import Row
from controlroom.core.blocks import parse_reply
from controlroom.node.agents.claude.pages import newest_page
from controlroom.wire.codec import encode

REPLIES = 2_000
ROUNDS = 5
MOST = 0.1  # of the time that reading them takes
_SENTENCES = (
    "The result of the run stands in the log, and the status of the pump did not change.",
    "I moved the helper below `beds/` and wrote a test for it: nine rows, all green.",
    "- north: watered\n- south: dry\n",
    "```python\nStatus = 'done'\nresult = water(bed)\n```",
)
_MORE = (
    "The pump runs at night now, because the pressure is higher then; the valve of the south bed stays shut.",
    "| bed | litres |\n|---|---|\n| north | 40 |\n| south | 12 |",
    "Next I look at the **timer**: it starts an hour early on the day when clocks are changed.",
)


def replies() -> list[Row]:
    """A page of replies without a block: looking for questions in it, against reading it from its file."""
    texts = [f"Reply {at}. " + "\n\n".join((*_SENTENCES, *_MORE * (at % 12))) for at in range(REPLIES)]
    file = BytesIO(b"".join(encode(_row(at, text)) + b"\n" for at, text in enumerate(texts)))
    look = parse_reply.__wrapped__
    read = _best(lambda: newest_page(file, REPLIES))
    share = _best(lambda: [look(text) for text in texts]) / read
    return [
        Row(
            "looking for questions in replies without one, of the time to read them",
            f"{100 * share:.1f} %",
            f"{100 * MOST:.0f} %",
            share / MOST,
        )
    ]


def _row(at: int, text: str) -> dict[str, object]:
    message = {"id": f"m{at}", "role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "uuid": f"u{at}", "timestamp": "2026-11-30T11:00:00Z", "message": message}


def _best(work: Callable[[], object]) -> float:
    took = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        took.append(time.process_time() - began)
    return min(took)
