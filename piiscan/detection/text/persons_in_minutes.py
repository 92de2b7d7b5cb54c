"""Persons behind labels of minutes, reports and patches: "Present: A. Berg, Kernweiler", "Chair: …", "Reviewed-by: …".

Such a label stands before names and nothing else, so no list has to know them. It says little where it stands before
other things as well ("Present: fever, cough"): there only names of two words count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text.token_features import In


def _labels(text: str) -> frozenset[str]:
    return frozenset(" ".join(label.split()) for label in text.split(","))


_SURELY: Final = _labels(
    """
    apologies, members present, members absent, also present, in attendance, apologies for absence,
    anwesend, anwesende, entschuldigt, unentschuldigt, abwesend, présents, excusés, absents excusés, étaient
    présents, asistentes, presenti, assenti, assenti giustificati, aanwezig, afwezig, aanwezigen, afwezigen,
    obecni, nieobecni, přítomni, nepřítomni, omluveni, närvarande, frånvarande, läsnä, poissa, katılanlar,
    katılmayanlar, toplantıya katılanlar, присутствовали, отсутствовали, присутствующие, присутні, відсутні,
    παρόντες, απόντες, jelen vannak, jelenlévők, 出席者, 欠席者, 出席人员, 缺席人员, 与会人员, 参会人员, 참석자, 불참자
    """
)
_MAYBE: Final = _labels(
    """
    present, absent, attendees, participants, regrets, excused, chair, chairperson, chairman, chairwoman,
    registrant, registrant name, registrant contact, person, admin contact,
    minutes by, minute taker, minutes taken by, secretary, note taker, facilitator, reviewer, reviewers,
    approver, approvers, author, authors, contributors, maintainer, maintainers, written by, prepared by,
    reviewed by, approved by, translated by, checked by, teilnehmer, teilnehmende, teilnehmer:innen,
    teilnehmerinnen und teilnehmer, gäste, sitzungsleitung, versammlungsleitung, versammlungsleiter,
    protokollführer, protokollführerin, protokollführung, protokollant, protokollantin, schriftführer,
    schriftführerin, vorsitzender, vorsitzende, sachbearbeiter, sachbearbeiterin, ansprechpartner,
    ansprechpartnerin, bearbeiter, bearbeiterin, absents, participants, invités, président, présidente,
    secrétaire, rédacteur, rédactrice, ausentes, presentes, participantes, secretario, secretaria,
    presidente, presidenta, redactor, redactora, partecipanti, segretario, segretaria, verbalizzante,
    síndico, síndica, secretário, secretária, deelnemers, voorzitter, notulist, uczestnicy, przewodniczący,
    przewodnicząca, protokolant, sekretarz, účastníci, předseda, zapisovatel, deltagare, deltagere,
    ordförande, sekreterare, referent, mødeleder, osallistujat, puheenjohtaja, sihteeri, katılımcılar,
    başkan, katip, участники, председатель, секретарь, учасники, голова, συμμετέχοντες, πρόεδρος,
    γραμματέας, résztvevők, elnök, 参加者, 司会, 議長, 主持人, 记录人, 사회자, 서기
    """
)
_TRAILER: Final = lazy_pattern(
    r"(?<![^\W_])(?:Reviewed|Signed-off|Acked|Tested|Reported|Suggested|Co-authored|Approved|Helped|Co-developed|Authored)"
    r"-[Bb]y:[ \t]{1,3}(?P<name>[^\W\d_][^\W\d_'’.-]*(?:[ '’.-]{1,2}[^\W\d_]+){1,4})(?=[ \t]{0,9}(?:[<(,\r\n]|\Z))"
)
_ONE: Final = r"[^\W\d_](?:[^\W\d_]|['’.-])*"
_PERSON: Final = lazy_pattern(rf"{_ONE}(?: {_ONE}){{0,4}}")
_DENSE: Final = lazy_pattern(r"[\u3005\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,5}(?:[ \u3000・][^\W\d_]{1,8})?")
_BETWEEN: Final = lazy_pattern(r"\s*(?:[,;/、，；・]|(?<=\s)(?:and|und|et|y|e|en|och|og|i|ve|и|και|a|és|&)(?=\s))\s*")
_ASIDE: Final = lazy_pattern(r"\s*[(（\[][^()（）\[\]]{0,60}[)）\]]")
_AROUND: Final = " \t*_#+>•·–-\"'"
_LONGEST_LABEL: Final = 40
_LONGEST: Final = 1000
_OTHER: Final = In.COMMON | In.ORGANISATION | In.JOB | In.TIME | In.COUNTRY | In.FUNCTION | In.CITY
_KNOWN: Final = In.GIVEN | In.FAMILY
_NOBODY: Final = frozenset(
    """
    none nobody everyone all yes no true false received tbd tba unknown quorum
    developers team board committee department group master community contributors foundation office council
    maintainers consortium project authors
    niemand keine keiner alle alles ja nein vorstand abteilung personne aucun tous néant nessuno tutti nadie ninguno
    todos
    ninguém nenhum brak wszyscy zarząd nikdo yok herkes нет все никто κανείς 全員 全员 全体 未定 なし 無し 없음 전원
    """.split()
)
_OF_OFFICES: Final = tuple("部課会社科組室局係部门处组")
"""What names of departments end with."""


def in_minutes(text: str, lists: Callable[[str], int]) -> Iterator[tuple[int, int]]:
    """The places of names behind such labels."""
    if ":" not in text and "：" not in text:
        return
    for found in _TRAILER.finditer(text) if "y: " in text else ():
        if all(_may_be_name(word, lists) for word in found["name"].split()):
            yield found.span("name")
    at = 0
    for line in text.splitlines(keepends=True):
        label, mark, rest = line.partition("：" if "：" in line and ":" not in line else ":")
        if mark and len(label) <= _LONGEST_LABEL and 2 < len(rest) <= _LONGEST:
            word = label.strip(_AROUND).casefold()
            if word in _SURELY or word in _MAYBE:
                yield from _listed(text, at + len(label) + 1, at + len(line), word in _SURELY, lists)
        at += len(line)


def _listed(text: str, start: int, end: int, surely: bool, lists: Callable[[str], int]) -> Iterator[tuple[int, int]]:
    """The parts of a list, if all of them may be names."""
    inner = text[start:end].strip()
    if inner[:1] == "[" and inner[-1:] == "]":
        start = text.index("[", start) + 1
        end = text.rindex("]", start, end)
    places, at = [], start
    for stop, after in (*(mark.span() for mark in _BETWEEN.finditer(text, start, end)), (end, end)):
        aside = _ASIDE.search(text, at, stop)
        piece = text[at : stop if aside is None else aside.start()]
        name = piece.strip(_AROUND + ".\r\n")
        if name:
            first = at + piece.index(name)
            titled = _without_titles(name, lists)
            places.append((first + len(name) - len(titled), first + len(name)))
        at = after
    names = [text[first:stop] for first, stop in places]
    if not names or not all(_is_name(name, lists) for name in names):
        return
    if surely or all(" " in name or _DENSE.fullmatch(name) for name in names):
        yield from places


def _without_titles(name: str, lists: Callable[[str], int]) -> str:
    """A name without the titles before it: "Frau Dr. Berg"."""
    while (rest := name.partition(" ")[2].lstrip()) and lists(name.partition(" ")[0].strip(".")) & In.TITLE:
        name = rest
    return name


def _is_name(text: str, lists: Callable[[str], int]) -> bool:
    if not text.isascii() and _DENSE.fullmatch(text) is not None:
        return text not in _NOBODY and not text.endswith(_OF_OFFICES)
    return _PERSON.fullmatch(text) is not None and all(_may_be_name(word, lists) for word in re.split("[ -]", text))


def _may_be_name(word: str, lists: Callable[[str], int]) -> bool:
    """Whether a word may be of a name: it has a capital, and isn't known as something else."""
    word = word.strip(".'’")
    if not word or word.lower() in _NOBODY or (word[0].islower() and len(word) > 3):
        return False
    found = lists(word)
    return bool(found & _KNOWN) or not found & _OTHER
