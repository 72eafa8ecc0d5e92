"""What tokens would cost on the API: an estimate, for comparing. A subscription pays no price for each token.

Dollars for a million tokens, list prices of LiteLLM 1.110.2 (MIT), November 2026. Surcharges for long
contexts and faster tiers, and discounts of batches, are not in it. A model without a row has no price: its
cost is unknown, never nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from controlroom.core.tokens import Sum, Tokens


class Price(NamedTuple):
    """Dollars for a million tokens. Where writing to a cache has no price of its own, it is that of input."""

    input: float
    cache_read: float
    cache_write: float
    cache_write_long: float
    output: float


PRICES: Mapping[str, Price] = {
    "claude-fable-5": Price(10.0, 1.0, 12.5, 20.0, 50.0),
    "claude-fable-5-1": Price(10.0, 0.25, 12.5, 20.0, 50.0),
    "claude-haiku-4-5": Price(1.0, 0.1, 1.25, 2.0, 5.0),
    "claude-haiku-5-5": Price(0.1, 0.01, 0.125, 0.2, 0.5),
    "claude-mythos-5": Price(10.0, 1.0, 12.5, 20.0, 50.0),
    "claude-mythos-5-1": Price(10.0, 0.25, 12.5, 20.0, 50.0),
    "claude-mythos-preview": Price(10.0, 1.0, 12.5, 20.0, 50.0),
    "claude-opus-4-5": Price(5.0, 0.5, 6.25, 10.0, 25.0),
    "claude-opus-4-6": Price(5.0, 0.5, 6.25, 10.0, 25.0),
    "claude-opus-4-7": Price(5.0, 0.5, 6.25, 10.0, 25.0),
    "claude-opus-4-8": Price(5.0, 0.5, 6.25, 10.0, 25.0),
    "claude-opus-5": Price(5.0, 0.5, 6.25, 10.0, 25.0),
    "claude-opus-5-5": Price(4.0, 0.2, 5.0, 8.0, 20.0),
    "claude-sonnet-4-5": Price(3.0, 0.3, 3.75, 6.0, 15.0),
    "claude-sonnet-4-6": Price(3.0, 0.3, 3.75, 6.0, 15.0),
    "claude-sonnet-5": Price(2.0, 0.2, 2.5, 4.0, 10.0),
    "claude-sonnet-5-5": Price(2.0, 0.1, 2.5, 4.0, 10.0),
    "gpt-5": Price(1.25, 0.125, 1.25, 1.25, 10.0),
    "gpt-5-codex": Price(1.25, 0.125, 1.25, 1.25, 10.0),
    "gpt-5-mini": Price(0.25, 0.025, 0.25, 0.25, 2.0),
    "gpt-5-nano": Price(0.05, 0.005, 0.05, 0.05, 0.4),
    "gpt-5.1": Price(1.25, 0.125, 1.25, 1.25, 10.0),
    "gpt-5.1-codex": Price(1.25, 0.125, 1.25, 1.25, 10.0),
    "gpt-5.1-codex-max": Price(1.25, 0.125, 1.25, 1.25, 10.0),
    "gpt-5.1-codex-mini": Price(0.25, 0.025, 0.25, 0.25, 2.0),
    "gpt-5.2": Price(1.75, 0.175, 1.75, 1.75, 14.0),
    "gpt-5.2-codex": Price(1.75, 0.175, 1.75, 1.75, 14.0),
    "gpt-5.3-codex": Price(1.75, 0.175, 1.75, 1.75, 14.0),
    "gpt-5.4": Price(2.5, 0.25, 2.5, 2.5, 15.0),
    "gpt-5.4-mini": Price(0.75, 0.075, 0.75, 0.75, 4.5),
    "gpt-5.4-nano": Price(0.2, 0.02, 0.2, 0.2, 1.25),
    "gpt-5.5": Price(5.0, 0.5, 5.0, 5.0, 30.0),
    "gpt-5.5-cyber": Price(12.5, 1.25, 12.5, 12.5, 75.0),
    "gpt-5.5-cyber-preview": Price(12.5, 1.25, 12.5, 12.5, 75.0),
    "gpt-5.6": Price(4.0, 0.4, 5.0, 5.0, 20.0),
    "gpt-5.6-cyber": Price(12.5, 1.25, 15.625, 15.625, 75.0),
    "gpt-5.6-luna": Price(0.2, 0.02, 0.25, 0.25, 1.2),
    "gpt-5.6-sol": Price(4.0, 0.4, 5.0, 5.0, 20.0),
    "gpt-5.6-terra": Price(2.0, 0.2, 2.5, 2.5, 12.0),
    "gpt-6-astra": Price(10.0, 1.0, 12.5, 12.5, 50.0),
    "gpt-6-astra-law": Price(10.0, 1.0, 10.0, 10.0, 50.0),
    "gpt-6-cyber": Price(20.0, 2.0, 25.0, 25.0, 100.0),
    "gpt-6-luna": Price(0.1, 0.01, 0.125, 0.125, 0.5),
    "gpt-6-rosalind": Price(15.0, 1.5, 18.75, 18.75, 75.0),
    "gpt-6-sol": Price(2.0, 0.2, 2.5, 2.5, 10.0),
    "gpt-6.1-sol": Price(2.0, 0.1, 2.5, 2.5, 10.0),
    "gpt-6.1-terra": Price(1.0, 0.05, 1.25, 1.25, 5.0),
}

_DATED = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})$")
_CONTEXT = re.compile(r"\[\d+m\]$")  # "claude-opus-5-5[1m]": the same model with a longer context


def price_of(model: str) -> Price | None:
    """The price of a model by its name, whatever date or context size the name carries; None: no price."""
    bare = _CONTEXT.sub("", model.strip().lower())
    return PRICES.get(bare) or PRICES.get(_DATED.sub("", bare))


def cost_usd(model: str, tokens: Tokens) -> float | None:
    """What these tokens would cost; None when the model has no price."""
    price = price_of(model)
    if price is None:
        return None
    return (
        tokens.input * price.input
        + tokens.cache_read * price.cache_read
        + tokens.cache_write * price.cache_write
        + tokens.cache_write_long * price.cache_write_long
        + tokens.output * price.output
    ) / 1_000_000


class Line(msgspec.Struct, frozen=True):
    """One line of a report. ``cost_usd`` covers what has a price; ``is_partly_priced``: some of it has none.
    None: nothing of it has a price."""

    key: str
    sum: Sum
    cost_usd: float | None
    is_partly_priced: bool = False


class Report(msgspec.Struct, frozen=True):
    lines: tuple[Line, ...]
    unpriced: tuple[str, ...]  # models that have no price


def report(sums: Iterable[tuple[str, str, Sum]]) -> Report:
    """Lines by key, in the order of the keys; each sum comes with the key and the model it belongs to."""
    totals: dict[str, Sum] = {}
    costs: dict[str, float] = {}
    missing: dict[str, set[str]] = {}
    for key, model, part in sums:
        totals[key] = totals.get(key, Sum()) + part
        cost = cost_usd(model, part.tokens)
        if cost is None:
            missing.setdefault(key, set()).add(model)
        else:
            costs[key] = costs.get(key, 0.0) + cost
    lines = tuple(
        Line(
            key,
            totals[key],
            None if key not in costs else round(costs[key], 6),
            key in costs and key in missing,
        )
        for key in sorted(totals)
    )
    return Report(lines, tuple(sorted(set().union(*missing.values()))))
