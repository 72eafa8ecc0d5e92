"""The checker's calls of a model: counted before they are made, held back after failures.

Today's calls stand on disk before each call, so a crash cannot overspend. A call that fails is counted too:
some providers take money for those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from pathlib import Path

import structlog

from controlroom.core.check_prompt import Garbage, Verdict, read_verdict, request
from controlroom.core.check_rows import Row
from controlroom.core.daily import Spent, next_day_ms, spend, spent_today
from controlroom.hub.check_reading import asked_of
from controlroom.hub.models.base import Model, ModelError, NotPossible, RetryLater
from controlroom.hub.store import check_rows
from controlroom.hub.store.store import Store
from controlroom.kit.clock import Clock, new_id
from controlroom.kit.health import HealthBoard
from controlroom.kit.settings import Checker as CheckerSettings
from controlroom.kit.zone import zone_here, zone_of
from controlroom.wire.question import Question

_log = structlog.get_logger("checker")

CODE = "checker"  # of the health item
FIRST_PAUSE_S, LAST_PAUSE_S = 30.0, 3600.0  # after a failed call, doubled each time
HELPLESS_S = 900.0  # a person has to act; a new key is found by then
TROUBLE_AFTER = 3  # failed calls in a row that are worth a word in Health
GARBAGE = 2  # answers without sense about one state of a conversation; then it is left as it is

Choose = Callable[[CheckerSettings, Path], Model | None]


class Later(Exception):
    """This question is judged another time; ``at``: on the monotonic clock, None: when something happens."""

    def __init__(self, at: float | None = None) -> None:
        super().__init__()
        self.at = at


class Calls:
    """One model, and what may be asked of it. ``problem``: why it cannot be asked now, for people."""

    def __init__(
        self,
        store: Store,
        settings: CheckerSettings,
        home: Path,
        clock: Clock,
        health: HealthBoard,
        choose: Choose | None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._home = home
        self._clock = clock
        self._health = health
        self._choose = choose or _choose
        self.model: Model | None = None
        self.problem = ""
        self._spent = Spent()
        self._not_before = 0.0
        self._failed = 0
        self._garbage: dict[tuple[str, str], int] = {}

    async def start(self) -> None:
        self._spent = await self._store.read(check_rows.spent)
        try:
            self.model = self._choose(self._settings, self._home)
        except NotPossible as error:
            self._trouble(error.text)

    @property
    def today(self) -> int:
        return spent_today(self._spent, self._clock.now_ms(), _zone()).calls

    async def ask(self, question: Question, rows: Sequence[Row], position: str) -> Verdict | None:
        """The model's verdict on a question in this state of its conversation; None when it answers nothing
        but garbage. Raises Later. There must be a model."""
        model = self.model
        assert model is not None
        if self._clock.monotonic() < self._not_before:
            raise Later(self._not_before)
        asked = request(asked_of(question), rows, new_id("mark"))
        await self._count()
        try:
            answer = await model.ask(asked)
            verdict = read_verdict(answer.text)
        except Garbage as error:
            self._went_well()
            _log.info("an answer without sense", model=model.name, question=question.id, why=str(error))
            self._was_garbage((question.id, position))
            return None
        except ModelError as error:
            raise self._went_wrong(model, error) from None
        self._went_well()
        _log.info("asked", model=model.name, read=answer.input_tokens, wrote=answer.output_tokens)
        return verdict

    async def _count(self) -> None:
        """Raises Later when today's are used up."""
        now_ms, zone = self._clock.now_ms(), _zone()
        spent = spend(self._spent, self._settings.calls_per_day, now_ms, zone)
        if spent is None:
            raise Later(self._clock.monotonic() + (next_day_ms(now_ms, zone) - now_ms) / 1000)
        self._spent = spent
        await self._store.change(lambda change: check_rows.put_spent(change, spent))

    def _was_garbage(self, about: tuple[str, str]) -> None:
        """Once more, and then no more. Raises Later."""
        self._garbage[about] = self._garbage.get(about, 0) + 1
        if self._garbage[about] < GARBAGE:
            raise Later(self._clock.monotonic() + FIRST_PAUSE_S)
        del self._garbage[about]

    def _went_well(self) -> None:
        self._failed, self._not_before, self.problem = 0, 0.0, ""
        self._health.clear(CODE)

    def _went_wrong(self, model: Model, error: ModelError) -> Later:
        self._failed += 1
        pause = min(FIRST_PAUSE_S * 2 ** min(self._failed - 1, 10), LAST_PAUSE_S)
        if isinstance(error, RetryLater):
            pause = max(pause, error.after_s or 0.0)
        else:
            pause = max(pause, HELPLESS_S)
        _log.warning("a model cannot be asked", model=model.name, error=error.text, again_in_s=pause)
        if not isinstance(error, RetryLater) or self._failed >= TROUBLE_AFTER:
            self._trouble(error.text)
        self._not_before = self._clock.monotonic() + pause
        return Later(self._not_before)

    def _trouble(self, text: str) -> None:
        self.problem = text
        do = "Correct the settings of [checker]; until then questions are closed by rules alone."
        self._health.raise_(CODE, f"The checker cannot ask its model: {text}", do)


def _zone() -> tzinfo:
    return zone_of(zone_here()) or UTC


def _choose(settings: CheckerSettings, home: Path) -> Model | None:
    """Imported late: most have no model, and those who have one want to see their fleet first."""
    from controlroom.hub.models.choose import choose

    return choose(settings, home)
