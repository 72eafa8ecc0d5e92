"""How a question ended is said by the same numbers wherever they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from controlroom.cli.ask import ENDS, STILL_OPEN, command
from controlroom.core.conventions import conventions
from controlroom.core.questions import STATES

HOW_TO = (Path(__file__).parents[2] / "docs" / "how-to" / "questions.md").read_text()
MEANINGS = {status: state for state, status in ENDS.items()}


def test_each_end_has_a_status_of_its_own() -> None:
    assert set(ENDS) == set(STATES) - {"open"}
    assert len({*ENDS.values(), STILL_OPEN, 1, 2, 3}) == len(ENDS) + 4


def test_the_table_of_the_how_to_page() -> None:
    rows = dict(re.findall(r"^\| (\d+) \| (.+?) \|", HOW_TO, re.MULTILINE))
    assert {int(status) for status in rows} == {*ENDS.values(), STILL_OPEN}
    for status, said in rows.items():
        assert (MEANINGS.get(int(status)) or "still open") in said


@pytest.mark.parametrize("said", [command.help or "", conventions("controlroom")])
def test_what_agents_are_told(said: str) -> None:
    for words in ("0 *answered", "4 .*use your default", "5 *skipped", r"10\s+still\s+open"):
        assert re.search(words, said)
