"""Masks of partitions.

Each by itself, with the plan and the place of the key, and by nothing that other partitions hold.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal

from piiscan.api.mask import Masker
from piiscan.api.plan import Plan, plan_of, public
from piiscan.api.verbs import verb
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.keys import Key
from piiscan.core.types import DType
from piiscan.engines import value_counts
from piiscan.engines.key_specs import KeySpec, checked, load
from piiscan.engines.operator_needs import needs, refusal
from piiscan.engines.rebatch import rebatched
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.plan.plan_types import Action

Texts = Literal["refuse", "rules"]
_KINDS: Final[Mapping[DType, str]] = {
    "string": "string", "integer": "int64", "float": "float64", "boolean": "bool_", "date": "date32", "other": "string",
}  # fmt: skip
"""Arrow's type for masks of another type than their column."""


@dataclass(frozen=True)
class MaskSpec:
    """What workers have to know to mask parts of one table. `mask_spec` makes it.

    before, schema: the pyarrow schemas of what goes in and comes out. key: where each worker finds the key. vault: the
    sealed bytes of the plan's vault, which is only read; None where it has none. needs_counts: whether an operator has
    to know how often values of its column occur in the whole table, which `counts` tells (`engines.value_counts`).
    """

    plan: Plan
    before: Any
    schema: Any
    key: KeySpec | None
    table: str | None
    new_columns: Literal["error", "suppress"]
    vault: bytes | None = field(default=None, repr=False)
    needs_counts: bool = False
    counts: bytes | None = field(default=None, repr=False)

    def masker(self) -> Masker:
        """What masks in this process."""
        key = load(self.key)
        if self.vault is None:
            return Masker(self.plan, key, table=self.table, new_columns=self.new_columns)
        plan = public(replace(self.plan, vault=str(_vault_file(self.vault))))
        return Masker(plan, key, table=self.table, new_columns=self.new_columns)


_ROWS_OF_A_PART: Final = 1 << 40
_vaults: dict[tuple[int, bytes], tuple[object, Path]] = {}
"""Where the sealed vaults lie that this process was sent, until it ends; by its number, as it may be a copy of one."""
_lock: Final = Lock()
"""Tasks may be threads: a folder that a second one made in its place would take the first one's file along."""


def _vault_file(sealed: bytes) -> Path:
    name = os.getpid(), hashlib.sha256(sealed).digest()
    with _lock:
        if name not in _vaults:
            _vaults[name] = _in_memory(sealed) or _in_folder(sealed)
        if not _vaults[name][1].is_file():  # without it people would be known by their rows alone
            raise ReadError("the vault that was sent to this worker is gone; run the task again")
        return _vaults[name][1]


def _in_memory(sealed: bytes) -> tuple[object, Path] | None:
    """A file without a name, that no folder keeps if this process is killed; None where the system has none."""
    if sys.platform != "linux":
        return None
    try:
        handle = os.memfd_create("vault")  # which stays open as long as this process runs
    except OSError:
        return None
    path = Path(f"/proc/{os.getpid()}/fd/{handle}")
    if not path.is_file():
        os.close(handle)
        return None
    os.fchmod(handle, 0o600)
    with os.fdopen(os.dup(handle), "wb") as stream:
        stream.write(sealed)
    return handle, path


def _in_folder(sealed: bytes) -> tuple[object, Path]:
    """A file that goes when this process ends, but stays when it is killed."""
    folder = tempfile.TemporaryDirectory(prefix="piiscan-")
    path = Path(folder.name) / "vault"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(sealed)
    return folder, path


