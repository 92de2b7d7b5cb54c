"""What happens to what is found inside texts, and of which lists made-up values are, for a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from piiscan.core.entities import PII_CLASS
from piiscan.core.types import ColumnReport, TableReport
from piiscan.masking.plan.choice import Chosen
from piiscan.masking.plan.choose import Known, choose
from piiscan.masking.plan.plan_types import Span, TablePlan
from piiscan.masking.plan.policy import Policy


def spans(policy: Policy, locale: str) -> tuple[Span, ...]:
    """The policy's operator for each entity found inside a text; kept entities are left alone.

    The same operator as for a column of the entity, where that works on a few words; else the entity's name.
    """
    table = TableReport("", None, "text", 0, True, False, None, ())
    out = []
    for entity, pii in sorted(PII_CLASS.items()):
        if entity == "FREE_TEXT":
            continue
        column = ColumnReport(0, None, "string", entity, None, pii, 1.0, 0, 0, True, None)
        rule = policy.rule(table, column)
        if rule.operator == "keep":
            continue
        chosen = choose(
            rule.operator,
            rule.params,
            column,
            "string",
            Known(table, [()], (), locale),
            inside=True,
            derived=policy.derived,
        )
        if not chosen.keyed:
            chosen = Chosen("redact", {"entity": entity})
        out.append(Span(entity, chosen.operator, chosen.params, rule.domain or chosen.domain if chosen.keyed else None))
    return tuple(out)


def digests(tables: Sequence[TablePlan], spans: Sequence[Span]) -> Mapping[str, str]:
    """Of every locale's lists that surrogates are drawn from."""
    from piiscan.masking.surrogates.name_lists import lists_digest

    params: list[Mapping[str, Any]] = [a.params for t in tables for a in t.columns] + [s.params for s in spans]
    own = {locale for p in params for locale in p.get("locales", ())}
    return {locale: lists_digest(locale) for locale in sorted(own | {p["locale"] for p in params if p.get("locale")})}
