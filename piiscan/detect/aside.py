"""Work done in a second thread, so that it doesn't push the first one's compiled regexes out of their cache.

Polars keeps the last 32 regexes that a thread used. The few that every cell meets take milliseconds to compile and should
stay; the hundreds that some cells meet come and go elsewhere.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec

P = ParamSpec("P")
_own = threading.local()


def aside(work: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
    """Run `work` in this thread's companion and wait for it; what it raises is raised here."""
    companion: ThreadPoolExecutor | None = getattr(_own, "companion", None)
    if companion is None:
        companion = _own.companion = ThreadPoolExecutor(1, thread_name_prefix="piiscan-aside")
    companion.submit(work, *args, **kwargs).result()
