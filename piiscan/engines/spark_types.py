"""Types of Spark that Arrow has no place for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from piiscan.core.errors import UsageError


def readable(df: Any) -> Any:
    """The frame with variants as JSON texts. Raises `UsageError` for variants within other types."""
    variants = [field.name for field in df.schema.fields if field.dataType.typeName() == "variant"]
    for field in df.schema.fields:
        if field.name not in variants and "variant" in field.dataType.simpleString():
            raise UsageError(
                f"column {field.name} has variants within another type; select them as columns of their own"
            )
    if not variants:
        return df
    functions = import_module("pyspark.sql.functions")
    return df.select(
        *(
            functions.to_json(_column(functions, f.name)).alias(f.name)
            if f.name in variants
            else _column(functions, f.name)
            for f in df.schema.fields
        )
    )


def demand_maskable(df: Any) -> None:
    """Raises `UsageError` for a frame with a column that can't be given back in its type."""
    for field in df.schema.fields:
        if "variant" in field.dataType.simpleString():
            raise UsageError(
                f"column {field.name} is a variant, which can't be masked and given back as one: drop it, or make a "
                f"text of it, F.to_json({field.name!r}), before the plan is made and where it is masked"
            )


def spark_schema(df: Any, before: Any, after: Any) -> Any:
    """The Spark schema of masked rows: a column whose Arrow type stays keeps its own type.

    `before`, `after`: pyarrow schemas.
    """
    types, arrow = import_module("pyspark.sql.types"), import_module("pyspark.sql.pandas.types")
    own = {f.name: f.dataType for f in df.schema.fields}
    fields = [
        types.StructField(
            f.name,
            own[f.name]
            if f.name in own and before.field(f.name).type == f.type
            else arrow.from_arrow_type(f.type, prefer_timestamp_ntz=True),
            True,
        )
        for f in after
    ]
    return types.StructType(fields)


def _column(functions: Any, name: str) -> Any:
    return functions.col("`" + name.replace("`", "``") + "`")
