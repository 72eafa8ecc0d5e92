"""The recorded conversations of the original, replayed against our door (relay contract).

Same answers up to ids, tokens and times, and up to the differences that are meant
(``docs/reference/relay-differences.md``).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest

from controlroom.gateway.sockets import SocketTimes
from controlroom.kit.settings import Media
from tests.conformance.corrections import corrections_of
from tests.conformance.hooks import SHOWS, hooks_of
from tests.conformance.recording import Row, load
from tests.conformance.replayer import Replayer
from tests.conformance.scope import later, recordings
from tests.conformance.stage import Stage
from tests.support.tmux import TmuxFolder

MAKE: dict[str, Callable[[TmuxFolder], Stage]] = {
    # As the recorded server was set: one megabyte, two offers of two seconds.
    "limits": lambda folder: Stage(
        folder, note="0123456789", limits=Media(max_bytes=1024 * 1024, entries=2, ttl_s=2)
    ),
    # The recorded server waited for 30 s; so do we, see the machine's own tests.
    "timeouts": lambda folder: Stage(folder, times=SocketTimes(auth_s=2.0)),
}


@pytest.fixture
async def stage(tmux_folder: TmuxFolder, request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    stage = MAKE.get(request.param, Stage)(tmux_folder)
    await stage.door.start()
    yield stage
    await stage.aclose()


@pytest.mark.parametrize("stage", recordings(), indirect=True, ids=recordings())
async def test_our_answers_are_the_recorded_ones(stage: Stage, request: pytest.FixtureRequest) -> None:
    name: str = request.node.callspec.params["stage"]
    recording = load(name)
    corrections = corrections_of(recording)
    rows: dict[int, Row | None] = {
        line: corrections[line].change(row) for line, _, row in recording.rows if line in corrections
    }
    replayer = Replayer(
        stage.door,
        recording,
        corrections=rows,
        hooks=hooks_of(stage).get(name, {}),
        skipped=later(name),
        names=stage.names,
        shows=SHOWS.get(name, {}),
    )
    await replayer.play()
