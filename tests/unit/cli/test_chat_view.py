"""A conversation in the terminal: who, when, words, and work in one quiet line each."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from controlroom.cli import text
from controlroom.cli.chat_view import ChatPrinter, ChatView, delivery_words
from controlroom.wire.model import Attachment, Change, Delivery, Held, Item, Tool
from tests.unit.cli.agents import DAY, MIN, NOW


def item(kind: Any, words: str | None = None, ago_ms: int = MIN, **more: Any) -> Item:
    return Item(id=more.pop("id", f"itm_{kind}_{ago_ms}"), at_ms=NOW - ago_ms, kind=kind, text=words, **more)


def tool(title: str, state: Any = "done", **more: Any) -> Item:
    return item("tool", tool=Tool(name=title.split(":")[0], title=title, state=state, **more))


def draw(*items: Item, width: int = 60) -> list[str]:
    return ChatPrinter(ChatView(name="orchard", now_ms=NOW, width=width, zone=UTC)).lines(items)


def test_golden() -> None:
    drawn = draw(
        item("user", "Please make the report.", 9 * MIN),
        item("thinking", "I should look at the code first.\nThen run it."),
        item("assistant", "I will look at the code first.", model="claude-opus-5-5"),
        tool("Read: orchard.py"),
        tool("Bash: python3 -m report", "failed"),
        tool("Edit: orchard.py", changes=(Change(path="orchard.py", added=3, removed=1),)),
        tool("Write: NOTES.md", "refused"),
        item("notice", "The conversation was compacted."),
        item("assistant", "- one\n- two"),
        item("user", "Thanks.", 0, delivery=Delivery(id="msg_1", state="delivered")),
    )
    assert drawn == [
        "",
        "10:51  You",
        "       Please make the report.",
        "",
        "10:59  orchard",
        "       I should look at the code first. Then run it.",
        "       I will look at the code first.",
        "       ✓ Read: orchard.py",
        "       ✗ Bash: python3 -m report  failed",
        "       ✓ Edit: orchard.py  +3 −1",
        "       ⊘ Write: NOTES.md  refused",
        "       · The conversation was compacted.",
        "",
        "10:59  orchard",
        "       - one",
        "       - two",
        "",
        "11:00  You",
        "       Thanks.",
        "       Delivered",
    ]


def test_files_are_named_under_the_words() -> None:
    photo = Attachment(id="up_1", name="photo.png", bytes=24_000, type="image/png")
    drawn = draw(item("user", "Look.", attachments=(photo,)), item("user", "", 0, attachments=(photo,)))
    assert drawn == [
        "", "10:59  You", "       Look.", "       With photo.png, 24 kB",
        "", "11:00  You", "       With photo.png, 24 kB",
    ]  # fmt: skip


def test_another_day_is_named() -> None:
    drawn = draw(item("user", "old", 2 * DAY), item("user", "new", 0))
    assert drawn[1] == "2026-11-28"
    assert "2026-11-30" in drawn


def test_long_lines_wrap_and_long_titles_are_cut() -> None:
    drawn = draw(item("assistant", "word " * 40), tool("Bash: " + "x" * 200, "failed"), width=40)
    assert all(text.cells(entry) <= 40 for entry in drawn)
    assert drawn[-1].endswith("…  failed")


def test_long_thinking_is_shortened() -> None:
    assert len(draw(item("thinking", "thought " * 100))) == 5


def test_hostile_words_are_clean() -> None:
    drawn = "\n".join(draw(item("assistant", "a\x1b[2Jb\x07"), tool("Bash: \x1b]0;x\x07ls\n rm")))
    assert "\x1b" not in drawn
    assert "✓ Bash: ls rm" in drawn


def test_a_clipped_text_says_so() -> None:
    assert "cut here" in "\n".join(draw(item("assistant", "words", clipped=True)))


def test_where_a_message_stands() -> None:
    held = Held(code="working", text="Goes out when this turn ends.", since_ms=NOW)
    states = [
        Delivery(id="m", state="accepted"),
        Delivery(id="m", state="accepted", held=held),
        Delivery(id="m", state="sending"),
        Delivery(id="m", state="delivered"),
        Delivery(id="m", state="unconfirmed", detail="its composer still shows your text."),
        Delivery(id="m", state="failed", detail="the agent is gone."),
    ]
    assert [delivery_words(one) for one in states] == [
        "Accepted",
        "Accepted. Goes out when this turn ends.",
        "Sending",
        "Delivered",
        "Not confirmed: its composer still shows your text.",
        "Failed: the agent is gone.",
    ]
