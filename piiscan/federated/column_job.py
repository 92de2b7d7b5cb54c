"""The column classifier's linear part, trained on labelled columns of all sites by sums of shortened gradients.

The loss is that of `piiscan train`, but for the shortened gradients, and that each column is judged by itself: what a
column adds depends on no neighbour. Weights follow from the noisy sums alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.core.version import __version__
from piiscan.dp import noise
from piiscan.dp.learning import draws
from piiscan.dp.learning.draws import Query
from piiscan.dp.learning.row_vectors import ONE, Sensitivity
from piiscan.dp.noise import Adder
from piiscan.dp.result import Json
from piiscan.dp.run.joint import Joint
from piiscan.federated import column_sums
from piiscan.federated.column_sums import INPUTS, UNIT, Columns
from piiscan.io.table_source import Source
from piiscan.scanning.classify import adapt_model
from piiscan.scanning.classify import column_model as models
from piiscan.scanning.classify.adapt_model import SHARE
from piiscan.scanning.classify.column_features import BUCKETS

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Bools, Floats, Ints
    from piiscan.scanning.classify.adapt_model import Example
    from piiscan.scanning.classify.column_model import ColumnModel

NAME: Final = "ColumnClassifier"
PARAMETERS: Final = frozenset(("entities", "passes", "clip"))
SCHEMA_VERSION: Final = 1
_LARGEST: Final = 64
"""The greatest absolute weight, in priors of standard deviation 1."""
_RATE: Final = 0.3
_MOMENTUM: Final = 0.5
_NOTES: Final = (
    (
        "Epsilon and delta hold for a labelled column: whether it is among the labelled ones, its header, its values "
        "and its label. They don't hold for a person whose values are in many columns."
    ),
    "No header and no value is in the model. Header words share its 4,096 buckets.",
)


class Descent:
    """Weights that follow from sums of gradients, one after the other. `whole`: (INPUTS, classes), in 1 / ONE.

    Steps are those of AdaGrad (Duchi, Hazan and Singer 2011), a length for each input, with momentum (Polyak 1964). So
    no length depends on how many columns there are.
    """

    def __init__(self, classes: int) -> None:
        self._weights = self._before = np.zeros((INPUTS, classes))
        self._moved = np.zeros((INPUTS, 1))

    @property
    def whole(self) -> Ints:
        made: Ints = np.rint(self._weights * ONE).astype(np.int64)
        return made

    def step(self, sums: Sequence[int]) -> None:
        """Take a step by the sums of a pass, which are multiples of 1 / UNIT."""
        slope = SHARE * np.array(sums, dtype=np.float64).reshape(self._weights.shape) / UNIT
        self._moved = self._moved + (slope * slope).sum(axis=1, keepdims=True)
        step = _RATE * (slope + self._weights) / np.sqrt(1 + self._moved)
        moved = self._weights - step + _MOMENTUM * (self._weights - self._before)
        self._before, self._weights = self._weights, np.clip(moved, -_LARGEST, _LARGEST)


class JointColumns(Joint):
    """The linear part of the shipped column classifier (or of `base`), trained over all sites.

    entities: the words of the vocabulary to learn, besides none; the others' weights stay as they are, and columns of
    them aren't learned. passes: how often all gradients are summed. clip: the greatest L2 norm of a column's gradient.
    """

    adaptive: ClassVar[bool] = True

    def __init__(
        self,
        epsilon: float,
        delta: float,
        entities: Sequence[str] | None = None,
        passes: int = 8,
        clip: float = 3.0,
        base: ColumnModel | None = None,
    ) -> None:
        self.base = base or models.model()
        known = [c for c in self.base.classes if c != models.NONE]
        self.entities = sorted(set(known if entities is None else entities))
        if unknown := sorted(set(self.entities) - set(known)):
            raise UsageError(f"the model knows no columns of {', '.join(unknown)}; it knows {', '.join(known)}")
        if type(passes) is not int or not 1 <= passes <= 100 or not 2.0**-10 <= clip <= 2.0**10:
            raise UsageError("passes is a whole number from 1 to 100, and clip a norm, such as 3.0")
        self.passes, self.clip = passes, float(clip)
        self.trained = np.array(
            [i for i, c in enumerate(self.base.classes) if c == models.NONE or c in self.entities], dtype=np.int64
        )
        self._sensitivity = column_sums.sensitivity(self.clip)
        self._cost = {"epsilon": epsilon, "delta": delta}
        queries = [Query(f"gradient, pass {i + 1}", Sensitivity(0, self._sensitivity**2), UNIT) for i in range(passes)]
        self.price = draws.costs(queries, epsilon, delta, gaussian_only=True)

    def exact(self, source: Source) -> Columns:
        """Read the columns of a file of labels, as `piiscan train` takes it, and of the tables that it names."""
        return self.columns(self._examples(source))

    def empty(self) -> Columns:
        return self.columns([])

    def columns(self, examples: Sequence[Example]) -> Columns:
        """Return examples of labelled columns in whole numbers. They are judged without their neighbours."""
        of = [e._replace(before=self._alone(e)) for e in examples]
        return Columns.of(of, self.base.classes)

    def released(self, exact: Any, added: Adder) -> Json:
        entries, descent = [], Descent(len(self.trained))
        for i in range(self.passes):
            at = partial(column_sums.gradient, exact, descent.whole, self.trained, self.clip)
            drawn = added(lambda at=at: at().tolist(), self._sensitivity, self.price.share)  # type: ignore[misc]
            descent.step(drawn.values)
            entries.append(self._entry(f"gradient, pass {i + 1}", len(drawn.values), drawn.scale))
        return self._release(descent.whole, entries)

    def right(self, released: Json, source: Source, within: float | None) -> Bools:
        named = [e for e in self._examples(source) if e.weight == 1.0]  # the others are the same columns again
        return self.right_of(named, released)

    def right_of(self, examples: Sequence[Example], released: Json) -> Bools:
        """Return for each example whether its likeliest class is its label."""
        columns, end = self.columns(examples), len(examples)
        logits = columns.before.copy()
        weights = np.array(released["weights"], dtype=np.int64).reshape(INPUTS, len(self.trained))
        logits[:, self.trained] += column_sums.linear(columns, 0, end, weights) >> 13
        made: Bools = np.argmax(logits, axis=1) == columns.labels
        return made

    def check_held_out(self, source: Source, within: float | None) -> None:
        if not any(e.weight == 1.0 for e in self._examples(source)):
            raise UsageError("there are no labelled columns with a header that were held out; the site takes no part")

    def _alone(self, example: Example) -> Floats:
        """Return a column's log-probabilities by the base model, without its neighbours."""
        chances = models.softmax(self.base.logits([example.features]))
        made: Floats = np.log(np.maximum(chances[0], 1e-12))
        return made

    def _examples(self, source: Source) -> list[Example]:
        from piiscan.api import labels
        from piiscan.io.read_options import ReadOptions
        from piiscan.rules import rule_sets
        from piiscan.scanning.classify.lexicon import lexicon

        if source.path is None:
            raise UsageError("data of a column classifier is a file of labels, as for `piiscan train`")
        rules = rule_sets.load(())
        lines = labels.read(source.path, set(self.base.classes) - {models.NONE})
        wanted, known = {models.NONE, *self.entities}, lexicon(rules)
        found: list[Example] = []
        for table in labels.tables(lines, rules, ReadOptions()):
            columns = table.summary.columns
            kept = {i: e for i, e in table.entities.items() if columns[i].filled and e in wanted}
            found += adapt_model.examples(self.base, table.info, table.summary, kept, known)
        return found

    def _entry(self, name: str, integers: int, scale: float) -> Json:
        return {
            "query": name,
            "integers": integers,
            "share": self.price.share.amount,
            "sensitivity": self._sensitivity,
            "norm": "L2",
            "scale": scale,
            "accuracy": noise.accuracy("gaussian", scale),
            "unit": f"1/{UNIT}",
        }

    def _release(self, weights: Ints, entries: list[Json]) -> Json:
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": "dp-column-classifier",
            "tool": {"name": "piiscan", "version": __version__, "opendp": version("opendp")},
            "privacy": {
                **self._cost,
                "rho": self.price.loss.rho,
                "mechanism": "gaussian",
                "unit": "a labelled column",
                "neighbours": "Sets of labelled columns that differ by one column, added or removed.",
            },
            "base": self.base.digest,
            "entities": self.entities,
            "passes": self.passes,
            "clip": self.clip,
            "weights": weights.reshape(-1).tolist(),
            "weight_unit": f"1/{ONE}",
            "queries": entries,
            "notes": list(_NOTES),
        }


def trained_model(released: Json, base: ColumnModel | None = None) -> ColumnModel:
    """Return the column classifier of a release. Raises `UsageError` for another kind of release, or another base."""
    base = base or models.model()
    if released.get("kind") != "dp-column-classifier" or released.get("base") != base.digest:
        raise UsageError("this isn't the release of a column classifier that started from this version's model")
    try:
        job = JointColumns(1.0, 1e-9, released["entities"], base=base)
        found = np.array(released["weights"], dtype=np.float64)
    except (KeyError, TypeError, ValueError):
        raise UsageError("this release of a column classifier is damaged") from None
    weights = np.zeros((INPUTS, len(base.classes)))
    if found.size != INPUTS * len(job.trained) or not (np.abs(found) <= _LARGEST * ONE).all():
        raise UsageError("this release of a column classifier is damaged: it has other weights than this version makes")
    weights[:, job.trained] = found.reshape(INPUTS, -1) / ONE
    return adapt_model.moved_by(base, np.arange(BUCKETS), weights)
