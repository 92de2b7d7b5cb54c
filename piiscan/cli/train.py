"""`piiscan train`: trains a model on tables of your own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from piiscan.cli import options, output
from piiscan.cli.mask import OVERWRITE

if TYPE_CHECKING:
    from piiscan.api.labels import LabelledTable
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.classify.adapt_model import Example
    from piiscan.scanning.classify.column_model import ColumnModel
    from piiscan.scanning.configuration import Config

FOLDS: Final = 10
"""With more tables, several are held out at once and judged by a model trained on the others."""
FEWEST_TABLES: Final = 3
WRONG_SHOWN: Final = 10


def _model(ctx: click.Context, param: click.Parameter, value: Path) -> Path:
    if value.suffix != ".npz":
        raise click.BadParameter("must end in .npz")
    return output.writable(value)


@click.command(short_help="Train a model on tables of your own.")
@click.argument("labels", type=options.FILE, metavar="LABELS.csv")
@click.option(
    "-o",
    "--output",
    "target",
    required=True,
    type=click.Path(path_type=Path),
    callback=_model,
    metavar="MODEL.npz",
    help="The file to write the model to.",
)
@click.option(
    "--model",
    type=options.FILE,
    metavar="FILE",
    help=("Start from this model instead of the configured or shipped one."),
)
@OVERWRITE
@options.read_options
def train(labels: Path, target: Path, overwrite: bool, model: Path | None, **given: Any) -> int:
    """Train a model on tables of your own, and write it for every scan to use.

    LABELS.csv has the columns path, table, column and entity, and a line for each column that you know: the path is
    relative to LABELS.csv, the table may be empty, the entity is one of the vocabulary or none. Columns without any
    value are learned only with --empty-columns.
    """
    from piiscan.api import labels as labelled
    from piiscan.cli import scan_run
    from piiscan.core.errors import UsageError
    from piiscan.rules import rule_sets
    from piiscan.scanning import configuration
    from piiscan.scanning.classify import adapt_model
    from piiscan.scanning.classify import column_model as models
    from piiscan.scanning.classify.lexicon import lexicon

    output.free(target, overwrite)
    adapt_model.minimizer()  # reported before tables are read
    s = options.settings(**given)
    model = model or s.model
    before = models.model(None if model is None else str(model))
    rules = rule_sets.load(configuration.rule_folders(s.rules))
    lines = labelled.read(labels, set(before.classes) - {models.NONE})
    with scan_run.silent_libraries():
        tables = [_filled(t, s.empty_columns) for t in labelled.tables(lines, rules, scan_run.read_options(s, rules))]
    tables = [t for t in tables if t.entities]
    if not tables:
        raise UsageError(f"{labels.name}: none of the columns has values; --empty-columns learns them by their headers")
    known = lexicon(rules)
    seen = [adapt_model.examples(before, t.info, t.summary, t.entities, known) for t in tables]
    after = adapt_model.adapt(before, [e for examples in seen for e in examples])
    output.to_file(target, adapt_model.packed(after))

    old = _verdicts_of_all(tables, rules, before, s.empty_columns)
    if len(tables) >= FEWEST_TABLES:
        new = _left_out(tables, seen, rules, before, s.empty_columns)
        how = "each table judged by a model trained on the others"
    else:
        new = _verdicts_of_all(tables, rules, after, s.empty_columns)
        how = (
            f"on the training columns; with {FEWEST_TABLES} tables or more, each is judged by a model trained "
            "on the others"
        )
    _print_outcome(len(tables), old, new, how)
    _print_use(target, s.config)
    return 0


def _print_outcome(tables: int, old: Sequence[Found], new: Sequence[Found], how: str) -> None:
    """Print how many verdicts were right before and are now, and which are still wrong."""
    from piiscan.report.verdict_words import count, printable

    output.data(f"Learned {count(len(new), 'column')} of {count(tables, 'table')}.\n")
    output.data(f"Right verdicts: {sum(f.right for f in old)} before, {sum(f.right for f in new)} after ({how}).\n")
    wrong = [f for f in new if not f.right]
    for found in wrong[:WRONG_SHOWN]:
        output.data(f"  {printable(found.location)} is {found.entity}, judged {found.verdict}\n")
    if len(wrong) > WRONG_SHOWN:
        output.data(f"  and {len(wrong) - WRONG_SHOWN} more\n")


def _print_use(target: Path, config: Config) -> None:
    """Print what to write in the configuration to use the model."""
    from piiscan.scanning import configuration
    from piiscan.scanning.findings import relative

    file = config.file or Path(configuration.FILE)
    key = configuration.toml_value(relative(str(target), file.parent))
    output.data(f"Wrote {target}. To use it, write in {file.name}:\n  model = {key}\n")


class Found(NamedTuple):
    """The label of a column, and its verdict, both in the words of the labels."""

    location: str
    entity: str
    verdict: str

    @property
    def right(self) -> bool:
        return self.entity == self.verdict


def _filled(table: LabelledTable, empty_columns: bool) -> LabelledTable:
    """Drop labels of columns without values, unless those are to be judged too."""
    from piiscan.report.verdict_words import count

    kept = {i: entity for i, entity in table.entities.items() if empty_columns or table.summary.columns[i].filled}
    if len(kept) < len(table.entities):
        output.say(
            f"{table.info.source}: {count(len(table.entities) - len(kept), 'labelled column')} without values left out"
        )
    return table._replace(entities=kept)


def _verdicts(table: LabelledTable, rules: RuleSet, model: ColumnModel, empty_columns: bool) -> list[Found]:
    """Return the verdicts on the labelled columns of a table."""
    from piiscan.api.labels import names
    from piiscan.scanning.classify.column_model import NONE
    from piiscan.scanning.classify.verdicts import classify
    from piiscan.scanning.configuration import NOTHING

    _, verdicts = classify(table.info, table.summary, rules, model, empty_columns)
    source = table.info.source if table.info.table is None else f"{table.info.source}::{table.info.table}"
    called = names(table.info)
    return [
        Found(f"{source}::{called[i]}", NOTHING if entity == NONE else entity, verdicts[i].entity or NOTHING)
        for i, entity in table.entities.items()
    ]


def _verdicts_of_all(
    tables: Sequence[LabelledTable], rules: RuleSet, model: ColumnModel, empty_columns: bool
) -> list[Found]:
    return [found for table in tables for found in _verdicts(table, rules, model, empty_columns)]


def _left_out(
    tables: Sequence[LabelledTable],
    seen: Sequence[Sequence[Example]],
    rules: RuleSet,
    before: ColumnModel,
    empty_columns: bool,
) -> list[Found]:
    """Yield the verdicts on each table by models that were trained only on the others."""
    from piiscan.scanning.classify.adapt_model import adapt

    found: dict[int, list[Found]] = {}
    folds = min(FOLDS, len(tables))
    for fold in range(folds):
        model = adapt(before, [e for i, examples in enumerate(seen) if i % folds != fold for e in examples])
        found |= {i: _verdicts(t, rules, model, empty_columns) for i, t in enumerate(tables) if i % folds == fold}
    return [f for i in sorted(found) for f in found[i]]
