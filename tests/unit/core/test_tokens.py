"""Each answer is counted once, whatever number of rows, files, copies and readings hold it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.tokens import Answer, Bucket, Counted, Sum, Tokens, answer_key, count, merge

HERE, THERE = (Bucket("2026-11-30", "m", profile, "ses") for profile in ("prf_1", "prf_2"))


def row(name: str, output: int, bucket: Bucket = HERE) -> Answer:
    return Answer(answer_key("claude", name), bucket, Tokens(input=10, cache_read=100, output=output))


class Ledger:
    """The store of the tests: applies what ``merge`` says."""

    def __init__(self) -> None:
        self.counted: dict[bytes, Counted] = {}
        self.sums: dict[Bucket, Sum] = {}

    def take(self, *rows: Answer) -> None:
        changed, sums = merge(self.counted, rows)
        self.counted |= changed
        for bucket, more in sums.items():
            self.sums[bucket] = self.sums.get(bucket, Sum()) + more

    @property
    def total(self) -> Sum:
        return sum(self.sums.values(), Sum())


def test_rows_of_one_answer_count_once_and_the_largest_output_stays() -> None:
    ledger = Ledger()
    ledger.take(row("a", 1), row("a", 40), row("a", 7))
    assert ledger.total == Sum(Tokens(input=10, cache_read=100, output=40), 1)


def test_a_copy_in_another_profile_moves_nothing_and_may_complete_it() -> None:
    ledger = Ledger()
    ledger.take(row("a", 1))
    ledger.take(row("a", 1, THERE), row("a", 9, THERE), row("b", 5, THERE))
    assert ledger.sums[HERE] == Sum(Tokens(10, 100, output=9), 1)
    assert ledger.sums[THERE] == Sum(Tokens(10, 100, output=5), 1)


def test_keys_do_not_run_together() -> None:
    assert answer_key("a", "bc") != answer_key("ab", "c")


def test_numbers_that_are_none_count_as_nothing() -> None:
    assert [count(value) for value in (3, -3, None, "3", 2.5, True)] == [3, 0, 0, 0, 0, 0]


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcdef"), st.integers(0, 99), st.sampled_from([HERE, THERE]), st.booleans()
        ),
        max_size=30,
    )
)
def test_sums_are_those_of_the_distinct_answers_in_whatever_batches(
    told: list[tuple[str, int, Bucket, bool]],
) -> None:
    ledger, batch = Ledger(), list[Answer]()
    for name, output, bucket, is_end in told:
        batch.append(row(name, output, bucket))
        if is_end:
            ledger.take(*batch)
            ledger.take(*batch)  # the same file read again
            batch = []
    ledger.take(*batch)
    largest: dict[str, int] = {}
    for name, output, _, _ in told:
        largest[name] = max(output, largest.get(name, 0))
    assert ledger.total.answers == len(largest)
    assert ledger.total.tokens.output == sum(largest.values())
    assert ledger.total.tokens.input == 10 * len(largest)
