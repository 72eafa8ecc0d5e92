"""Styles as SGR codes set them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.sgr import PLAIN, Style, after, sgr


def styled(*sequences: str) -> str:
    style = PLAIN
    for parameters in sequences:
        style = after(style, parameters)
    return sgr(style)


@pytest.mark.parametrize(
    ("sequences", "whole"),
    [
        ([], "\x1b[0m"),
        (["1"], "\x1b[0;1m"),
        (["1;31"], "\x1b[0;1;31m"),
        (["31", "1"], "\x1b[0;1;31m"),
        (["1", "0"], "\x1b[0m"),
        (["1", ""], "\x1b[0m"),
        (["1;31", "22"], "\x1b[0;31m"),
        (["2;3;5;7;8;9;53"], "\x1b[0;2;3;5;7;8;9;53m"),
        (["3;5;7;8;9;53", "23;25;27;28;29;55"], "\x1b[0m"),
        (["4"], "\x1b[0;4m"),
        (["4:3"], "\x1b[0;4:3m"),
        (["4:3", "4:0"], "\x1b[0m"),
        (["4:3", "24"], "\x1b[0m"),
        (["21"], "\x1b[0;4:2m"),
        (["38;5;208;48;5;17"], "\x1b[0;38;5;208;48;5;17m"),
        (["38;2;1;2;3;1"], "\x1b[0;1;38;2;1;2;3m"),
        (["38:5:208"], "\x1b[0;38;5;208m"),
        (["38:2:1:2:3"], "\x1b[0;38;2;1;2;3m"),
        (["38:2::1:2:3"], "\x1b[0;38;2;1;2;3m"),
        (["58:2::9:8:7"], "\x1b[0;58;2;9;8;7m"),
        (["58;5;3", "59"], "\x1b[0m"),
        (["97;107"], "\x1b[0;97;107m"),
        (["97;107", "39;49"], "\x1b[0m"),
        (["31", "38;5;999"], "\x1b[0;31m"),
        (["38;5"], "\x1b[0m"),
        (["38;2;1;2"], "\x1b[0m"),
        (["38"], "\x1b[0m"),
        (["38;9;1"], "\x1b[0;1m"),
        (["1;777;31"], "\x1b[0;1;31m"),
        ([";;1"], "\x1b[0;1m"),
        (["::;4:9;99999999999"], "\x1b[0m"),
    ],
)
def test_a_style_is_written_whole(sequences: list[str], whole: str) -> None:
    assert styled(*sequences) == whole


PARAMETERS = st.text("0123456789;:", max_size=40)


@given(st.lists(PARAMETERS, max_size=6))
def test_what_is_written_reads_back_as_the_same_style(sequences: list[str]) -> None:
    style = PLAIN
    for parameters in sequences:
        style = after(style, parameters)
    whole = sgr(style)
    assert re.fullmatch(r"\x1b\[[0-9;:]*m", whole)
    assert after(Style(bold="1", background="41"), whole[2:-1]) == style
