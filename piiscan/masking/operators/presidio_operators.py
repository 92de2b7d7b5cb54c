"""piiscan's operators as Presidio operators: `Anonymize`, and `Restore` for the way back.

For people who use Presidio's engines.

Both are called "piiscan" and take the same parameters, in an `OperatorConfig` for each entity:

    operator  the name of an operator, as a plan spells it
    with      its parameters
    key       where the key is ("env:NAME", "file:PATH", "command:CMD"), or a `piiscan.Key`; without one,
              env:PIISCAN_KEY. A spec is read again for each span, so load a key once with `piiscan.Key.load` where that
              takes time
    domain    the key domain, by default that of a plan: the entity, so that masks are those of columns and files under
    the same key

Needs the extra `text`; importing this module without it raises `MissingExtra` with the install command.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from piiscan.core import keys
from piiscan.core.errors import MissingExtra, UsageError
from piiscan.core.keys import Key, Subkey
from piiscan.masking.operators import operator_registry
from piiscan.masking.operators.operator import Operator as MaskingOperator
from piiscan.masking.operators.operator import RowContext
from piiscan.masking.operators.preconditions import refusal

try:
    from presidio_anonymizer import InvalidParamError
    from presidio_anonymizer.operators import Operator, OperatorType
except ImportError:
    raise MissingExtra("Presidio's operators need optional packages: pip install 'piiscan-toolkit[text]'") from None

if TYPE_CHECKING:
    import polars as pl

NAME: Final = "piiscan"
_OF_COLUMNS: Final = frozenset(("spans", "drop"))


class Anonymize(Operator):
    """Masks a span. What an operator has no mask for becomes the name of its entity, `<US_SSN>`."""

    def operate(self, text: str, params: dict[str, Any] | None = None) -> str:
        """The mask of one span. Raises `UsageError`; no message repeats the span."""
        import polars as pl

        operator, key = _made(params)
        if text == "":
            return text
        cells = pl.Series([text], dtype=pl.String)
        masks = _on_rows(operator, cells, key) if operator.needs else operator.mask(cells, key)
        mask = masks[0]
        return f"<{_entity(params)}>" if mask is None else str(mask)

    def validate(self, params: dict[str, Any] | None = None) -> None:
        """Check the parameters; raises Presidio's `InvalidParamError`, which names them but not their values."""
        _checked(params)

    def operator_name(self) -> str:
        return NAME

    def operator_type(self) -> OperatorType:
        return OperatorType.Anonymize


class Restore(Operator):
    """Restores the spans of reversible operators (token, fpe, ip, code) with the key."""

    def operate(self, text: str, params: dict[str, Any] | None = None) -> str:
        """Return the original of one span.

        Raises `UsageError` for a mask that was made under another key, as far as the operator can detect that.
        """
        import polars as pl

        operator, key = _made(params)
        return text if text == "" else str(operator.unmask(pl.Series([text], dtype=pl.String), key)[0])

    def validate(self, params: dict[str, Any] | None = None) -> None:
        """As `Anonymize.validate`; refuses operators that aren't reversible."""
        operator = _checked(params)
        if not operator.reversible:
            raise InvalidParamError(f"operator {operator.name!r}: its masks can't be reversed")

    def operator_name(self) -> str:
        return NAME

    def operator_type(self) -> OperatorType:
        return OperatorType.Deanonymize


def _checked(params: Mapping[str, Any] | None) -> MaskingOperator:
    try:
        return _operator(params or {})
    except UsageError as error:
        raise InvalidParamError(str(error)) from None


def _operator(params: Mapping[str, Any]) -> MaskingOperator:
    name, given, key = params.get("operator"), params.get("with") or {}, params.get("key")
    if not isinstance(name, str) or not isinstance(given, Mapping):
        raise UsageError(
            'piiscan: name an operator and its parameters, such as {"operator": "partial", "with": {"keep_last": 4}}'
        )
    if key is not None and not isinstance(key, str | Key):
        raise UsageError("piiscan: the key must be a location (env:NAME, file:PATH, command:CMD), or a piiscan.Key")
    if not isinstance(params.get("domain", ""), str):
        raise UsageError("piiscan: the domain must be a text")
    operator = operator_registry.make(name, given)
    if name in _OF_COLUMNS or operator.fitted_on == "column" or operator.needs - {"subjects"}:
        raise refusal(name, "masks a column of a table, and can't mask a span")
    operator.dtype("string")
    return operator


def _made(params: Mapping[str, Any] | None) -> tuple[MaskingOperator, Subkey | None]:
    """The operator, and the subkey of its domain."""
    from piiscan.masking.operators.persona import PERSONA_DOMAIN

    params = params or {}
    operator = _operator(params)
    if not operator.keyed:
        return operator, None
    given = params.get("key")
    key = given if isinstance(given, Key) else keys.Key.load(given)
    return operator, key.subkey(
        params.get("domain") or (PERSONA_DOMAIN if operator.name == "persona" else _entity(params))
    )


def _entity(params: Mapping[str, Any] | None) -> str:
    """What Presidio calls the span; its engines always say."""
    return str((params or {}).get("entity_type") or "OTHER")


def _on_rows(operator: MaskingOperator, cells: pl.Series, key: Subkey | None) -> pl.Series:
    """Operators that need rows get the span itself as its subject."""
    from piiscan.masking.surrogates.personas import canonical

    return operator.mask_rows(cells, RowContext(canonical(cells)), key)
