"""The output of masking a Spark data frame, looked at as a stranger would."""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module
from typing import Any, Literal

from piiscan.api.mask import Masker
from piiscan.api.plan import Plan
from piiscan.api.verbs import verb
from piiscan.core.errors import VerifyError
from piiscan.engines import check_parts
from piiscan.engines.check_parts import SCHEMA, Counted, results
from piiscan.engines.key_specs import KeySpec
from piiscan.engines.mask_parts import MaskSpec, Texts, any_key, without_vault
from piiscan.engines.spark_frames import Batches, demand_frame, mapped
from piiscan.engines.spark_mask import spec_of
from piiscan.engines.workers import guarded, on_engine
from piiscan.masking.result import CheckResult
from piiscan.masking.run.promise_words import broken_text


@verb
def verify(
    before: Any,
    after: Any,
    plan: Plan | str | os.PathLike[str],
    key: KeySpec | None = None,
    *,
    table: str | None = None,
    new_columns: Literal["error", "suppress"] = "error",
    texts: Texts = "refuse",
) -> tuple[CheckResult, ...]:
    """Whether `after`, a Spark DataFrame that `mask` made of `before`, keeps what the plan promises.

    As many rows as the plan leaves, emptied columns empty, masks that their operators declare, no more empty cells, no
    unique original in a whole cell of any column, and no column of so few masks that their frequencies reveal
    them.

    Rows aren't compared with each other, texts aren't searched, and what JSON texts and lists of objects hold isn't
    looked at: `piiscan verify` does that for files. key: as in `mask`; workers make prints of originals with it, which
    the engine joins. The other parameters are those of `mask`. Gives each promise and how it went, in counts; raises
    `VerifyError` where one fails.
    """
    demand_frame(before, "before")
    demand_frame(after, "after")
    spec = spec_of(before, plan, key, table, new_columns, texts)
    one = _counted(mapped(before, partial(_before, spec), SCHEMA))
    other = _counted(mapped(after, partial(_after, spec), SCHEMA))
    originals = one.where("kind = 'original'").select("print").distinct()
    found = other.where("kind = 'cell'").join(originals, "print").groupBy("place").count()
    hits = {row["place"]: row["count"] for row in on_engine(found.collect)}
    masker = Masker(without_vault(spec.plan), any_key(spec.key), table=table, new_columns=new_columns)
    planned = masker.table_masker(spec.before.empty_table())
    promises = results(planned, spec.before, _sums(one), _sums(other), hits)
    if broken := [promise for promise in promises if not promise.holds]:
        raise VerifyError(f"what was masked {broken_text(broken)}")
    return tuple(promises)


def _counted(rows: Any) -> Any:
    functions = import_module("pyspark.sql.functions")
    return rows.groupBy("kind", "place", "print").agg(functions.sum("n").alias("n"))


def _sums(rows: Any) -> Counted:
    functions = import_module("pyspark.sql.functions")
    found = rows.groupBy("kind", "place").agg(functions.count("print").alias("m"), functions.sum("n").alias("n"))
    each = [((row["kind"], row["place"]), row["m"], row["n"]) for row in on_engine(found.collect)]
    return Counted({k: m for k, m, _ in each}, {k: n for k, _, n in each})


def _before(spec: MaskSpec, batches: Batches) -> Batches:
    with guarded():
        yield from check_parts.before(batches, spec)


def _after(spec: MaskSpec, batches: Batches) -> Batches:
    with guarded():
        yield from check_parts.after(batches, spec)
