"""The vectorised count says what the reference says, cell by cell, for every shipped rule and every way a cell can
look."""

from __future__ import annotations

import base64
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain

import polars as pl
import pytest
import strategies as some

from piiscan.detection.matching import batch, match_column, reference
from piiscan.detection.matching import prefilter as prefilter_module
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.rules.compile_rules import CompiledRules
from piiscan.rules.definitions import Rule
from piiscan.rules.rule_sets import compiled_rules, shipped

LARGE = 5000  # cells: enough for the path that claims a column's dominant rule
FEW = 60  # cells: below what a gate is compiled for
Outcome = dict[tuple[str, bool], tuple[int, list[int]]]
Maker = Callable[[random.Random], Iterable[str]]


@cache
def prefilter() -> Prefilter:
    return Prefilter(shipped())


@cache
def hits_of(cell: str, compiled: CompiledRules, named: frozenset[str]) -> tuple[reference.Hit, ...]:
    return tuple(reference.cell_hits(cell, compiled, named))


def wanted(cells: list[str], compiled: CompiledRules, named: frozenset[str]) -> Outcome:
    candidates: Counter[tuple[str, bool]] = Counter()
    rows: dict[tuple[str, bool], list[int]] = defaultdict(list)
    for i, cell in enumerate(cells):
        for hit in hits_of(cell, compiled, named):
            candidates[hit.rule, hit.whole] += 1
            if hit.passed:
                rows[hit.rule, hit.whole].append(i)
    return {key: (n, rows[key]) for key, n in candidates.items()}


def differences(cells: Iterable[str], named: Iterable[str] = (), with_prefilter: Prefilter | None = None) -> list[str]:
    """What `column.count` and `reference.cell_hits` disagree on, at most a few lines."""
    ready, names, column_cells = with_prefilter or prefilter(), frozenset(named), some.not_blank(cells)
    got = {
        key: (n.candidates, n.cells.tolist())
        for key, n in match_column.count(pl.Series(column_cells, dtype=pl.String), ready, names).items()
    }
    want = wanted(column_cells, ready.compiled, names)
    out = []
    for key in sorted(got.keys() | want.keys()):
        (n, rows), (m, right) = got.get(key, (0, [])), want.get(key, (0, []))
        if (n, rows) != (m, right):
            odd = dict.fromkeys(column_cells[i] for i in {*rows} ^ {*right})
            out.append(f"{key}: {n} candidates for {m}, {len(rows)} hits for {len(right)}: {list(odd)[:5]}")
    return out[:10]


def values_of(rule: Rule) -> list[str]:
    return some.not_blank((*rule.match, *rule.no_match))


def examples(rng: random.Random) -> list[str]:
    return [value for rule in some.pattern_rules() for value in values_of(rule)]


def one_each(change: Callable[[Rule, str, random.Random], str]) -> Maker:
    """For each rule, one of its values changed in some way."""

    def make(rng: random.Random) -> list[str]:
        return [change(rule, rng.choice(rule.match), rng) for rule in some.pattern_rules()]

    return make


def drawn(rule: Rule, rng: random.Random) -> str:
    return some.draw(some.node_of(rule), rng)


def strange(rng: random.Random) -> list[str]:
    """What isn't personal but looks like numbers and codes."""
    out = ["".join(rng.choices("0123456789", k=n)) for n in range(1, 46) for _ in range(6)]
    out += [rng.randbytes(rng.randint(2, 40)).hex() for _ in range(80)]
    out += [base64.b64encode(rng.randbytes(rng.randint(2, 60))).decode() for _ in range(80)]
    out += [str(rng.randint(10**9, 2 * 10**12)) for _ in range(60)]
    out += [
        f"{rng.randint(1900, 2100)}-{rng.randint(0, 13):02}-{rng.randint(0, 32):02}T{rng.randint(0, 24)}:30:00"
        f".{rng.randint(0, 999)}Z"
        for _ in range(60)
    ]
    out += [f"{rng.uniform(-200, 200):.{rng.randint(0, 9)}f}" for _ in range(60)]
    out += ["".join(rng.choices(".-_ /:@", k=rng.randint(1, 6))) for _ in range(40)]
    return out


