"""The report as SARIF 2.1.0 within the limits of GitHub code scanning.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/ and
https://docs.github.com/code-security/reference/code-scanning/sarif-files/sarif-support-for-code-scanning
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from piiscan.core.entities import PII_CLASS
from piiscan.report import github, verdict_words
from piiscan.report.formats import encode
from piiscan.report.table_rows import is_news, likes
from piiscan.scanning.findings import REVIEW, container, rank, relative

if TYPE_CHECKING:
    from piiscan.core.types import Finding, NotScanned, TableReport
    from piiscan.report.formats import Style
    from piiscan.rules.definitions import Rule, RuleSet
    from piiscan.scanning.findings import JudgedReport

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"direct": "error", "sensitive": "warning", "quasi": "note", "none": "note"}
SEVERITIES = {"direct": "8.0", "sensitive": "6.0", "quasi": "3.0", "none": "1.0"}
"""GitHub's `security-severity`, 0 to 10: high, medium, low."""
MAX_RESULTS = 5000
"""GitHub shows no more of a run (and refuses one with more than 25,000)."""
MAX_TEXT = 1000
MAX_NOTIFICATIONS = 1000


_REVIEW_HELP = (
    "It is doubtful whether this column identifies people; a person should decide: describe it in `[[columns]]`, "
    "or accept it in the baseline or `[[allow]]`. `piiscan explain FILE::COLUMN` shows the evidence for and "
    "against it."
)
_REVIEW_RULE: Final[dict[str, Any]] = {
    "id": REVIEW,
    "name": "Review",
    "shortDescription": {"text": "Column to review"},
    "fullDescription": {"text": "Column that may hold personal data."},
    "help": {"text": _REVIEW_HELP, "markdown": _REVIEW_HELP},
    "defaultConfiguration": {"level": "note"},
    "properties": {"tags": ["security", "privacy"], "security-severity": SEVERITIES["quasi"], "precision": "medium"},
}
"""A separate rule: viewers rank results by the severity of their rule, and doubts aren't findings of a direct
identifier.
"""


def render(judged: JudgedReport, rules: RuleSet, style: Style) -> str:
    news = judged.news
    found = sorted(judged.open, key=lambda f: (not is_news(f, news), -rank(f)))
    silenced = judged.silenced if news is not None and style.verbose else ()
    known = {id(f): why for f, why in silenced}
    first = {} if style.each_file else likes(judged.report.tables)
    found += [f for f, _ in silenced]
    shown = found[:MAX_RESULTS]
    ids = sorted({f.rule for f in shown})
    entities = {f.rule: f.entity or "" for f in shown}
    index = {rule: i for i, rule in enumerate(ids)}
    run = {
        "tool": {
            "driver": {
                "name": "piiscan",
                "semanticVersion": str(judged.report.tool.get("version")),
                "rules": [
                    _REVIEW_RULE if i == REVIEW else _rule(i, rules.by_id.get(i), entities.get(i, "")) for i in ids
                ],
            }
        },
        "invocations": [
            {
                "executionSuccessful": judged.report.complete,
                "toolExecutionNotifications": _notifications(judged, len(found)),
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [_result(f, judged, index, known.get(id(f)), first.get((f.source, f.table))) for f in shown],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(rule_id: str, rule: Rule | None, entity: str) -> dict[str, Any]:
    if rule is None:
        title = f"{entity or 'Personal data'}, as the configuration says"
        pii, authority, link = PII_CLASS.get(entity, "none"), None, None
    else:
        title, authority, link = rule.title, rule.authority, rule.link
        pii, entity = PII_CLASS.get(rule.entity, "none"), rule.entity
    help_text = f"{title}. Entity {entity}, class {pii}." + (f" Issued by {authority}." if authority else "")
    advice = (
        f"Remove or mask the data; `piiscan explain {rule_id}` says how it is recognised. If it may stay, add it "
        "to the baseline or to `[[allow]]`."
    )
    more = f" More: {link}" if link else ""
    return {
        "id": rule_id,
        "name": "".join(part.capitalize() for part in rule_id.split("-")),
        "shortDescription": {"text": _cut(title)},
        "fullDescription": {"text": _cut(help_text)},
        "help": {
            "text": _cut(f"{help_text} {advice}{more}"),
            "markdown": _cut(f"{help_text}\n\n{advice}" + (f"\n\n[{authority or 'More'}]({link})" if link else "")),
        },
        **({"helpUri": link} if link else {}),
        "defaultConfiguration": {"level": LEVELS[pii]},
        "properties": {
            "tags": ["security", "privacy", entity],
            "security-severity": SEVERITIES[pii],
            "precision": "high",
        },
    }


def _result(
    finding: Finding, judged: JudgedReport, index: dict[str, int], known: str | None, like: TableReport | None
) -> dict[str, Any]:
    """Return one result.

    `known`: why it is silenced, which makes it a suppressed result. `like`: the earlier table that its table is like.
    """
    path = relative(finding.source, judged.base)
    file, _ = container(path if finding.member is None else relative(finding.member, judged.base))
    inner = container(path)[1]
    names = [n for n in (inner, finding.table) if n is not None]
    column = verdict_words.printable(finding.column or "")
    more: dict[str, Any] = {"review": True} if finding.review else {}
    if like is not None and not finding.in_name:
        more["like"] = verdict_words.table_title(like)
    logical = {
        "name": column,
        "fullyQualifiedName": verdict_words.printable("::".join([path, *names[inner is not None :], column])),
        "kind": "member",
    }
    return {
        "ruleId": finding.rule,
        "ruleIndex": index[finding.rule],
        "level": LEVELS[finding.pii],
        "message": {"text": _cut(github.message(finding))},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri(file)},
                    "region": {"startLine": github.line(finding, judged)},
                },
                "logicalLocations": [logical],
            }
        ],
        "partialFingerprints": _fingerprints(path, finding),
        **({"properties": more} if more else {}),
        **({"suppressions": [{"kind": "external", "justification": _cut(known)}]} if known else {}),
    }


