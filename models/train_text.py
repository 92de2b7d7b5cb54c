"""Train the recogniser of persons, places and organisations: `python models/train_text.py DATA_FOLDER`.

Reads DATA_FOLDER/ner and DATA_FOLDER/names, writes models/text.npz, and puts its SHA-256 into
piiscan/detection/text/text_model.py. Seeded: the same data, packages and processor give the same file. Needs the extras
`train` and `text`.
What it was trained on and what it reaches: models/text.md.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pycrfsuite
import text_corpus as corpus
import text_lists
from numpy.typing import NDArray
from text_corpus import Sentence
from text_names import Names

from piiscan.detection.text import text_model, token_features
from piiscan.detection.text.recogniser import Recogniser
from piiscan.detection.text.text_model import Floats, TextModel

HERE = Path(__file__).resolve().parent
SEED = 20261121
SMALLEST = 0.02
"""Weights below it are left out."""
NEVER = -20.0
"""Weight of a transition that can't be: I- after anything but its own B- or I-."""


def training(folder: Path) -> tuple[list[Sentence], text_lists.Lists]:
    """The sentences to train on, and the lists."""
    found = [
        s for name in ("btc_train", "wnut_train", "crossner") for s in corpus.conll(folder / "ner" / f"{name}.conll")
    ]
    lists = text_lists.build(folder / "names", *corpus.case_counts(found))
    names = Names(folder / "names", SEED)
    draw = names.random.random
    made = corpus.from_templates(names, 8)
    out = [
        *found,
        *(new for s in found if draw() < 0.4 and (new := corpus.renamed(s, names)) is not None),
        *(
            corpus.recased(s, upper=draw() < 0.5)
            for s in found
            if draw() < 0.3 and any(label != "O" for label in s.labels)
        ),
        *made,
        *(corpus.recased(s, upper=draw() < 0.4) for s in made if draw() < 0.2),
        *corpus.of_words(names, 60),
        *corpus.from_templates(names, 8, latin=False),
    ]
    names.random.shuffle(out)
    return out, lists


class Attributes:
    """The features of a sentence's tokens, as CRFsuite reads them."""

    def __init__(self, lists: text_lists.Lists) -> None:
        self.lists = lists
        self.known: dict[tuple[str, int, str], tuple[token_features.Seen, list[list[str]]]] = {}

    def of_word(self, word: str, listed: int, how: token_features.Mode) -> tuple[token_features.Seen, list[list[str]]]:
        """A word's features, and those with the mark of each offset."""
        key = (word, listed, how)
        found = self.known.get(key)
        if found is None:
            seen = token_features.of_word(word, listed, how)
            counts = (len(seen.texts), seen.of_neighbours, seen.of_neighbours, token_features.FAR, token_features.FAR)
            marked = [
                [f"{mark} {t}" for t in seen.texts[:n]] for mark, n in zip(token_features.OFFSETS, counts, strict=True)
            ]
            found = self.known[key] = (seen, marked)
        return found

    def of(self, sentence: Sentence) -> list[list[str]]:
        how = token_features.mode(sentence.words)
        words = [
            self.of_word(w, n, how) for w, n in zip(sentence.words, corpus.hide(self.lists, sentence), strict=True)
        ]
        begin, end = (token_features.of_edge(edge) for edge in (token_features.BEGIN, token_features.END))
        none: list[list[str]] = [[], [], [], [], []]
        before = [(begin, none), (begin, [[], [f"{token_features.OFFSETS[1]} {t}" for t in begin.texts], [], [], []])]
        after = [(end, [[], [], [f"{token_features.OFFSETS[2]} {t}" for t in end.texts], [], []]), (end, none)]
        padded = [*before, *words, *after]
        out = []
        for i in range(2, len(padded) - 2):
            marked = [padded[i + place][1][n] for n, place in enumerate((0, -1, 1, -2, 2))]
            left = token_features.of_pair(padded[i - 1][0], padded[i][0])
            right = token_features.of_pair(padded[i][0], padded[i + 1][0])
            pairs = [
                f"{side} {t}" for side, texts in zip(token_features.SIDES, (left, right), strict=True) for t in texts
            ]
            out.append([*(t for texts in marked for t in texts), *pairs])
        return out


@dataclass(frozen=True, eq=False)
class Run:
    """What one run of training gives: `TextModel`'s arrays, the weights as they are."""

    labels: tuple[str, ...]
    keys: NDArray[np.uint32]
    weights: Floats
    transitions: Floats


def fit(
    sentences: Iterable[Sentence],
    attributes: Attributes,
    lists: text_lists.Lists,
    runs: int,
    iterations: int,
    c2: float,
    fewest: int,
) -> TextModel:
    """Train by CRFsuite's stochastic gradient descent with L2 regularisation, `runs` times over, and take the mean of
    the weights.

    The objective is convex, and where one run of few epochs ends is its optimum with noise, which the mean has less of
    (Polyak and Juditsky, "Acceleration of stochastic approximation by averaging", 1992).
    """
    trainer = pycrfsuite.Trainer(algorithm="l2sgd", verbose=False)
    for s in sentences:
        trainer.append(pycrfsuite.ItemSequence(attributes.of(s)), list(s.labels))
    trainer.set_params(
        {"c2": c2, "max_iterations": iterations, "feature.minfreq": fewest, "feature.possible_transitions": 1}
    )
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        for run in range(runs):
            path = Path(scratch, f"{run}.crfsuite")
            trainer.train(str(path))  # each run goes through the sentences in another order
            found.append(exported(path))
    return mean(found, lists)


