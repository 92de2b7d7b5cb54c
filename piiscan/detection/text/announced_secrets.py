"""Passwords and keys that a text announces: "password=…", "Passwort: …", "login ann password …", "api_key: …"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from piiscan.core.base64_texts import from_base64
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text.span import Span
from piiscan.rules.definitions import RuleSet

PASSWORD: Final = "password"
KEY: Final = "secret-named"
SCORE: Final = 0.9
"""Set, not measured, as that of rules that count in any text."""
_WORDS: Final = tuple(
    "pass pwd kennwort contrase senha wachtwoord haslo adgangskode kodeord salasana heslo parola".split()
)
_OTHERS: Final = tuple("hasło lösenord şifre jelszó парол パスワード 密码 密碼 비밀번호".split())
"""Words that no text of ASCII has."""
_KEYS: Final = ("key", "token", "secret", "authorization")
_COMMANDS: Final = ("curl ", "mysql")
MAY: Final = f"(?i:{'|'.join((*_WORDS, *_OTHERS, *_KEYS, *_COMMANDS))})|Basic [A-Za-z0-9+/]{{8}}"
"""What a text has that announces one."""
_VALUE: Final = r"(?P<quote>[\"'`]?)(?P<value>[^\s\"'`,;<>|]{4,128})"
_LINK: Final = r"[\"'`\]]{0,2}\s{0,3}(?P<link>[:=]{1,2}>?|：|\b(?:is|ist|est|lautet|was|war)\b)\s{0,3}"
_OF_PASSWORDS: Final = lazy_pattern(
    r"(?<![^\W\d_])(?:(?:pass|pg)?(?:password|passwort|passwd|pwd)|passphrase|kennwort|contraseña|contrasena|senha|wachtwoord"
    r"|hasło|haslo|lösenord|adgangskode|kodeord|passord|salasana|heslo|parola|şifre|jelszó|пароль|парола|パスワード"
    r"|密码|密碼|비밀번호|motdepasse|mot de passe)(?:" + _LINK + r"|(?<=password) )" + _VALUE,
    re.IGNORECASE,
)
_OF_KEYS: Final = lazy_pattern(
    r"(?<![^\W\d_])(?:(?:api|access|secret|client|auth|refresh|session|private|signing|encryption)[ _-]?"
    r"(?:key|token|secret)(?:[ _-]?(?:key|id))?)" + _LINK + r"(?P<quote>[\"'`]?)(?P<value>[A-Za-z0-9_+/=.~-]{16,256})",
    re.IGNORECASE,
)
_OF_HEADERS: Final = lazy_pattern(
    r"\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:basic|bearer|token|apikey)\s+(?P<value>[A-Za-z0-9_+/=.~-]{12,4096})",
    re.IGNORECASE,
)
_BASIC: Final = lazy_pattern(r"\bBasic\s+(?P<value>[A-Za-z0-9+/]{8,1024}={0,2})(?![A-Za-z0-9+/=])")
"""A name and a password, as `Authorization` has them; text in Base64 with a colon in it."""
_OF_COMMANDS: Final = lazy_pattern(
    r"\b(?:curl(?: +-(?!u\b)\S{1,80}(?: +[^\s-]\S{0,80})?){0,6} +-u {0,2}[\"']?[^\s:\"'$]{1,80}:"
    r"|mysql(?:dump|admin)?(?: +-(?!p)\S{1,80}(?: +[^\s-]\S{0,80})?){0,6} +-p)(?P<value>[^\s\"'$`:][^\s\"'`]{3,127})"
)
"""What a command's option has behind a user's name, or behind itself."""
_NETRC: Final = re.compile(r"(?i)\b(?:machine\s+\S+|default)\s+login\s+\S+\s+$")
_OPTION: Final = re.compile(r"--$")
"""The text before a word that only a blank divides from a password."""
_DIGIT: Final = re.compile(r"\d")
_NO_PASSWORD: Final = lazy_pattern(
    r"(?i)(?:null|none|nil|true|false|yes|no|required|incorrect|invalid|wrong|changed|expired|reset|string|str|text|varchar.*|char.*"
    r"|password|passwort|passwd|pwd|secret|undefined|empty|hidden|redacted|masked|filtered|unknown|optional|forgotten"
    r"|vergessen|missing|protected|encrypted|prompt|set|unset|correct|not|the|a|an)[.!?)\]}]*"
    r"|[*•xX.#_:-]+|[\[({<$%&:].*|.*[(){}\[\]\\].*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|/.*|https?:.*"
    r"|.*passw.*|[a-z_]*(?:passphrase|pwd|secret)[a-z_]*|[a-z]+(?:_[a-z]+)+"
)
"""Placeholders, words about passwords, names of variables, and paths."""
_SAYS_NOTHING: Final = re.compile(r"[¿¡]?[^\W\d_]+[.!?:]*")
"""A word, as prose has behind "password is"."""


def secrets(text: str, rules: RuleSet) -> Iterator[Span]:
    """The passwords and keys in a text, in the order of their places."""
    low = text.lower()
    found: list[Span] = []
    if any(word in low for word in _WORDS) or (not low.isascii() and any(word in low for word in _OTHERS)):
        found += _passwords(text, rules)
    if any(word in low for word in _COMMANDS) and (rule := rules.by_id.get(PASSWORD)) is not None:
        for given in _OF_COMMANDS.finditer(text):
            if not _NO_PASSWORD.fullmatch(given["value"]):
                found.append(Span(*given.span("value"), rule.entity, rule.subtype, rule.id, SCORE))
    if any(word in low for word in _KEYS) and (":" in text or "=" in text):
        found += _keys(text, rules)
    if "Basic " in text:
        found += _credentials(text, rules, found)
    yield from sorted(found, key=lambda span: span.start)


def _passwords(text: str, rules: RuleSet) -> Iterator[Span]:
    if (rule := rules.by_id.get(PASSWORD)) is None:
        return
    for found in _OF_PASSWORDS.finditer(text):
        value, link = found["value"].rstrip(".)]}") or found["value"], found["link"]
        if text[found.start() - 1 : found.start()] in ("?", "&"):  # of a URL
            value = value.partition("&")[0]
        if _NO_PASSWORD.fullmatch(value):
            continue
        if not found["quote"] and not _may_be(value, link, text[max(0, found.start() - 80) : found.start()]):
            continue
        start = found.start("value")
        yield Span(start, start + len(value), rule.entity, rule.subtype, rule.id, SCORE)


def _may_be(value: str, link: str | None, before: str) -> bool:
    """Whether a value without quotes may be a password, by the text between it and the word, and before that."""
    if link is None:
        return _NETRC.search(before) is not None or (_OPTION.search(before) is not None and bool(_DIGIT.search(value)))
    if link.isalpha():
        return _DIGIT.search(value) is not None
    return "=" in link or _SAYS_NOTHING.fullmatch(value) is None


def _keys(text: str, rules: RuleSet) -> Iterator[Span]:
    if (rule := rules.by_id.get(KEY)) is None:
        return
    named = [found for found in _OF_KEYS.finditer(text) if _is_key(found["value"])]
    for found in (*named, *_OF_HEADERS.finditer(text)):
        start, value = found.start("value"), found["value"].rstrip(".")
        yield Span(start, start + len(value), rule.entity, rule.subtype, rule.id, SCORE)


def _credentials(text: str, rules: RuleSet, found: Sequence[Span]) -> Iterator[Span]:
    """Names and passwords in Base64 that are not among what was found."""
    taken = {span.start for span in found}
    rule = rules.by_id.get(KEY)
    for basic in _BASIC.finditer(text) if rule is not None else ():
        data = from_base64(basic["value"]) or b""
        if rule is not None and basic.start("value") not in taken and b":" in data[1:] and data.isascii():
            yield Span(*basic.span("value"), rule.entity, rule.subtype, rule.id, SCORE)


def _is_key(value: str) -> bool:
    some = value.rstrip(".")
    return any(map(str.isdigit, some)) and any(map(str.isalpha, some)) and not _NO_PASSWORD.fullmatch(some)
