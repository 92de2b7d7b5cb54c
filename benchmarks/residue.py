"""What of a person is left in the notes of a hospital after `piiscan mask`, and what else changed in them.

`python -m benchmarks.residue FOLDER` makes the hospital below FOLDER (patients as CSV, visits as Parquet, notes in 14
languages as JSON lines, billing as Excel, portal as SQLite), plans and masks it by each policy and counts, with code of
its own: notes in which a value of their patient is left in any spelling of `residue_spellings.py`, beyond what the
template says anyway; words that nobody planted and that changed (those of URLs aside where the policy removes URLs);
homographs that stayed; mentions with the mask that the patients table has. *Chance* is the same count with the
values of another patient of the same language. Templates and names stand in `benchmarks/residue/`, which nothing else
reads.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from difflib import SequenceMatcher
from itertools import starmap
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from benchmarks import processes
from benchmarks.residue_hospital import HOMOGRAPHS, TODAY, Hospital, Note, hospital, write
from benchmarks.residue_spellings import DIRECT, REMOVED, Person, dates, forms, plain
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.key_links import VAULT
from piiscan.masking.plan.plan_types import Plan

POLICIES: Final = ("default", "gdpr", "hipaa-safe-harbor", "hipaa-spans")
"""The last one is hipaa-safe-harbor with texts that are kept, and masked by spans."""
_TOKEN: Final = re.compile(r"\w+")
_URL: Final = re.compile(r"https?://[^\s,]+")
_COLUMNS: Final = {
    "first": "first_name", "last": "last_name", "number": "patient_no", "email": "email", "user": "username",
    "phone": "phone", "street": "street", "ssn": "ssn", "dob": "date_of_birth", "zip": "zip", "city": "city",
}  # fmt: skip
Row = dict[str, str]
Rows = Iterable[tuple[str, Callable[[dict[str, Any]], str]]]


def occurrences(form: str, text: str) -> int:
    """How often a form stands in a text between what is neither a letter nor a digit."""
    found, at = 0, text.find(form)
    while at >= 0:
        end = at + len(form)
        if not (at and text[at - 1].isalnum() and form[0].isalnum()) and not (
            end < len(text) and text[end].isalnum() and form[-1].isalnum()
        ):
            found += 1
        at = text.find(form, at + 1)
    return found


def readable(text: str) -> str:
    """A text, and what it says where URLs encode it."""
    return f"{text}\0{unquote(text)}" if "%" in text else text


def is_left(form: str, masked: str, before: str) -> bool:
    """`before`: what the original says without the patient's own mentions."""
    return form in masked and occurrences(form, masked) > occurrences(form, before)


