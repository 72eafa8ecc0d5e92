"""An answer names options by key or label, one or several; nothing is guessed."""

from __future__ import annotations

import pytest

from controlroom.hub.choices import Option, keys_of, named
from controlroom.hub.errors import HubError
from controlroom.wire.model import DialogOption, WaitingFor


def dialog(*labels: str, multi: bool = False) -> WaitingFor:
    options = tuple(DialogOption(key=str(n), label=label, risky=False) for n, label in enumerate(labels, 1))
    return WaitingFor(id="dlg_1", kind="picker", text="Which?", since_ms=1, options=options, multi=multi)


FRUIT = ("Pears", "Plums, ripe", "2 apples")


@pytest.mark.parametrize(
    ("option", "multi", "keys"),
    [
        (None, False, None),
        ("", False, None),
        ((), True, None),
        ("2", False, "2"),
        ("Plums, ripe", False, "2"),
        (("Plums, ripe",), False, "2"),
        (("Plums, ripe", "1"), True, "2,1"),
        (("Pears", "1", "Pears"), True, "1"),
        ("Plums, ripe", True, "2"),
        ("1, 3", True, "1,3"),
    ],
)
def test_options_are_named_by_key_or_label(option: Option, multi: bool, keys: str | None) -> None:
    assert keys_of(dialog(*FRUIT, multi=multi), "dlg_1", option) == keys


@pytest.mark.parametrize(
    ("option", "multi"), [("Maybe", False), (("Pears", "Maybe"), True), (("1", "2"), False), ("Plums", False)]
)
def test_what_is_not_an_option_is_refused(option: Option, multi: bool) -> None:
    with pytest.raises(HubError) as refused:
        keys_of(dialog(*FRUIT, multi=multi), "dlg_1", option)
    assert refused.value.code == "bad_request"


def test_of_a_dialog_that_the_hub_does_not_know_one_option_is_left_to_the_node() -> None:
    assert keys_of(dialog(*FRUIT), "dlg_2", "Pears") == "Pears"
    assert keys_of(None, "dlg_1", ("2",)) == "2"


def test_several_options_need_the_dialog_that_was_seen() -> None:
    for waiting in (None, dialog(*FRUIT, multi=True)):
        with pytest.raises(HubError) as refused:
            keys_of(waiting, "dlg_2", ("1", "2"))
        assert refused.value.code == "changed"


def test_a_receipt_names_them_as_they_were_named() -> None:
    assert named(("Pears", "3")) == "Pears, 3"
    assert named("Pears") == "Pears"