def _fingerprints(path: str, finding: Finding) -> dict[str, str]:
    """Return fingerprints that consist of names only, unhashed: a hash would hide nothing and say less.

    GitHub distinguishes alerts by `primaryLocationLineHash`. If it is missing, GitHub's action computes a hash of the
    line and its neighbours: the same one for all columns of a file, another one whenever the first rows change, and
    derived from the data itself.
    """
    names = verdict_words.printable("|".join((path, finding.table or "", finding.column or "", finding.rule)))
    return {"piiscanFinding/v1": names, "primaryLocationLineHash": names}


def _notifications(judged: JudgedReport, found: int) -> list[dict[str, Any]]:
    out = [_notification(entry, judged) for entry in judged.report.not_scanned[:MAX_NOTIFICATIONS]]
    if len(judged.report.not_scanned) > MAX_NOTIFICATIONS:
        out.append(
            {
                "level": "error",
                "message": {
                    "text": f"{len(judged.report.not_scanned) - MAX_NOTIFICATIONS} more inputs were not scanned."
                },
            }
        )
    if (limited := verdict_words.looked_for(judged.report)) is not None:
        out.append({"level": "note", "message": {"text": limited}})
    if (skipped := verdict_words.skipped(judged.report.skipped_kinds)) is not None:
        out.append({"level": "note", "message": {"text": skipped}})
    if (changed := verdict_words.since_baseline(judged.baseline)) is not None:
        out.append({"level": "note", "message": {"text": changed}})
    out += [{"level": "note", "message": {"text": text}} for text in verdict_words.samples(judged.report)]
    if unfilled := [verdict_words.table_title(t) for t in judged.report.tables if t.is_unfilled]:
        text = f"{verdict_words.UNFILLED.capitalize()}: {verdict_words.listing(unfilled, 400)}."
        out.append({"level": "note", "message": {"text": text}})
    if found > MAX_RESULTS:
        out.append(
            {
                "level": "warning",
                "message": {"text": f"{found - MAX_RESULTS} more findings are left out, the weakest classes first."},
            }
        )
    return out


def _notification(entry: NotScanned, judged: JudgedReport) -> dict[str, Any]:
    path = relative(entry.source, judged.base)
    return {
        "level": "error",
        "message": {
            "text": _cut(f"Not scanned: {verdict_words.location(entry, path)}: {verdict_words.printable(entry.reason)}")
        },
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(container(path)[0])}}}],
    }


def uri(path: str) -> str:
    """Return a relative URI reference; standard input and frames, which are no files, get a name that is one."""
    if path == "-":
        return "stdin"
    if path.startswith("<"):
        return path.strip("<>")
    try:
        return quote(path.encode("utf-8", "surrogateescape"), safe="/")
    except UnicodeEncodeError:  # half a character that no file system returned
        return quote(encode(path), safe="/")


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 3] + "..."