class Measure:
    """The counts of one policy. `changed`: the columns of the patients table that its plan changes; `without_urls`:
    whether it removes URLs from texts, so that their words are no others."""

    def __init__(self, made: Hospital, patients: Sequence[Row], changed: set[str], without_urls: bool) -> None:
        self.made, self.patients = made, patients
        self.kinds = {k for k in DIRECT if k in _COLUMNS} | {k for k, c in REMOVED.items() if c in changed}
        self.forms = [forms(p, made.languages[p.language], TODAY) for p in made.people]
        self.same = [self._stayed(p, row) for p, row in zip(made.people, patients, strict=True)]
        self.notes, self.left_direct, self.left_any, self.chance = 0, 0, 0, 0
        self.by_kind, self.left_by_kind = Counter[str](), Counter[str]()
        self.by_language, self.left_by_language = Counter[str](), Counter[str]()
        self.mentions, self.left_mentions = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        self.asked, self.equal = Counter[str](), Counter[str]()
        self.without_urls = without_urls
        self.others, self.others_changed = 0, 0
        self.homographs, self.homographs_kept = Counter[str](), Counter[str]()

    @staticmethod
    def _stayed(person: Person, row: Row) -> set[str]:
        """Kinds in which the mask is the original."""
        own = {
            "first": person.first, "last": person.last, "number": person.number, "email": person.email,
            "user": person.user, "phone": person.phone_as, "street": person.street, "dob": person.born.isoformat(),
            "zip": person.zip, "city": person.city, "ssn": person.ssn,
        }  # fmt: skip
        return {k for k, v in own.items() if plain(row.get(_COLUMNS[k], "") or "").lower() == plain(v).lower()}

    def left(self, person: int, masked: str, before: str) -> set[str]:
        """Kinds of which something is left."""
        return {
            kind
            for kind, spellings in self.forms[person].items()
            if kind not in self.same[person]
            if any(is_left(form, masked, before) for form in set(spellings.values()))
        }

    def add(self, note: Note, masked: str | None, stranger: int) -> None:
        self.notes += 1
        self.by_language[note.language] += 1
        own = {p.kind for p in note.pieces if p.kind and p.kind not in ("other", *HOMOGRAPHS)}
        planted = {"first", "last"} | own - {"name"} if "name" in own else own
        self.by_kind.update(planted)
        original, text = readable(note.text), readable(masked or "")
        before = readable("\0".join(p.text for p in note.pieces if p.kind in ("", "other", *HOMOGRAPHS)))
        left = self.left(note.person, text, before)
        self.left_by_kind.update(left & planted)
        direct, every = bool(left & set(DIRECT)), bool(left & self.kinds)
        self.left_direct += direct
        self.left_any += every
        self.left_by_language[note.language] += every
        self.chance += bool(self.left(stranger, text, original) & self.kinds)
        folded, digits = plain(text).lower(), re.sub(r"\D", "", text)
        for piece in note.pieces:
            if not piece.parts:
                continue
            which = piece.kind, piece.spelling
            self.mentions[which] += 1
            stays = (
                {"first", "last"} <= self.same[note.person]
                if piece.kind == "name"
                else piece.kind in self.same[note.person]
            )
            self.left_mentions[which] += not stays and any(is_left(part, text, before) for part in piece.parts)
            if (mask := self._mask(piece.kind, piece.spelling, note.person, folded, digits)) is not None:
                self.asked[piece.kind] += 1
                self.equal[piece.kind] += mask
        if masked is not None:
            self._others(note, masked)

    def _mask(self, kind: str, spelling: str, person: int, folded: str, digits: str) -> bool | None:
        """Whether the note holds what the patients table has; None where that is nothing, or the original."""
        if kind == "name":
            part = "last" if spelling in ("initial_last", "last_initial", "jsmith") else "first"
            return self._mask(part, spelling, person, folded, digits)
        value = self.patients[person].get(_COLUMNS.get(kind, ""), "")
        if not value or kind in self.same[person]:
            return None
        if kind in ("first", "last"):
            stem = plain(value).lower()
            return stem[: max(3, len(stem) - 2)] in folded
        if kind == "phone":
            return re.sub(r"\D", "", value)[-6:] in digits
        if kind == "number":
            return re.sub(r"\W", "", value).lower() in re.sub(r"\W", "", folded)
        if kind == "street":
            return plain(re.sub(r"\W*\d+\w*\W*", "", value)).lower() in folded
        if kind == "dob":
            try:
                day = dt.date.fromisoformat(value)
            except ValueError:
                return value[:4] in folded
            return any(
                plain(d).lower() in folded
                for d in dates(day, self.made.languages[self.made.people[person].language]).values()
            )
        return plain(value).lower() in folded

    def _others(self, note: Note, masked: str) -> None:
        urls = [u.span() for u in _URL.finditer(note.text)] if self.without_urls else []
        tokens, kinds = [], []
        begin = 0
        for piece in note.pieces:
            for token in _TOKEN.finditer(piece.text):
                at = begin + token.start()
                tokens.append(token[0])
                kinds.append("url" if any(a <= at < b for a, b in urls) else piece.kind)
            begin += len(piece.text)
        matcher = SequenceMatcher(None, tokens, _TOKEN.findall(masked), autojunk=False)
        kept = {n for block in matcher.get_matching_blocks() for n in range(block.a, block.a + block.size)}
        for n, kind in enumerate(kinds):
            if not kind:
                self.others += 1
                self.others_changed += n not in kept
            elif kind in HOMOGRAPHS:
                self.homographs[kind] += 1
                self.homographs_kept[kind] += n in kept

    def result(self) -> dict[str, Any]:
        return {
            "notes": self.notes,
            "left": self.left_any,
            "left_direct": self.left_direct,
            "chance": self.chance,
            "kinds": sorted(self.kinds),
            "by_kind": {
                k: {
                    "notes": self.by_kind[k],
                    "left": self.left_by_kind[k],
                    "asked": self.asked[k],
                    "equal": self.equal[k],
                }
                for k in (*DIRECT, *REMOVED)
            },
            "by_language": {
                k: {"notes": n, "left": self.left_by_language[k]} for k, n in sorted(self.by_language.items())
            },
            "by_spelling": [
                {"kind": k, "spelling": s, "mentions": n, "left": self.left_mentions[k, s]}
                for (k, s), n in sorted(self.mentions.items())
            ],
            "names_equal": {"asked": self.asked["name"], "equal": self.equal["name"]},
            "others": self.others,
            "others_changed": self.others_changed,
            "homographs": {
                k: {"words": n, "kept": self.homographs_kept[k]} for k, n in sorted(self.homographs.items())
            },
        }


