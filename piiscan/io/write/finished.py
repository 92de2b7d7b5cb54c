"""Files that an interrupted run had finished, and a later one keeps, checked by digests.

The digests are of their inputs and of themselves.

Digests are keyed, so that nobody can try values on those of small files. The journal's first line holds keyed digests
of what else the outputs depend on.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from piiscan.io.content import ReadTable
from piiscan.io.write.change import Resumed
from piiscan.io.write.journal import Journal
from piiscan.io.write.publishing import PUBLISH, synced
from piiscan.io.write.staging import Staging, token_of

_VERSION: Final = 1
_BYTES: Final = 32
CHANGED: Final = "their inputs have changed"
DAMAGED: Final = "they were changed since"
OTHERWISE: Final = "their masks can't be recovered from their contents"


class Digests:
    """Keyed digests under one secret. The journal holds `salt`."""

    def __init__(self, salt: str, secret: Callable[[str], bytes] | None) -> None:
        self.salt = salt
        self._key = bytes.fromhex(salt) if secret is None else secret(salt)

    @classmethod
    def fresh(cls, secret: Callable[[str], bytes] | None) -> Digests:
        return cls(secrets.token_hex(_BYTES), secret)

    @classmethod
    def of_run(cls, target: Path, secret: Callable[[str], bytes] | None) -> Digests:
        """The digests of the interrupted run that was to write the folder `target`, where there is one."""
        head = _head(Journal(target / f".piiscan-{token_of(target)}~journal"))
        with suppress(ValueError, TypeError, KeyError):
            if len(bytes.fromhex(head["salt"])) == _BYTES:
                return cls(head["salt"], secret)
        return cls.fresh(secret)

    def text(self, text: str) -> str:
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=_BYTES).hexdigest()

    def file(self, path: Path) -> str:
        """Raises `OSError`."""
        digest = hashlib.blake2b(key=self._key, digest_size=_BYTES)
        with open(path, "rb", buffering=0) as file:
            while block := file.read(1 << 20):
                digest.update(block)
        return digest.hexdigest()


class Resumption(NamedTuple):
    """What a run that can be resumed tells `rewrite`.

    `about`: what all outputs depend on, by what people call it; `inputs`: digests of input files, by source. `wanted`:
    files that an earlier run finished are kept.

    `lasts` says whether the output of an input, by source, would be the same in another run; `again` is shown an
    input, by source, its tables and where its output lies that is to be kept, and says whether it can be.
    """

    digests: Digests
    about: Mapping[str, str]
    inputs: Mapping[str, str]
    wanted: bool
    lasts: Callable[[str], bool]
    again: Callable[[str, Sequence[ReadTable], Path], bool]


class Finished:
    """The files of a run that are finished: those that an earlier one left, where they are `wanted`, and new ones."""

    def __init__(self, staging: Staging, resumption: Resumption) -> None:
        self._staging, self._asked = staging, resumption
        self._journal = staging.journal
        self._again: dict[str, int] = {}
        self._kept = 0
        self._begun = False
        self._before = self._left_before()

    def _left_before(self) -> dict[str, _Entry]:
        """The files that an earlier run left, by source. Raises `OSError`."""
        entries = {e.source: e for r in self._journal.records if (e := _Entry.of(r, self._staging)) is not None}
        about = _head(self._journal).get("about")
        if self._asked.wanted and entries and about == self._about:
            self._journal.begin(self._journal.records)  # without the torn line that it may end with
            self._begun = True
            for entry in entries.values():
                self._staging.adopt(entry.path)
            return entries
        for entry in entries.values():
            self._staging.discard(entry.path)
        self._journal.remove()
        if self._asked.wanted and entries:
            told = about if isinstance(about, dict) else {}
            other = [name for name in self._about if told.get(name) != self._about[name]]
            self._count(f"{' and '.join(other)} changed", len(entries))
        return {}

    @property
    def _about(self) -> dict[str, str]:
        return {name: self._asked.digests.text(text) for name, text in self._asked.about.items()}

    def take(self, source: str, folder: Path) -> Path | None:
        """Where, in `folder`, the output of an input is that an earlier run has finished.

        None where there is none, or one that can't be kept.
        """
        entry = self._before.pop(source, None)
        if entry is None:
            return None
        reason = self._reason(entry) if entry.path.parent == folder else DAMAGED
        if reason is None:
            return entry.path
        self.refuse(entry.path, reason)
        return None

    def _reason(self, entry: _Entry) -> str | None:
        if self._asked.inputs.get(entry.source) != entry.input:
            return CHANGED
        try:
            same = entry.path.is_file() and self._asked.digests.file(entry.path) == entry.output
        except OSError:
            same = False
        return None if same else DAMAGED

    def refuse(self, path: Path, reason: str = OTHERWISE) -> None:
        """Note that an output isn't kept, and why."""
        self._count(reason, 1)
        self._staging.discard(path)

    def again(self, source: str, tables: Sequence[ReadTable], path: Path) -> bool:
        """Whether the output at `path` can be kept, which was made of these tables."""
        return self._asked.again(source, tables, path)

    def keep(self, path: Path) -> None:
        """Note that an output is kept."""
        self._kept += 1
        self._staging.keeps.add(path)

    def add(self, source: str, path: Path) -> None:
        """Note that an output is finished; it stays if the run ends early. Raises `OSError`."""
        input_digest = self._asked.inputs.get(source)
        if input_digest is None or not self._asked.lasts(source):
            return
        synced(path)
        if not self._begun:
            head = {"piiscan": _VERSION, "salt": self._asked.digests.salt, "about": self._about}
            self._journal.begin([head])
            self._begun = True
        root = self._journal.path.parent
        self._journal.add(
            {
                "file": source,
                "staged": path.relative_to(root).as_posix(),
                "input": input_digest,
                "output": self._asked.digests.file(path),
            }
        )
        self._staging.keeps.add(path)

    def close(self) -> Resumed:
        """Remove what is left of an earlier run: all inputs have been seen."""
        for entry in self._before.values():
            self.refuse(entry.path, "their inputs are gone")
        self._before = {}
        return Resumed(self._kept, tuple(sorted(self._again.items())))

    def _count(self, reason: str, n: int) -> None:
        self._again[reason] = self._again.get(reason, 0) + n


class _Entry(NamedTuple):
    source: str
    path: Path
    input: str
    output: str

    @classmethod
    def of(cls, record: Mapping[str, Any], staging: Staging) -> _Entry | None:
        found = [record.get(name) for name in ("file", "staged", "input", "output")]
        if not all(isinstance(text, str) for text in found):
            return None
        source, staged, *digests = found
        path = staging.journal.path.parent / str(staged)
        if ".." in path.parts or not path.name.startswith(f".piiscan-{staging.token}~"):
            return None
        return cls(str(source), path, *map(str, digests))


def _head(journal: Journal) -> dict[str, Any]:
    first = journal.records[0] if journal.records else {}
    return first if first.get("piiscan") == _VERSION else {}


def left_by_a_run(target: Path) -> int:
    """How many finished files a run that ended early has left for the next one below the folder `target`."""
    journal = Journal(target / f".piiscan-{token_of(target)}~journal")
    return sum("staged" in record for record in journal.records if PUBLISH not in record)