@verb
def mask_spec(
    schema: Any,
    plan: Plan | str | os.PathLike[str],
    key: KeySpec | None = None,
    *,
    table: str | None = None,
    new_columns: Literal["error", "suppress"] = "error",
    texts: Texts = "refuse",
) -> MaskSpec:
    """What workers need to mask parts of a table with these columns, a pyarrow schema.

    Its `schema` is that of the output.

    plan: a `piiscan.Plan`, or the path of one. key: where each worker finds it; without one the environment variable
    PIISCAN_KEY of the worker. table: which of the plan's tables it is, where there are several. new_columns: "suppress"
    empties columns that the plan doesn't know. texts: "rules" masks in texts what rules and the recogniser find, and
    leaves there what only other columns tell, such as a name alone; "refuse" raises for plans with such texts.

    Raises `UsageError` for columns that the plan doesn't know, for operators that a part can't be masked with (the
    reason says why, and what to do), and for a vault that isn't there yet.
    """
    return masking_spec(schema, plan, key, table, new_columns, texts)


def masking_spec(
    schema: Any,
    plan: Plan | str | os.PathLike[str],
    key: KeySpec | None,
    table: str | None,
    new_columns: Literal["error", "suppress"],
    texts: Texts,
    counts: bool = False,
) -> MaskSpec:
    """As `mask_spec`. counts: values are counted before where an operator needs that (`MaskSpec.needs_counts`)."""
    if texts not in ("refuse", "rules"):
        raise UsageError('texts must be "refuse" or "rules"')
    plan, place = plan_of(plan), checked(key)
    if place is None and plan.keyed():
        place = "env:PIISCAN_KEY"
    masker = Masker(without_vault(plan), any_key(place), table=table, new_columns=new_columns)
    frame = schema.empty_table()
    found = masker.table_masker(frame)
    for column in found.columns.values():
        if why := refusal(column, found.plan, texts, counts):
            raise UsageError(f"{found.plan.source}: column {column.label}: {why}")
    needs_counts = bool(found.whole_columns)
    if needs_counts:
        found.fit(found.inspect_columns(masker.planned(frame)[1]))  # on nothing: for the types
    vault = None
    if plan.vault_file is not None and place is not None:
        try:
            vault = plan.vault_file.read_bytes()
        except OSError:
            raise UsageError(
                f"the plan knows people by its vault {plan.vault}, which isn't there yet: make it with "
                'piiscan.spark.remember(df, plan, key), or write vault = "" in the plan, and read there what that loses'
            ) from None
    after = output_schema(schema, masker(frame, 0).schema, found)
    return MaskSpec(plan, schema, after, place, table, new_columns, vault, needs_counts)


def any_key(place: KeySpec | None) -> Key | None:
    """A key of no use, to learn what doesn't depend on one, such as types: the driver may have none."""
    return None if place is None else Key(secrets.token_bytes(32))


def without_vault(plan: Plan) -> Plan:
    """The plan as one reads it who only asks for types."""
    return public(replace(plan, vault=None, folder=None))


@verb
def apply(batches: Iterable[Any], spec: MaskSpec) -> Iterator[Any]:
    """The rows of a part, masked: pyarrow record batches of the schema `spec.schema`. The same for any partitioning.

    Raises `UsageError` where a worker has no key, and for masks that don't fit the type of their column.
    """
    return applied(batches, spec, None)


def applied(batches: Iterable[Any], spec: MaskSpec, part: int | None) -> Iterator[Any]:
    """As `apply`. part: the number of the partition, where the engine tells; no other one of the table has it."""
    masker: Masker | None = None
    fitted: TableMasker | None = None
    row = 0
    for frame in rebatched(batches):
        if masker is None:
            masker = spec.masker()
            if spec.needs_counts:
                fitted, cells = masker.planned(frame)
                value_counts.fit(fitted, cells, spec.counts, spec.key)
        if fitted is not None:
            number_rows(fitted, part, row)
        yield from cast(masker(frame), spec.schema).to_batches()
        row += frame.num_rows


def counted(batches: Iterable[Any], spec: MaskSpec) -> bytes | None:
    """How often values occur in a part, for `MaskSpec.counts`; None of one without rows.

    Raises `UsageError` where there are too many.
    """
    found: value_counts.Counts = {}
    masker: Masker | None = None
    for frame in rebatched(batches):
        masker = spec.masker() if masker is None else masker
        found = value_counts.added([found, value_counts.counted(*masker.planned(frame))])
    return None if masker is None else value_counts.packed(found, spec.key)


