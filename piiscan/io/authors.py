"""Which properties of documents and workbooks say who wrote them, and what programs write there for nobody."""

from __future__ import annotations

from typing import Final

PROPERTIES: Final = frozenset(("creator", "lastModifiedBy", "initial-creator", "printed-by", "Manager"))
"""Of Office Open XML and OpenDocument."""
_NOBODY: Final = frozenset(
    (
        *"openpyxl xlsxwriter python-docx python-pptx un-named libreoffice microsoft user benutzer anwender".split(),
        *"admin administrator administrateur administrador unknown unbekannt inconnu desconocido".split(),
        *"author autor auteur owner".split(),
        *("apache poi", "microsoft office user", "microsoft office-anwender", "microsoft office-benutzer"),
        *("utilisateur de microsoft office", "usuario de microsoft office", "windows user", "windows-benutzer"),
        *("utilisateur windows", "usuario de windows", "excel user", "office user"),
    )
)


def is_nobody(name: str) -> bool:
    """Whether a program writes this for a person whom it doesn't know."""
    return name.strip().lower() in _NOBODY