COLUMNS: dict[str, Maker] = {
    "examples": examples,
    "padded": one_each(lambda rule, value, rng: some.padded(value, rng)),
    "embedded": one_each(lambda rule, value, rng: some.embedded(value, rng)),
    "embedded in text with its context": one_each(
        lambda rule, value, rng: some.embedded(some.in_context(rule, value, rng), rng)
    ),
    "next to its context": one_each(lambda rule, value, rng: some.in_context(rule, value, rng)),
    "doubled": one_each(lambda rule, value, rng: value + some.separator(rng) + value),
    "mutated": one_each(lambda rule, value, rng: some.mutated(value, rng)),
    "wrong, then right": one_each(
        lambda rule, value, rng: some.in_context(rule, some.mutated(value, rng) + some.separator(rng) + value, rng)
    ),
    "two rules": one_each(
        lambda rule, value, rng: value + some.separator(rng) + rng.choice(rng.choice(some.pattern_rules()).match)
    ),
    "random strings": one_each(lambda rule, value, rng: drawn(rule, rng)),
    "random strings in text": one_each(lambda rule, value, rng: some.embedded(drawn(rule, rng), rng)),
    "strange": strange,
}


@pytest.mark.parametrize("met", [0, prefilter_module._MANY], ids=["small scan", "large scan"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_count_is_what_the_reference_counts(kind: str, met: int) -> None:
    """A large scan has one gate more, before the others."""
    ready = Prefilter(shipped())
    ready.meets_many(met)
    assert differences(COLUMNS[kind](random.Random(f"column of {kind}")), with_prefilter=ready) == []


@pytest.mark.parametrize("kind", COLUMNS)
def test_few_cells_are_counted_alike(kind: str) -> None:
    """They go past gates that take longer to compile than to do without. The same cells, which the reference knows."""
    cells = some.not_blank(COLUMNS[kind](random.Random(f"column of {kind}")))
    assert [line for i in range(0, len(cells), FEW) for line in differences(cells[i : i + FEW])] == []


@pytest.mark.parametrize("length", range(1, 41))
def test_columns_of_digits(length: int) -> None:
    rng = random.Random(length)
    assert differences("".join(rng.choices("0123456789", k=length)) for _ in range(30)) == []


def variants(rule: Rule, rng: random.Random) -> list[str]:
    """A rule's values but for a character, with more around them, and one that is its own by looks alone."""
    changes = (some.mutated, some.mutated, some.embedded, some.embedded, some.padded)
    return [change(rng.choice(rule.match), rng) for change in changes] + [drawn(rule, rng)]


@pytest.mark.parametrize("rule", [r for r in some.pattern_rules() if r.search == "anywhere"], ids=lambda r: r.id)
def test_columns_full_of_one_rule(rule: Rule) -> None:
    rng = random.Random(rule.id)
    others = [
        value
        for other in rng.sample(some.pattern_rules(), 2)
        for value in (*values_of(other)[:3], *variants(other, rng))
    ]
    cells = [rng.choice(rule.match) for _ in range(LARGE)] + (variants(rule, rng) + others) * 5
    rng.shuffle(cells)
    assert differences(cells) == []


def test_the_many_looks_of_a_padded_column() -> None:
    """Fixed-width text pads every value to the same length."""
    rng = random.Random("padded to one length")
    values = [value for rule in some.pattern_rules() for value in rng.sample(rule.match, 2) if len(value) <= 20]
    assert differences(rng.choice([value.ljust(20), value.rjust(20)]) for value in values) == []


def test_many_cells_with_context() -> None:
    """The words of few cells are looked up one by one; those of many are not."""
    rng = random.Random("many")
    near = [
        some.in_context(rule, change(rng.choice(rule.match), rng), rng)
        for rule in some.pattern_rules()
        for change in (some.padded, some.mutated)
    ]
    assert differences([rng.choice(near) for _ in range(3 * LARGE)]) == []


def test_context_is_what_its_regex_finds() -> None:
    """Most texts are told apart by three bytes, before the regex is asked."""
    rng = random.Random("context")
    others = COLUMNS["next to its context"](rng)
    texts = [*rng.sample([*others], 60), "", "ſsn", "\udcff", "Σ ΟΔΟΣ", "x" * 50]
    for pattern in (p for p in shipped().of("context", "cell", "anywhere") if p.phrases):
        regex = reference.compiled_regex(reference.context_pattern(pattern) or "")
        own = [(phrase, phrase.upper(), phrase.title(), some.mutated(phrase, rng)) for phrase in pattern.phrases]
        for text in (*texts, *chain.from_iterable(own), *(f"a {p.replace(' ', '_')}. 7" for p in pattern.phrases)):
            assert reference.has_context(pattern, text) == (regex.search(text) is not None), (pattern.rule.id, text)


NAMED = [r for r in some.pattern_rules() if r.search != "anywhere"]


def test_columns_together_are_summed_up_as_alone() -> None:
    """Those whose headers name the same go through the rules at once."""
    rng = random.Random(7)
    cells = examples(rng)
    texts = [rng.choices([*cells, "", None, "word"], k=40) for _ in range(20)]
    columns = [pl.Series(str(i), text, dtype=pl.String) for i, text in enumerate(texts)]
    columns[3] = pl.Series("3", range(40))
    columns[5] = pl.Series("5", [text.split() if text else None for text in texts[5]], dtype=pl.List(pl.String))
    columns[8] = pl.Series("8", [None] * 40, dtype=pl.String)
    names = [("mail", "ssn", "passport", None, "a")[i % 5] for i in range(20)]
    together = batch.column_summaries(list(map(batch.ColumnPart, columns, names, [7] * 20)), prefilter())
    for column, name, (summary, hashes) in zip(columns, names, together, strict=True):
        alone, alone_hashes = batch.column_summary(column, name, prefilter(), 7)
        assert summary == alone
        assert hashes.tolist() == alone_hashes.tolist()


@pytest.mark.parametrize("part", range(0, len(NAMED), 40))
def test_columns_whose_header_names_rules(part: int) -> None:
    rules = NAMED[part : part + 40]
    rng = random.Random(part)
    cells = [
        cell for rule in rules for cell in (*rng.sample(rule.match, 2), rng.choice(rule.no_match), *variants(rule, rng))
    ]
    assert differences(cells, [rule.id for rule in rules]) == []
    assert differences(cells * (LARGE // len(cells) + 1), [rules[0].id]) == []


def test_a_selection_of_rules_is_counted_alike() -> None:
    """Prefilter made from few rules, or from rules of one kind, or from none."""
    rng = random.Random("selection")
    cells = [
        cell
        for rule in some.pattern_rules()
        for cell in (rng.choice(rule.match), some.in_context(rule, rng.choice(rule.match), rng))
    ]
    for chosen in (["EMAIL_ADDRESS"], ["US_SSN", "URL"], ["NATIONAL_ID"], ["CVV", "AGE"], ["GENDER"]):
        assert differences(cells, with_prefilter=Prefilter(compiled_rules(shipped().rules.restrict(chosen)))) == []


def test_a_lost_hit_is_noticed() -> None:
    """The comparison itself: gates that know other rules give another count."""
    few = Prefilter(compiled_rules(shipped().rules.restrict(["EMAIL_ADDRESS"])))
    column_of_both = pl.Series(["a@b.example", "078-05-1120", "219-09-9999"])
    assert set(match_column.count(column_of_both, few)) < set(match_column.count(column_of_both, prefilter()))
    assert wanted(["219-09-9999", "x 219-09-9999"], shipped(), frozenset())["us-ssn", True] == (1, [0])