def strangers(made: Hospital) -> list[int]:
    """For each note, another patient of its language."""
    of = {}
    for n, person in enumerate(made.people):
        of.setdefault(person.language, []).append(n)
    next_one = {n: group[(at + len(group) // 2) % len(group)] for group in of.values() for at, n in enumerate(group)}
    return [next_one[note.person] for note in made.notes]


def masked_notes(path: Path, count: int) -> list[str | None]:
    """Their texts. Raises RuntimeError where rows are missing."""
    texts = [json.loads(line).get("text") for line in path.read_text(encoding="utf-8").splitlines()]
    if len(texts) != count:
        raise RuntimeError(f"{path.name} has {len(texts)} notes of {count}")
    return texts


def policy_of(name: str, folder: Path) -> str | Path:
    """What `--policy` gets."""
    if name != "hipaa-spans":
        return name
    shipped = processes.ROOT / "piiscan" / "masking" / "plan" / "policies" / "hipaa-safe-harbor.toml"
    text = shipped.read_text(encoding="utf-8")
    for rule in ('entity = ["FREE_TEXT"]', "inside = true"):
        text = text.replace(f'{rule}\noperator = "suppress"', f'{rule}\noperator = "spans"')
    path = folder / "hipaa-spans.toml"
    path.write_text(text.replace('name = "hipaa-safe-harbor"', 'name = "hipaa-spans"'), encoding="utf-8")
    return path


def commands(
    python: Path, source: Path, policy: str | Path, plan: Path, key: Path, out: Path
) -> list[list[str | Path]]:
    run = [python, "-P", "-m", "piiscan"]
    return [
        [*run, "plan", source, "--policy", policy, "-o", plan, "-q"],
        [
            *run,
            "mask",
            source,
            "--plan",
            plan,
            "--key",
            f"file:{key}",
            "-o",
            out,
            "--overwrite",
            "--keep-unverified",
            "-q",
        ],
    ]


def changed_columns(plan: Plan) -> set[str]:
    """The columns of the patients table that a plan doesn't keep."""
    return {
        a.name or ""
        for t in plan.tables
        if t.source.endswith("patients.csv")
        for a in t.columns
        if a.operator != "keep"
    }


def removes_urls(plan: Plan) -> bool:
    return any(s.entity == "URL" and s.operator in ("redact", "suppress") for s in plan.spans)


def measure(policy: str, made: Hospital, folder: Path, python: Path) -> dict[str, Any]:
    source, key = folder / "hospital", folder / "key"
    out, plan = folder / f"masked-{policy}", folder / f"plan-{policy}.toml"
    plan.unlink(missing_ok=True)
    (folder / VAULT).unlink(missing_ok=True)  # what it knows stays as it is
    planning, masking = commands(python, source, policy_of(policy, folder), plan, key, out)
    runs = {"plan": processes.run(planning, statuses=(0, 3)), "mask": processes.run(masking, statuses=(0, 3, 5))}
    with open(out / "patients.csv", encoding="utf-8", newline="") as rows:
        patients = list(csv.DictReader(rows))
    decided = plan_toml.load(plan)
    counts = Measure(made, patients, changed_columns(decided), removes_urls(decided))
    texts = masked_notes(out / "notes.jsonl", len(made.notes))
    for note, masked, stranger in zip(made.notes, texts, strangers(made), strict=True):
        counts.add(note, masked, stranger)
    return counts.result() | {"runs": {name: asdict(run) for name, run in runs.items()}}


def times(ours: Path, theirs: Path, folder: Path, rounds: int) -> dict[str, list[float]]:
    """Seconds that either interpreter's piiscan takes to mask the hospital by its own plan, in turn."""
    out: dict[str, list[float]] = {"this": [], "other": []}
    for n in range(rounds):
        for name, python in (("this", ours), ("other", theirs)):
            plan = folder / f"compared-{name}.toml"
            planning, masking = commands(
                python, folder / "hospital", "default", plan, folder / "key", folder / f"compared-{name}"
            )
            if not n:
                plan.unlink(missing_ok=True)
                processes.run(planning, statuses=(0, 3))
            out[name].append(processes.run(masking, statuses=(0, 3, 5)).seconds)
    return out


def _share(part: int, of: int) -> str:
    return f"{part / of:.2%}" if of else "–"


def _left(found: dict[str, Any], kind: str, of: dict[str, Any], whole: str) -> str:
    """The share that is left of a kind; – where the policy keeps it."""
    kinds = {"first", "last"} if kind == "name" else {kind}
    return _share(of["left"], of[whole]) if kinds <= set(found["kinds"]) else "–"


def _table(corner: str, found: dict[str, dict[str, Any]], rows: Rows) -> list[str]:
    return [
        f"| {corner} | {' | '.join(found)} |",
        "|---" * (len(found) + 1) + "|",
        *(f"| {label} | {' | '.join(cell(f) for f in found.values())} |" for label, cell in rows),
        "",
    ]


def page(about: dict[str, Any]) -> str:
    """The results as Markdown."""
    found: dict[str, dict[str, Any]] = about["policies"]
    first = next(iter(found.values()))

    def homographs(which: str) -> tuple[str, Callable[[dict[str, Any]], str]]:
        return (
            f"homographs kept: {which} (≥ 98 %)",
            lambda f: (
                _share(f["homographs"][which]["kept"], f["homographs"][which]["words"])
                if which in f["homographs"]
                else "–"
            ),
        )

    def kind_row(kind: str) -> tuple[str, Callable[[dict[str, Any]], str]]:
        def cell(f: dict[str, Any]) -> str:
            counts = f["by_kind"][kind]
            return f"{_left(f, kind, counts, 'notes')} / {_share(counts['equal'], counts['asked'])}"

        return kind, cell

    def language_row(language: str) -> tuple[str, Callable[[dict[str, Any]], str]]:
        return language, lambda f: _share(f["by_language"][language]["left"], f["by_language"][language]["notes"])

    def spelling_row(n: int, entry: dict[str, Any]) -> tuple[str, Callable[[dict[str, Any]], str]]:
        label = f"{entry['kind']}, {entry['spelling']} ({entry['mentions']:,})"
        return label, lambda f: _left(f, entry["kind"], f["by_spelling"][n], "mentions")

    summary: Rows = [
        ("notes with a value that the policy removes", lambda f: _share(f["left"], f["notes"])),
        ("… with a direct one (≤ 1 %; hipaa: 0)", lambda f: _share(f["left_direct"], f["notes"])),
        ("… by chance (another patient's values)", lambda f: _share(f["chance"], f["notes"])),
        ("other words changed (≤ 0.5 %)", lambda f: _share(f["others_changed"], f["others"])),
        *map(homographs, HOMOGRAPHS),
        ("names with the mask of their column", lambda f: _share(f["names_equal"]["equal"], f["names_equal"]["asked"])),
        ("status of `mask`", lambda f: str(f["runs"]["mask"]["status"])),
        ("`plan`, s", lambda f: f"{f['runs']['plan']['seconds']:.1f}"),
        ("`mask`, s", lambda f: f"{f['runs']['mask']['seconds']:.1f}"),
        ("… peak, MB", lambda f: f"{f['runs']['mask']['peak']:.0f}"),
    ]
    lines = [
        processes.measured_on(about),
        "",
        f"{about['people']:,} people of 24 countries, {about['notes']:,} notes in 14 languages; seed {about['seed']}.",
        "",
        *_table("", found, summary),
        "Of the notes that mention a kind, those in which a value of it is left / of its mentions, those that have the "
        "mask of the column (– where the policy keeps the column, or leaves no mask):",
        "",
        *_table("kind", found, map(kind_row, (*DIRECT, *REMOVED))),
        "Notes with a value that the policy removes, by language:",
        "",
        *_table("language", found, map(language_row, first["by_language"])),
        "Mentions of which something is left, by spelling:",
        "",
        *_table("kind, spelling (mentions)", found, starmap(spelling_row, enumerate(first["by_spelling"]))),
    ]
    if seconds := about.get("times"):
        this, other = min(seconds["this"]), min(seconds["other"])
        lines += [
            f"`mask`, default, beside the other piiscan: {this:.1f} s and {other:.1f} s, {this / other:.2f} times."
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the hospital and its masks will be")
    parser.add_argument("--people", type=int, default=3000)
    parser.add_argument("--notes", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--policies", nargs="+", choices=POLICIES, default=POLICIES)
    parser.add_argument("--compare-with", type=Path, metavar="PYTHON", help="an interpreter with another piiscan")
    parser.add_argument("--rounds", type=int, default=3, help="how often either masks, for --compare-with")
    parser.add_argument("-o", "--output", type=Path, help="the figures as JSON")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    made = hospital(args.people, args.notes, args.seed)
    write(made, args.folder / "hospital", args.seed)
    key = args.folder / "key"
    key.write_text(hashlib.sha256(f"residue {args.seed}".encode()).hexdigest(), encoding="utf-8")
    key.chmod(0o600)
    about = processes.machine() | {"people": args.people, "notes": args.notes, "seed": args.seed, "policies": {}}
    for policy in args.policies:
        about["policies"][policy] = measure(policy, made, args.folder, Path(sys.executable))
        print(f"{policy}: done", file=sys.stderr)
    if args.compare_with:
        about["times"] = times(Path(sys.executable), args.compare_with, args.folder, args.rounds)
    if args.output:
        args.output.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    print(page(about))


if __name__ == "__main__":
    main()
