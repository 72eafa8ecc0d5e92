"""What has no price is shown as missing, never as nothing."""

from __future__ import annotations

import pytest

from controlroom.core.prices import PRICES, cost_usd, price_of, report
from controlroom.core.tokens import Sum, Tokens

MILLION = Tokens(1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000)


@pytest.mark.parametrize(
    "name",
    ["claude-opus-4-5", "claude-opus-4-5-20251101", "claude-opus-4-5[1m]", " Claude-Opus-4-5 "],
)
def test_a_model_is_priced_whatever_date_or_context_its_name_carries(name: str) -> None:
    assert price_of(name) == PRICES["claude-opus-4-5"]


def test_a_cost_adds_up_all_five_kinds_of_tokens() -> None:
    assert cost_usd("claude-opus-4-5", MILLION) == 5 + 0.5 + 6.25 + 10 + 25


@pytest.mark.parametrize("name", ["", "<synthetic>", "local-llama", "claude-opus-4-5-nonsense"])
def test_an_unknown_model_has_no_price(name: str) -> None:
    assert cost_usd(name, MILLION) is None


def test_a_report_says_what_has_no_price() -> None:
    def part(model: str) -> tuple[str, Sum]:
        return model, Sum(Tokens(input=1_000_000), 1)

    made = report(
        [
            ("both", *part("gpt-5")),
            ("both", *part("local-llama")),
            ("none", *part("local-llama")),
            ("all", *part("gpt-5")),
        ]
    )
    assert made.unpriced == ("local-llama",)
    assert [(line.key, line.cost_usd, line.is_partly_priced) for line in made.lines] == [
        ("all", 1.25, False),
        ("both", 1.25, True),
        ("none", None, False),
    ]
    assert made.lines[1].sum.answers == 2


def test_every_price_is_a_price() -> None:
    for price in PRICES.values():
        assert (
            0 < price.cache_read < price.input <= price.cache_write <= price.cache_write_long < price.output
        )
