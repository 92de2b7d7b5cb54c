"""Plans and masks of Spark data frames."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from piiscan.api.plan import Plan, key_of, plan_of, public
from piiscan.api.scan import Scanner
from piiscan.api.verbs import verb
from piiscan.core.keys import Key
from piiscan.engines import scan_parts, value_counts
from piiscan.engines.key_specs import KeySpec
from piiscan.engines.mask_parts import MaskSpec, Texts, applied, counted, masking_spec
from piiscan.engines.spark_frames import Batches, arrow_schema, demand_frame, folded, mapped, part_number
from piiscan.engines.spark_scan import summed
from piiscan.engines.spark_types import demand_maskable, spark_schema
from piiscan.engines.workers import guarded
from piiscan.masking.plan import policy as policies
from piiscan.masking.run.planning import plan_summaries
from piiscan.scanning.scan_options import ScanOptions


@verb
def plan(
    df: Any,
    policy: str | os.PathLike[str] = "default",
    before: Plan | str | os.PathLike[str] | None = None,
    *,
    key: Key | str | None = None,
    source: str = "<frame>",
    seal: KeySpec | None = None,
) -> Plan:
    """Scan a Spark DataFrame and plan what masking does to each column.

    The plan that `piiscan.plan` makes of the same rows.

    policy, before, key: as in `piiscan.plan`. source: what the plan calls the table. seal: where the key is that seals
    summaries on their way between workers. Raises `UsageError`, and `ReadError` where a worker fails.
    """
    demand_frame(df)
    chosen = policies.load(os.fspath(policy))
    earlier, secret = None if before is None else plan_of(before), key_of(key)
    spec, data = summed(df, Scanner(), source, seal)
    summary = scan_parts.summary_of(data, spec).summary
    made = plan_summaries([(spec.info, summary)], chosen, spec.rules, ScanOptions(), earlier)
    if secret is not None and secret.id not in made.key_ids:
        made = replace(made, key_ids=(*made.key_ids, secret.id))
    return public(made)


@verb
def mask(
    df: Any,
    plan: Plan | str | os.PathLike[str],
    key: KeySpec | None = None,
    *,
    table: str | None = None,
    new_columns: Literal["error", "suppress"] = "error",
    texts: Texts = "refuse",
) -> Any:
    """A Spark DataFrame masked by a plan: a new one, made when it is used, whose types are known at once.

    Each row gets the masks that `piiscan.mask` gives it on one machine, but for `resample`, whose draws depend on how
    rows are cut into partitions. A streaming frame may be masked too. Where an operator has to know how often values
    occur (`resample`, dates in texts without a `format`), the engine counts them at once, in a job of its own.

    key: where each worker finds it: "env:NAME", "file:PATH", "command:CMD", a `piiscan.Key` that was loaded from one of
    these, or a function that is called on the worker and gives one. The other parameters: see
    `piiscan.distributed.mask_spec`.

    Nothing is verified, and how often values occur isn't looked at; `piiscan.spark.plan` does that when it makes the
    plan, and `piiscan.spark.verify` looks at the output. Raises `UsageError` for columns that the plan doesn't know,
    for operators that need more than a partition, and for a streaming frame with one that needs counts.
    """
    demand_frame(df)
    demand_maskable(df)
    spec = spec_of(df, plan, key, table, new_columns, texts)
    return mapped(df, partial(_masked, spec), spark_schema(df, spec.before, spec.schema))


def spec_of(
    df: Any,
    plan: Plan | str | os.PathLike[str],
    key: KeySpec | None,
    table: str | None,
    new_columns: Literal["error", "suppress"],
    texts: Texts,
) -> MaskSpec:
    """What workers need to mask a frame; where operators have to know how often values occur, the engine counts."""
    spec = masking_spec(arrow_schema(df), plan, key, table, new_columns, texts, counts=not df.isStreaming)
    if not spec.needs_counts:
        return spec
    found = folded(df, partial(counted, spec=spec), partial(value_counts.fold, key=spec.key))
    return replace(spec, counts=found[0] if found else None)


def _masked(spec: MaskSpec, batches: Batches) -> Batches:
    with guarded():
        yield from applied(batches, spec, part_number())
