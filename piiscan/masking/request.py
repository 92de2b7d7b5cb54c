"""How files are masked, beside what the plan says."""

from __future__ import annotations

from typing import Literal, NamedTuple


class MaskRequest(NamedTuple):
    """`new_columns`: what becomes of a column that the plan doesn't know.

    `overwrite`: replace files that exist.
    `copy_others`: copy files in which no table was found as they are. `verify`: check the promises of the plan on the
    output; `keep_unverified`: name the output although one failed. `compare`: look at each column before and after, for
    a report. `jobs`: threads, by default one for each core. `processes`: this one included, as many at most may look at
    texts. `resume`: keep the files that an earlier run of the same folder had finished when it was interrupted, where
    nothing has changed.
    """

    new_columns: Literal["error", "suppress"] = "error"
    overwrite: bool = False
    copy_others: bool = False
    verify: bool = True
    keep_unverified: bool = False
    compare: bool = False
    jobs: int | None = None
    processes: int = 1
    resume: bool = False
