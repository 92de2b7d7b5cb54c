"""Batches that threads work on keep their order, and few are waited for at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor

import pytest

from piiscan.masking.apply.executors import in_order


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_results_come_in_the_order_of_their_items(threads: int) -> None:
    def work(n: int) -> int:
        time.sleep(0.01 * (n % 3 == 0))
        return n * n

    executor: Executor | None = ThreadPoolExecutor(threads) if threads else None
    assert list(in_order(executor, work, range(20))) == [n * n for n in range(20)]


@pytest.mark.parametrize("threads", [0, 2])
def test_few_items_are_read_ahead(threads: int) -> None:
    read: list[int] = []

    def items() -> Iterator[int]:
        for n in range(20):
            read.append(n)
            yield n

    for done, _ in enumerate(in_order(ThreadPoolExecutor(threads) if threads else None, str, items()), 1):
        assert len(read) <= done + (3 if threads else 0)


def test_an_error_is_raised_where_its_result_is_due() -> None:
    results = in_order(ThreadPoolExecutor(2), lambda n: 1 // n, [1, 1, 0, 1])
    assert [next(results), next(results)] == [1, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)