def number_rows(table: TableMasker, part: int | None, row: int) -> None:
    """Give rows numbers of their own, for operators that draw by them whatever the cell holds.

    Another run may number them otherwise, so operators whose draws are added to cells must not get them. Raises
    `UsageError` where the engine doesn't number partitions.
    """
    for column in table.columns.values():
        if needs(column.operator, column.action.dtype) == "draws":
            if part is None:
                raise UsageError(
                    f"column {column.label}: {column.action.operator} draws by the number of its row, and this engine "
                    "doesn't number its partitions; choose another operator, or mask this table on one machine"
                )
            column.own_first = part * _ROWS_OF_A_PART + row


def cast(made: Any, schema: Any) -> Any:
    """A Table in the types that were declared for it. Raises `UsageError` without a cell."""
    pyarrow = import_module("pyarrow")
    if made.schema.names != schema.names:
        raise ReadError("a part has other columns than the first; cast all parts to the same schema")
    columns = []
    for array, wanted in zip(made.columns, schema, strict=True):
        try:
            columns.append(array if array.type == wanted.type else array.cast(wanted.type))
        except pyarrow.ArrowException:
            raise UsageError(
                f"column {wanted.name}: its masks don't fit its type {_name(wanted.type)}; cast the column to string "
                "before it is masked, or choose another operator"
            ) from None
    return pyarrow.Table.from_arrays(columns, schema=schema)


def output_schema(schema: Any, masked: Any, masker: TableMasker) -> Any:
    """The schema of the output.

    `masked`: that of an empty frame after masking, with the types of before. A column keeps its type where its masks
    are of the same kind, or are all empty.
    """
    pyarrow = import_module("pyarrow")
    by_name = {label: masker.columns[a.index] for a, label in zip(masker.plan.columns, masker.names, strict=True)}
    renamed = {a.rename or label: label for a, label in zip(masker.plan.columns, masker.names, strict=True)}

    def typed(label: str, dtype: Any) -> Any:
        if pyarrow.types.is_struct(dtype) and dtype.num_fields:
            return pyarrow.struct([f.with_type(typed(f"{label}.{f.name}", f.type)).with_nullable(True) for f in dtype])
        column = by_name.get(label)
        if column is None or column.operator.contract in ("empty", "kept"):
            return dtype
        return _of_masks(dtype, column.action, column.dtype, pyarrow)

    return pyarrow.schema([f.with_type(typed(renamed.get(f.name, f.name), f.type)).with_nullable(True) for f in masked])


def _of_masks(dtype: Any, action: Action, masks: DType, pyarrow: Any) -> Any:
    types = pyarrow.types
    if types.is_list(dtype) or types.is_large_list(dtype) or types.is_fixed_size_list(dtype):
        if _holds_structs(dtype, types):  # their texts are put back as what they were
            return dtype
        return pyarrow.list_(_of_masks(dtype.value_type, replace(action, dtype="string"), masks, pyarrow))
    if types.is_map(dtype):
        return dtype
    here: DType = action.cast[0] if action.cast else action.dtype
    if here == "string" and not (types.is_string(dtype) or types.is_large_string(dtype) or types.is_binary(dtype)):
        here = "other"
    if masks == here and masks != "other":
        return dtype
    return pyarrow.timestamp("us") if masks == "datetime" else getattr(pyarrow, _KINDS[masks])()


def _holds_structs(dtype: Any, types: Any) -> bool:
    while types.is_list(dtype) or types.is_large_list(dtype) or types.is_fixed_size_list(dtype):
        dtype = dtype.value_type
    return bool(types.is_struct(dtype) or types.is_map(dtype))


def _name(dtype: Any) -> str:
    return str(dtype).split("<")[0]
