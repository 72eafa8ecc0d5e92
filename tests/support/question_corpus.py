"""The corpus of question blocks: replies as agents write them, and the cards that come of them."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from controlroom.hub.question_cards import Times, card_of_block
from controlroom.kit.zone import zone_of
from controlroom.node.agents.replies import asks_of
from controlroom.wire.question import QuestionDefault

CORPUS = Path(__file__).parent.parent / "fixtures" / "questions"
ASKED = "2026-11-30T09:15:00Z"  # a Monday; 10:15 in Berlin


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    label: str
    what: str = ""
    recommended: bool = False


class Default(msgspec.Struct, frozen=True, kw_only=True):
    """``due``: the moment in UTC; None = it is not used by itself."""

    text: str
    said: str = ""
    due: str | None = None
    problem: str | None = None


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """What people see. ``is_raw``: the block itself is shown too."""

    question: str
    options: tuple[Choice, ...] = ()
    default: Default | None = None
    blocking: str | None = None  # why nobody else may answer
    context: str | None = None
    doc: str | None = None
    problem: str | None = None
    is_raw: bool = False


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A reply. ``zone`` of the machine ("" = not known); ``grow``: as many characters in place of XXL;
    ``many``: as many options in place of MANY. Questions and options longer than 120 characters are told by
    their beginning and length."""

    name: str
    text: str
    zone: str = "Europe/Berlin"
    line_ends: str = "\n"
    grow: int = 0
    many: int = 0
    card: tuple[Card, ...] = ()

    @property
    def reply(self) -> str:
        many = "\n".join(f"- Bed {number}: row {number}" for number in range(1, self.many + 1))
        text = self.text.replace("XXL", "x" * self.grow) if self.grow else self.text
        return (text.replace("MANY", many) if many else text).replace("\n", self.line_ends)


class _File(msgspec.Struct, frozen=True):
    case: tuple[Case, ...]


def corpus() -> dict[str, Case]:
    """All cases, by file and name."""
    found: dict[str, Case] = {}
    for path in sorted(CORPUS.glob("*.toml")):
        file = msgspec.convert(tomllib.loads(path.read_text()), _File, strict=True)
        found.update({f"{path.stem}: {case.name}": case for case in file.case})
    return found


def cards_of(case: Case) -> tuple[Card, ...]:
    """The cards as node and hub make them: the node reads the reply, the hub makes cards of what it tells."""
    asked_at_ms = int(datetime.fromisoformat(ASKED).timestamp() * 1000)
    asks = asks_of("item", asked_at_ms, case.reply)
    times = Times(asked_at_ms=asked_at_ms, zone=zone_of(case.zone) or UTC, zone_of=zone_of)
    found = []
    for block in asks.questions if asks is not None else ():
        card, is_blocking = card_of_block(block, times, "item")
        default = card.default
        assert is_blocking == (card.blocking_why is not None)
        found.append(
            Card(
                question=_short(card.question),
                options=tuple(
                    Choice(
                        key=one.key,
                        label=_short(one.label),
                        what=_short(one.what or ""),
                        recommended=one.recommended,
                    )
                    for one in card.options
                ),
                default=None if default is None else _default(default),
                blocking=card.blocking_why,
                context=card.context,
                doc=card.doc,
                problem=card.problem,
                is_raw=card.raw is not None,
            )
        )
    return tuple(found)


def _default(default: QuestionDefault) -> Default:
    return Default(
        text=default.text,
        said=default.said or "",
        due=_moment(default.due_at_ms),
        problem=default.problem,
    )


def _moment(ms: int | None) -> str | None:
    return None if ms is None else datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:20]}… ({len(text)} characters)"
