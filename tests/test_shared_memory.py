"""Objects in memory that other processes see too."""

from __future__ import annotations

import numpy as np
import pytest

from piiscan.core.shared_memory import SharedObject, can_share
from piiscan.core.worker_processes import Lost, Task, WorkerProcesses, can_start

pytestmark = pytest.mark.skipif(not (can_share() and can_start()), reason="no such memory, or no processes here")


def test_it_is_the_object_in_other_processes_and_here() -> None:
    arrays = {"a": np.arange(10_000), "none": np.zeros(0), "b": np.array([[1.5, 2.5]]), "c": "text"}
    shared = SharedObject(arrays)
    here = shared.load()
    assert {key: np.array_equal(here[key], value) for key, value in arrays.items()} == dict.fromkeys(arrays, True)
    with pytest.raises(ValueError, match="read-only"):
        here["a"][0] = 1
    workers = WorkerProcesses(1, Task("builtins:print", ()))
    try:
        assert workers.submit(Task("operator:getitem", (shared, "c"))).result(60) == "text"
        there = workers.submit(Task("operator:itemgetter", ("a",)))
        assert there.result(60)(here)[-1] == 9_999
        found = workers.submit(Task("operator:getitem", (shared, "a"))).result(60)
        assert found.tolist() == arrays["a"].tolist()  # type: ignore[union-attr]
        gone = Task("operator:getitem", (_Gone(shared), "a"))
        del shared
        with pytest.raises(Lost):
            workers.submit(gone).result(60)
        assert here["a"].sum() == sum(range(10_000))  # who has opened it keeps it
    finally:
        workers.close()


class _Gone:
    """What a shared object leaves in a task after its end."""

    def __init__(self, shared: SharedObject) -> None:
        seen, (path, data, places) = shared.__reduce__()
        self._made = seen, (path, data + b" ", places)  # not what the other process has opened already

    def __reduce__(self) -> object:
        return self._made
