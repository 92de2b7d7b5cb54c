"""What texts are made of in tests, and where their segments end, one token after the other: what
`piiscan.detection.text.token_arrays` says with arrays."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

from piiscan.detection.text.tokens import ABBREVIATED, CLOSING, END, WRAPPED

PIECES = st.sampled_from(
    "Maria Schmidt|jane.doe@example.com| |, |.\n|\n\n|Call "
    "|Berlin|219-09-9999|(|O'Brien|l'|Ünal|中村|😀|4111111111111111|St. |J. R. Smith|! |WE MET |http://x.example/".split(
        "|"
    )
)


def segments(text: str, words: list[str], starts: list[int]) -> list[tuple[int, int]]:
    """Ranges of tokens that together are all of them: sentences, and lines of a text of several lines.

    A point ends a sentence where white space and no lower-case letter follow, unless it belongs to an abbreviation. A
    line's
    end ends a segment, unless running text was wrapped there: after a line of WRAPPED characters or more.
    """
    cuts = []
    for i in range(1, len(words)):
        last = words[i - 1]
        end = starts[i - 1] + len(last)
        if end == starts[i]:
            continue
        ends = last[0] in END or (last[0] in CLOSING and i > 1 and words[i - 2][0] in END)
        if ends and not words[i][0].islower() and not (last == "." and i > 1 and words[i - 2].lower() in ABBREVIATED):
            cuts.append(i)
            continue
        gap = text[end : starts[i]]
        if "\n" in gap and (gap.count("\n") > 1 or end - text.rfind("\n", 0, end) <= WRAPPED):
            cuts.append(i)
    bounds = [0, *cuts, len(words)]
    return [(a, b) for a, b in pairwise(bounds) if a < b]
