"""Which options an answer names."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from controlroom.core.question_answers import Unknown, keys_of, named_in_chat


class Choice(NamedTuple):
    key: str
    label: str


YES_NO = (Choice("1", "Yes, all of them"), Choice("2", "No"), Choice("3", "Later: after May"))


@pytest.mark.parametrize(
    ("given", "multi", "keys"),
    [
        (None, False, ()),
        ("", False, ()),
        ("1", False, ("1",)),
        ("Yes, all of them", False, ("1",)),
        ("no", False, ("2",)),
        (("2",), False, ("2",)),
        (("3", "1", "1"), True, ("1", "3")),
        ("2, 1", True, ("1", "2")),
        ("Yes, all of them", True, ("1",)),
        ((), True, ()),
    ],
)
def test_a_client_names_options(
    given: str | tuple[str, ...] | None, multi: bool, keys: tuple[str, ...]
) -> None:
    assert keys_of(YES_NO, given, multi=multi) == keys


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("4", "'4' is not one of 1 (Yes, all of them), 2 (No), 3 (Later: after May)"),
        (("1", "2"), "only one"),
        ("1,2", "'1,2' is not one of"),
    ],
)
def test_what_is_not_offered_is_refused(given: str | tuple[str, ...], text: str) -> None:
    with pytest.raises(Unknown) as caught:
        keys_of(YES_NO, given, multi=False)
    assert text in str(caught.value)


def test_a_question_without_options_takes_none() -> None:
    with pytest.raises(Unknown, match="no options"):
        keys_of((), "1", multi=False)


@pytest.mark.parametrize("multi", [False, True])
def test_labels_that_are_twice_there_need_their_keys(multi: bool) -> None:
    twice = (Choice("1", "Yes"), Choice("2", "yes"), Choice("3", "YES"))
    assert keys_of(twice, "yes", multi=multi) == ("2",), "the whole label decides first"
    with pytest.raises(Unknown):
        keys_of(twice, "yEs", multi=multi)


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("1", "1"),
        (" 2. ", "2"),
        ("3)", "3"),
        ("yes, all of them", "1"),
        ("**No**!", "2"),
        ("Later: after May", "3"),
        ("Yes", None),
        ("No, wait, what does that cost?", None),
        ("12", None),
        ("", None),
        ("no " * 500, None),
    ],
)
def test_what_somebody_says_in_the_chat(said: str, key: str | None) -> None:
    assert named_in_chat(YES_NO, said) == key


def test_labels_that_read_the_same_name_nothing() -> None:
    assert named_in_chat((Choice("1", "Go"), Choice("2", "go!")), "go") is None