def mean(runs: list[Run], lists: text_lists.Lists) -> TextModel:
    """The mean of runs over the same features, as a model; small weights are left out."""
    keys = np.unique(np.concatenate([r.keys for r in runs]))
    weights = np.zeros((len(keys) + 1, len(runs[0].labels)), np.float32)
    for r in runs:
        weights[np.searchsorted(keys, r.keys)] += r.weights / len(runs)
    weights[np.abs(weights) < SMALLEST] = 0
    kept = np.flatnonzero(weights.any(axis=1))
    unknown = len(keys)  # the row of features that a model doesn't know
    most = np.iinfo(np.int16).max
    listed = {token_features.crc(word): int(where) for word, where in lists.items()}
    words = sorted(listed)
    return TextModel(
        runs[0].labels,
        keys[kept],
        np.clip(np.rint(weights[[*kept, unknown]] * text_model.SCALE), -most, most).astype(np.int16),
        np.asarray(np.mean([r.transitions for r in runs], axis=0), dtype=np.float32),
        np.array(words, dtype=np.uint32),
        np.array([listed[w] for w in words], dtype=np.uint16),
    )


def exported(path: Path) -> Run:
    """CRFsuite's weights as arrays."""
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    info = tagger.info()
    labels = ("O", *sorted(label for label in info.labels if label != "O"))
    number = {label: i for i, label in enumerate(labels)}
    rows: dict[int, Floats] = {}
    for (attribute, label), weight in sorted(info.state_features.items()):
        if weight:
            rows.setdefault(token_features.key(attribute), np.zeros(len(labels), np.float32))[number[label]] += weight
    transitions = np.zeros((len(labels), len(labels)), np.float32)
    for (a, b), weight in info.transitions.items():
        transitions[number[a], number[b]] = weight
    for a in labels:
        for b in labels:
            if b.startswith("I-") and a[1:] != b[1:]:
                transitions[number[a], number[b]] = NEVER
    keys = sorted(rows)
    return Run(labels, np.array(keys, dtype=np.uint32), np.array([rows[k] for k in keys]), transitions)


def f1(recogniser: Recogniser, sentences: list[Sentence]) -> dict[str, tuple[float, float, float]]:
    """Precision, recall and F1 of exact spans, by label."""
    right: Counter[str] = Counter()
    found: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    spans = recogniser.find([s.words for s in sentences])
    for i, s in enumerate(sentences):
        for start, stop, label in _spans(s.labels):
            wanted[label] += 1
            right[label] += any(
                f.sentence == i and (f.start, f.stop, f.label) == (start, stop, label) for f in _of(spans, i)
            )
    for f in spans:
        found[f.label] += 1
    out = {}
    for label in sorted(wanted):
        p, r = right[label] / max(1, found[label]), right[label] / max(1, wanted[label])
        out[label] = (p, r, 2 * p * r / max(1e-9, p + r))
    return out


def _of(spans: list, sentence: int) -> list:  # type: ignore[type-arg]
    from bisect import bisect_left

    at = bisect_left(spans, sentence, key=lambda f: f.sentence)
    stop = bisect_left(spans, sentence + 1, key=lambda f: f.sentence)
    return spans[at:stop]


def _spans(labels: tuple[str, ...]) -> list[tuple[int, int, str]]:
    out: list[tuple[int, int, str]] = []
    for i, label in enumerate(labels):
        if label[0] == "B":
            out.append((i, i + 1, label[2:]))
        elif label[0] == "I" and out:
            out[-1] = (out[-1][0], i + 1, label[2:])
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    parser.add_argument(
        "--out", type=Path, default=HERE / text_model.FILE, help="where to write the model (default: %(default)s)"
    )
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--iterations", type=int, default=10, help="epochs of a run")
    parser.add_argument("--c2", type=float, default=1.0)
    parser.add_argument("--fewest", type=int, default=2, help="how often a feature must occur")
    options = parser.parse_args()
    begun = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begun:5.0f} s  {text}", flush=True)

    sentences, lists = training(options.data)
    say(f"{len(sentences):,} sentences, {sum(len(s.words) for s in sentences):,} tokens, {len(lists):,} listed words")
    made = fit(sentences, Attributes(lists), lists, options.runs, options.iterations, options.c2, options.fewest)
    say("trained")
    data = text_model.pack(made)
    options.out.write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    say(f"wrote {options.out.name}: {len(data):,} bytes, {len(made.keys):,} features, {digest}")
    if options.out == HERE / text_model.FILE:
        source = Path(text_model.__file__)
        source.write_text(
            re.sub(r'(?m)^SHA256: Final = ".*"$', f'SHA256: Final = "{digest}"', source.read_text(encoding="utf-8")),
            encoding="utf-8",
        )
    recogniser = Recogniser(text_model.unpack(data))
    held = list(corpus.conll(options.data / "ner" / "btc_test.conll"))
    variants: list[tuple[str, Callable[[Sentence], Sentence]]] = [
        ("as written", lambda s: s),
        ("small letters", lambda s: corpus.recased(s, upper=False)),
        ("capitals", lambda s: corpus.recased(s, upper=True)),
    ]
    for name, change in variants:
        scores = f1(recogniser, [change(s) for s in held])
        say(
            f"btc_test, {name}: "
            + ", ".join(f"{label} P {p:.3f} R {r:.3f} F1 {f:.3f}" for label, (p, r, f) in scores.items())
        )


if __name__ == "__main__":
    main()
