"""Where the vaults of the operator `code` are: in the folder of the plan that names them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from piiscan.masking.operators import operator_registry
from piiscan.masking.operators.code import Code
from piiscan.masking.plan.plan_types import Action, Plan, Span


def located(plan: Plan) -> Plan:
    """The plan with paths of vaults resolved: relative ones are below the plan's folder.

    A vault in the working folder, where earlier versions had them, is used if the plan's folder has none. A plan that
    was read from no file has them there too.
    """
    if plan.folder is None:
        return plan

    def action(each: Action) -> Action:
        return each if (params := _params(each, plan)) is None else replace(each, params=params)

    def span(each: Span) -> Span:
        return each if (params := _params(each, plan)) is None else replace(each, params=params)

    tables = tuple(replace(t, columns=tuple(map(action, t.columns))) for t in plan.tables)
    return replace(plan, tables=tables, spans=tuple(map(span, plan.spans)))


def code_vaults(plan: Plan) -> list[Path]:
    """The vaults of a plan's codes."""
    return _vaults(plan, lambda named: _place(named, plan))


def own_files(plan: Plan | None, *files: Path | None) -> tuple[Path, ...]:
    """Some files, and all vaults of a plan and what locks them: where they lie among the data, they are none."""
    known = [file for file in files if file is not None]
    if plan is None:
        return tuple(known)
    vaults = [*code_vaults(plan), *([] if plan.vault_file is None else [plan.vault_file])]
    return (*known, *(file for vault in vaults for file in (vault, vault.with_name(f"{vault.name}.lock"))))


def in_working_folder(plan: Plan) -> list[Path]:
    """Those that lie in the working folder, and not beside the plan as others would."""
    found = _vaults(plan, lambda named: named if _place(named, plan) == named else None)
    return [] if plan.folder is None else [v for v in found if not v.is_absolute() and not _same(v, plan.folder / v)]


def _vaults(plan: Plan, place: Callable[[Path], Path | None]) -> list[Path]:
    each: list[Action | Span] = [*(a for t in plan.tables for a in t.columns), *plan.spans]
    names = {Path(code.vault) for a in each if (code := _code(a)) is not None}
    return sorted({found for named in names if (found := place(named)) is not None})


def _code(each: Action | Span) -> Code | None:
    made = operator_registry.make(each.operator, each.params) if each.operator == Code.name else None
    return made if isinstance(made, Code) else None


def _params(each: Action | Span, plan: Plan) -> dict[str, object] | None:
    """The parameters with the vault's place; None where the operator has none."""
    code = _code(each)
    return None if code is None else {**each.params, "vault": str(_place(Path(code.vault), plan))}


def _place(named: Path, plan: Plan) -> Path:
    if plan.folder is None:
        return named
    beside = plan.folder / named
    return named if named.exists() and not beside.exists() else beside


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
