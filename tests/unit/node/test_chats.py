"""Which chat an agent's session belongs to."""

from __future__ import annotations

import itertools

from controlroom.node.agents.base import Sighting
from controlroom.node.chats import ChatBook


def who(session: str | None, *ancestors: str, profile: str = "/p") -> Sighting:
    return Sighting(
        kind="claude", incarnation="1@1", session_id=session, ancestors=ancestors, profile=profile
    )


class Book:
    def __init__(self, session: str | None) -> None:
        self.book = ChatBook()
        self.ids = (f"c{n}" for n in itertools.count(1))
        self.chat = self.book.open("c0", "a", who(session)).id

    def see(self, sighting: Sighting) -> str:
        self.chat = self.book.follow("a", self.chat, sighting, lambda: next(self.ids)).id
        return self.chat


def test_a_chat_takes_the_first_session_that_its_agent_gets() -> None:
    assert Book(None).see(who("s1")) == "c0"


def test_another_session_of_the_same_agent_begins_a_new_chat() -> None:
    assert Book("s1").see(who("s2")) == "c1"


def test_going_back_to_an_earlier_session_goes_back_to_its_chat() -> None:
    book = Book("s1")
    book.see(who("s2"))
    assert book.see(who("s1")) == "c0"


def test_a_session_that_continues_the_chats_session_stays_in_it() -> None:
    book = Book("s1")
    assert book.see(who("s2", "s1")) == "c0"
    chat = book.book.get("c0")
    assert chat is not None and chat.session_id == "s2"


def test_a_session_that_is_not_known_for_a_moment_changes_nothing() -> None:
    assert Book("s1").see(who(None)) == "c0"


def test_a_session_in_another_profile_is_looked_for_there() -> None:
    book = Book("s1")
    book.see(who("s1", profile="/q"))
    chat = book.book.get("c0")
    assert chat is not None and chat.profile == "/q"


def test_changes_are_handed_out_once() -> None:
    book = Book("s1")
    assert [chat.id for chat in book.book.take_changed()] == ["c0"]
    book.see(who("s1"))
    assert book.book.take_changed() == []
