"""What agents' models have read and written, counted once for each answer of an API.

One answer stands in several rows (one for each block, snapshots of a stream), in several files (a session
that was resumed, forked or copied to another profile) and again in each later reading of them. So an answer
has a key, and the row that says most counts: its output grows while it streams, the other numbers are equal
on all rows (transcript-tools.md).

``Counted`` is what is stored of an answer; ``merge`` says what a batch of rows changes, and nothing that was
counted is ever counted again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import msgspec


class Tokens(msgspec.Struct, frozen=True, omit_defaults=True):
    """``input``: read without a cache. ``cache_write`` keeps for minutes, ``cache_write_long`` for an hour,
    which is dearer. Nothing is inside of another number."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_long: int = 0
    output: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input + other.input,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.cache_write_long + other.cache_write_long,
            self.output + other.output,
        )

    def __sub__(self, other: Tokens) -> Tokens:
        return self + Tokens(
            -other.input, -other.cache_read, -other.cache_write, -other.cache_write_long, -other.output
        )


class Bucket(msgspec.Struct, frozen=True):
    """What sums are kept for. ``day`` is the machine's own, ``2026-11-30``."""

    day: str
    model: str
    profile_id: str
    session_id: str


class Answer(msgspec.Struct, frozen=True):
    """One answer, as one row tells it."""

    key: bytes
    bucket: Bucket
    tokens: Tokens


class Counted(msgspec.Struct, frozen=True):
    """An answer that was counted: where, and how much."""

    bucket: Bucket
    tokens: Tokens


class Sum(msgspec.Struct, frozen=True):
    """Of one bucket: tokens, and how many answers."""

    tokens: Tokens = Tokens()
    answers: int = 0

    def __add__(self, other: Sum) -> Sum:
        return Sum(self.tokens + other.tokens, self.answers + other.answers)


def answer_key(*parts: str) -> bytes:
    """The key of an answer, made of what names it everywhere: the API's own ids."""
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def merge(
    known: Mapping[bytes, Counted], rows: Iterable[Answer]
) -> tuple[dict[bytes, Counted], dict[Bucket, Sum]]:
    """What these rows change: answers to store anew, and what has to be added to sums.

    ``known`` holds what is stored of the rows' keys. An answer stays where it was counted first: a copy of
    its session elsewhere moves nothing.
    """
    changed: dict[bytes, Counted] = {}
    sums: dict[Bucket, Sum] = {}
    for row in rows:
        old = changed.get(row.key) or known.get(row.key)
        if old is None:
            changed[row.key] = Counted(row.bucket, row.tokens)
            sums[row.bucket] = sums.get(row.bucket, Sum()) + Sum(row.tokens, 1)
        elif row.tokens.output > old.tokens.output:
            changed[row.key] = Counted(old.bucket, row.tokens)
            more = Sum(row.tokens - old.tokens)
            sums[old.bucket] = sums.get(old.bucket, Sum()) + more
    return changed, sums


def count(value: object) -> int:
    """A number of tokens; what is no whole number, or below 0, is none."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return 0
    return min(value, 10**12)  # a damaged row must not overflow the sums
