"""What of a column's values several pieces of evidence need: names, listed values, streets, medicine, digits."""

from __future__ import annotations

from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.person_names import NameLook, name_look
from piiscan.scanning.classify.profile import Profile
from piiscan.scanning.classify.word_lists import MEDICAL_ENDINGS, MEDICAL_WORDS, STREET_ENDINGS, STREET_WORDS


class ColumnValues:
    """A column's values seen with a lexicon; what is costly is made once, on demand."""

    def __init__(self, profile: Profile, lexicon: Lexicon) -> None:
        self.profile = profile
        self.lexicon = lexicon
        self._look: NameLook | None = None
        self._listed: dict[str, float] = {}

    @property
    def look(self) -> NameLook:
        if self._look is None:
            self._look = name_look(self.profile, self.lexicon)
        return self._look

    def listed(self, entity: str) -> float:
        """Share of cells whose whole value is in a list for the entity."""
        if entity not in self._listed:
            values, p = self.lexicon.values(entity), self.profile
            self._listed[entity] = 0.0 if values.isdisjoint(p.folded_set) else p.share([t in values for t in p.folded])
        return self._listed[entity]

    def streets(self) -> float:
        """Share of cells with a street word, or with a number beside words."""
        flags = []
        for text, words in zip(self.profile.texts, self.profile.words, strict=True):
            street = any(w in STREET_WORDS or (len(w) > 6 and w.endswith(STREET_ENDINGS)) for w in words)
            flags.append(len(words) > 0 and (street or any(map(str.isdigit, text))) and (" " in text or street))
        return self.profile.share(flags)

    def street_words(self) -> float:
        """Share of cells that are a street word, another word and a number, in an order that street lines have."""
        return self.profile.share([len(t) < 120 and _is_street_line(t) for t in self.profile.folded])

    def medical(self) -> float:
        """Share of cells that are a listed disease or medicine, or hold a word of medicine."""
        listed = self.lexicon.values("HEALTH_CONDITION")
        return self.profile.share([
            t in listed or any(w in MEDICAL_WORDS or (len(w) > 6 and w.endswith(MEDICAL_ENDINGS)) for w in words)
            for t, words in zip(self.profile.folded, self.profile.words, strict=True)
        ])  # fmt: skip

    def digits(self, low: int, high: int) -> float:
        """Share of cells with so many digits, letters apart."""
        p = self.profile
        return p.share([low <= sum(map(str.isdigit, t.removesuffix(".0"))) <= high for t in p.texts])


def _is_street_line(text: str) -> bool:
    parts = [w.strip(".;") for w in text.replace(",", " ").split()]
    if len(parts) < 2:
        return False
    numbers = [i for i, w in enumerate(parts) if w[:1].isdigit() and len(w) <= 7]
    streets = [i for i, w in enumerate(parts) if w in STREET_WORDS or (len(w) > 6 and w.endswith(STREET_ENDINGS))]
    # "12 Oak Street", "calle Mayor 3", "Hauptstrasse 5"; not "road 150 red".
    return bool(numbers and streets) and (
        numbers[0] < streets[-1] or any(n > streets[0] + (0 if len(parts[streets[0]]) > 6 else 1) for n in numbers)
    )
