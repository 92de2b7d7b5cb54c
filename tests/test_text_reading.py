"""Texts as tokens, segments and windows; and that reading many at once, fast, says the same as reading one after the
other."""

from __future__ import annotations

import gc
import zlib
from weakref import ref

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from text_reference import PIECES, segments

from piiscan.detection.text import analyzer, chain, recogniser, text_model, token_arrays, token_features, tokens
from piiscan.text import Analyzer, spans

TEXTS = st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=60)
AWKWARD = st.text("aAzZJ.. \n\n\t'’\"Üé½²1,!?»)@-‐\u0301中\x1c\u3000\ud83d", max_size=40)


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_tokens_and_spans_lie_in_the_text(text: str) -> None:
    words, starts = tokens.tokens(text)
    at = 0
    for word, start in zip(words, starts, strict=True):
        assert text[start : start + len(word)] == word
        assert text[at:start].isspace() or at == start
        at = start + len(word)
    assert not text[at:].strip()
    for span in spans(text):
        assert 0 <= span.start < span.end <= len(text)
        assert text[span.start : span.end].strip() == text[span.start : span.end]
        assert 0 < span.score <= 1


@given(st.lists(AWKWARD | TEXTS, max_size=6))
@example(
    [
        "J.",
        "Smith wrote to J. R. Smith and J.  Smith. He",
        "J.\nSmith ½.",
        "A. ½",
        "",
        " ",
        "x\n" * 3 + "word " * 20 + "\nand",
    ]
)
@example(["word " * 400])
@settings(max_examples=300, deadline=None)
def test_texts_read_at_once_are_the_texts_read_alone(texts: list[str]) -> None:
    known = token_arrays.Words()
    for _ in range(2):  # with all words new, and with none
        read = token_arrays.read(texts, known)
        base = 0
        cut = []
        for number, text in enumerate(texts):
            words, starts = tokens.tokens(text)
            stop = base + len(words)
            assert [known.spelled[n] for n in read.words[base:stop].tolist()] == words
            assert read.starts[base:stop].tolist() == starts
            assert [
                text[a:b] for a, b in zip(read.starts[base:stop].tolist(), read.ends[base:stop].tolist(), strict=True)
            ] == words
            cut += [
                (number, *(base + w for w in window))
                for a, b in segments(text, words, starts)
                for window in tokens.windows(a, b)
            ]
            base = stop
        assert (
            list(zip(*(getattr(read, name).tolist() for name in ("text", "first", "stop", "own", "end")), strict=True))
            == cut
        )
        assert base == len(read.words)


@given(st.lists(st.lists(PIECES, max_size=8).map("".join), max_size=6))
@settings(max_examples=60, deadline=None)
def test_a_text_s_spans_depend_on_it_alone(texts: list[str]) -> None:
    together = Analyzer().batch(texts)
    assert together == [Analyzer().spans(text) for text in texts]


@given(
    st.lists(
        st.sampled_from("Maria Schmidt called MARIA maria from Berlin NASA , . 12 A b the".split()),
        min_size=1,
        max_size=12,
    )
)
@settings(max_examples=100, deadline=None)
def test_sentences_left_out_name_nothing(words: list[str]) -> None:
    """Decoding all sentences gives what decoding those that may name something does."""
    known = analyzer.recogniser()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chain, "_CLEAR", np.inf)
        everything = known.find([words])
    assert known.find([words]) == everything


@given(st.lists(st.sampled_from("Maria MARIA maria USA x X X. - 1 Über ÜBER iPhone 中 ß".split()), max_size=6))
@settings(deadline=None)
def test_a_sentence_is_written_in_the_mode_that_features_say(words: list[str]) -> None:
    """What training sees of words and what is seen of them in use is the same."""
    known = recogniser.Recogniser(text_model.shipped())
    known.find([words])
    how = token_features.mode(words)
    met = {known._words.spelled[word]: mode for word, mode in np.argwhere(known._rows.all >= 0).tolist()}
    assert met == dict.fromkeys(words, ("mixed", "upper", "lower").index(how))


def test_forgetting_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["Please call Maria Schmidt.", "Berlin and Paris", "Anna Kowalska is on leave."] * 3
    known = recogniser.Recogniser(text_model.shipped())
    wanted = analyzer.named(texts, by=known)
    monkeypatch.setattr(recogniser, "KEPT", 0)
    monkeypatch.setattr(recogniser, "TOKENS", 5)
    monkeypatch.setattr(recogniser, "TOGETHER", 2)
    monkeypatch.setattr(analyzer, "TOGETHER", 20)
    assert analyzer.named(texts, by=known) == wanted
    assert sum(map(len, wanted)) >= 9


def test_what_is_forgotten_is_freed_at_once() -> None:
    """Nothing of it waits for the collector of garbage, which looks seldom."""
    known = recogniser.Recogniser(text_model.shipped())
    known.find([["Maria", "Schmidt"]])
    words = ref(known._words)
    gc.disable()
    try:
        known.forget()
        assert words() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("keys", [[], [0], [2**32 - 1], list(range(5)), [1 << 16, (1 << 16) + 1, 3 << 20, 2**32 - 1]])
def test_keys_are_found_where_they_stand(keys: list[int]) -> None:
    wanted = sorted({0, 1, 4, 5, 2**32 - 1, 1 << 16, (1 << 16) - 1, (1 << 16) + 2, *keys})
    rows = text_model.Index(np.array(keys, dtype=np.uint32)).rows(np.array(wanted, dtype=np.uint32))
    assert rows.tolist() == [keys.index(k) if k in keys else -1 for k in wanted]


def test_features_of_different_marks_are_different() -> None:
    """CRCs are linear: "-1 w=a" and "-2 w=b" would have one key if marks were hashed like words."""
    marked = [f"{mark} w={c}" for mark in token_features.OFFSETS for c in "abcdefghijklmnopqrstuvwxyz0123456789"]
    marked += [
        f"{side} {kind}={c} {d}"
        for side in token_features.SIDES
        for kind in token_features.PAIRS
        for c in "abcdef"
        for d in "abcdef"
    ]
    assert len({token_features.key(text) for text in marked}) == len(marked)
    assert token_features.crc("\ud83d") == zlib.crc32(b"\xed\xa0\xbd")


@pytest.mark.parametrize("length", [1, 160, 161, 288, 289, 1000])
def test_windows_own_every_token_once(length: int) -> None:
    windows = tokens.windows(5, 5 + length)
    assert [i for _, _, own, stop in windows for i in range(own, stop)] == list(range(5, 5 + length))
    assert all(a <= own < stop <= b and b - a <= tokens.LONGEST for a, b, own, stop in windows)


def test_windows_do_not_change_short_texts() -> None:
    assert tokens.windows(0, tokens.LONGEST) == [(0, tokens.LONGEST, 0, tokens.LONGEST)]


@pytest.mark.parametrize("before", range(120, 176))
def test_a_name_at_a_window_s_border_is_found_once_in_its_place(before: int) -> None:
    """Wherever in the overlap of two windows a name stands, and across each window's border."""
    text = f"{'then some more words ' * 60}"
    at = [i for i, c in enumerate(text) if c == " "][before - 1] + 1
    text = f"{text[:at]}with Maria Schmidt of Hamburg {text[at:]}"
    (only,) = analyzer.named([text])
    found = [(text[s.start : s.end], s.start) for s in only if s.entity == "PERSON"]
    assert found == [("Maria Schmidt", at + len("with "))]
