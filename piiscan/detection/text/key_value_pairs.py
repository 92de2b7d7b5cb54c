r"""Keys and their values, as programs write them into a text: `last_name=Berg`, `"name" => "Ann Lee"`, `{name: 'Ann'}`.

Settings, logs, reprs of objects, hashes of Ruby, hstore of PostgreSQL, Cypher, GraphQL, attributes of markup, cookies,
and what PHP stores. Elements of markup (`<lastName>Berg</lastName>`), rows of two cells, options of commands
(`--last-name Berg`), keywords of Lisp and pairs in brackets, too. A key is one word, but in cells of a table; behind a
colon, a value without quotes ends where its cell, its member or its line does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.signs import Signs
from piiscan.detection.text import keyed_rows

T = TypeVar("T")

IN_LINE: Final = (
    r"[^\W\d_][\\\"'\]]{0,4}[ ]?(?:[:=]|->|;s:\d+:)[=>]?[ ]?(?:[^\W\d_]|[\"'\\])"
    r"|[^\W\d_]\s{0,3}</[^\W\d_]|--[^\W\d_]|:[^\W\d_][\w-]* \"|[(\[][ ]?[\"'][\w .-]{2,40}[\"'],"
    r"|\([\"']|\{[\"']?[a-z_]{2}|\.\.\.|→|(?:changed|updated|modified|set|:) from |rom [\"'`]|value=|\]\]></"
    r"|ike '|IKE '|<> '|!= '| \| |[a-z](?:_[a-z]+|[A-Z][a-z]+)>? +[\"A-Z]|' (?:AS|as|for key) |\t|" + keyed_rows.IN_LINE
)
"""What a text of one line has that may hold one; one of several lines may in any case."""
_KEY: Final = lazy_pattern(
    r"(?<![^\W_.-])(?P<key>[^\W\d_][\w.-]{1,40})"
    r"(?:\\{0,3}[\"'])?[\])]?[ ]?(?:=>|->|:=|=(?![=~])|:(?!:)|;s:\d+:(?=\\{0,3}\"))[ ]?"
    r"(?:(?:Optional|Some|Just|lower|upper|LOWER|UPPER)[( ]|\s{0,6}string\(\d+\) )?"
)
_WORDS: Final = r"[^\W\d_][^\W\d_]*\.?(?:[ '’-][^\W\d_]+\.?){0,3}"
_ENDS: Final = r"(?![^\W_])(?=[ ]?(?:[;|,&)}\]\r\n<>\"'→]|/>|->|\Z|[^\W\d_][\w.-]*[\"']?[ ]?[:=]))"
_QUOTED: Final = lazy_pattern(
    r"(?P<mark>\\{0,3}[\"'])(?P<value>(?:[^\"'\\\r\n]|(?<=[^\W\d_])'(?=[^\W\d_])){2,80})(?P=mark)(?![^\W\d_])"
)
_BARE: Final = lazy_pattern(rf"(?P<value>{_WORDS}){_ENDS}")
_PARTICLE: Final = 3
"""Letters of the words in small letters that names have ("van der")."""
_NAME: Final = r"[^\W\d_]+(?:['’-][^\W\d_]+)*"
_WORD: Final = lazy_pattern(rf"(?P<value>{_NAME})(?=[\s,;)}}\]>\"']|\Z)")
"""The value of `key=value`, whatever is behind it."""
_IN_QUOTES: Final = r"(?P<mark>[\"'])(?P<value>[^\"'\r\n]{2,80})(?P=mark)"
_ONE_KEY: Final = r"(?P<key>[^\W\d_][\w.-]{1,40})"
_KEYS: Final = r"(?P<key>[^\W\d_][\w .-]{1,40})"
"""One of several words."""
_PROGRAMS: Final = r"(?P<key>[a-z]{2,20}(?:_[a-z]{1,20}|[A-Z][a-z]{1,20}){1,3})"
"""One that no sentence has: `last_name`, `lastName`."""
_AT_END: Final = r"(?=[ \t]*(?:[;,\r\n]|\Z))"
_ATTRIBUTE: Final = (
    r"\b(?:[nN]ame|id|key|label|field|class|itemprop|property|[fF]riendlyName)=(?P<q>[\"'])" + _ONE_KEY + "(?P=q)"
)
"""An attribute of an element that says what is in it."""
_CHANGED: Final = (
    r"(?P<key>[^\W\d_][\w.-]{1,40}(?: [nN]ame)?)[\"'`]?:? "
    r"(?:(?:was|has been) )?(?:changed |updated |modified |set )?from "
)
_OTHERS: Final = {
    ("</",): (
        lazy_pattern(
            rf"<(?:[\w-]{{1,20}}:)?{_ONE_KEY}(?:\s[^<>]{{0,200}})?>\s{{0,3}}(?:<!\[CDATA\[)?"
            rf"(?P<value>{_WORDS})(?:\]\]>)?\s{{0,3}}</(?![tT][dDhH]>)"
        ),
        lazy_pattern(
            rf"<t[dh][^<>]{{0,100}}>\s{{0,3}}{_KEYS}:?\s{{0,3}}</t[dh]>\s{{0,9}}"
            rf"<td[^<>]{{0,100}}>\s{{0,3}}(?P<value>{_WORDS})\s{{0,3}}</"
        ),
        lazy_pattern(
            rf"<(?P<tag>dt|b|strong|label|em|span)(?:\s[^<>]{{0,100}})?>\s{{0,3}}{_KEYS}:?\s{{0,3}}</(?P=tag)>:?\s{{0,9}}"
            rf"(?:<(?:dd|span|div|p)(?:\s[^<>]{{0,100}})?>\s{{0,3}})?(?P<value>{_WORDS})\s{{0,3}}(?=<|[\r\n]|\Z)"
        ),
        lazy_pattern(
            rf"<[\w:-]{{1,30}}\s[^<>]{{0,100}}?{_ATTRIBUTE}(?:\s[^<>/]{{0,100}})?>\s{{0,3}}(?:<[\w:]{{1,30}}>\s{{0,3}})?"
            rf"(?P<value>{_WORDS})\s{{0,3}}</"
        ),
    ),
    ("value=",): (
        lazy_pattern(rf"<[\w:-]{{1,30}}\s(?=[^<>]{{0,200}}?{_ATTRIBUTE})[^<>]{{0,200}}?\bvalue={_IN_QUOTES}"),
        lazy_pattern(rf"<(?:[\w-]{{1,20}}:)?{_ONE_KEY}\s(?:[^<>]{{0,80}}\s)?value={_IN_QUOTES}"),
    ),
    ("--",): (
        lazy_pattern(rf"(?<![\w-])--(?P<key>[^\W\d_][\w-]{{1,40}}) (?P<value>{_NAME})(?=\s|\Z)"),
        lazy_pattern(rf"(?<![\w-])--(?P<key>[^\W\d_][\w-]{{1,40}}) {_IN_QUOTES}"),
    ),
    (' "',): (lazy_pattern(r"(?<![\w:]):(?P<key>[^\W\d_][\w-]{1,40}) \"(?P<value>[^\"\r\n]{2,80})\""),),
    ("',", '",'): (lazy_pattern(rf"[(\[][ ]?[\"']{_KEYS}[\"'],[ ]?{_IN_QUOTES}[ ]?[)\]]"),),
    ("{",): (lazy_pattern(rf"\{{[ ]?[\"']?{_ONE_KEY}[\"']?,[ ]?(?:<<)?{_IN_QUOTES}(?:/utf8)?(?:>>)?[ ]?\}}"),),
    ("('", '("'): (lazy_pattern(rf"(?<![^\W_]){_ONE_KEY}\([ ]?{_IN_QUOTES}[ ]?\)"),),
    (' "', '> "'): (lazy_pattern(rf"(?<![^\W_]){_PROGRAMS}>? \"(?P<value>[^\"\r\n]{{2,80}})\""),),
    ("\t",): (lazy_pattern(rf"^{_KEYS}\t+(?P<value>{_WORDS})[ \t]*$", re.MULTILINE),),
    ("_", "Name "): (lazy_pattern(rf"^[ \t]*{_PROGRAMS}[ ]+(?P<value>{_WORDS})[ \t]*$", re.MULTILINE),),
    ("' AS ", "' as "): (lazy_pattern(rf"'(?P<value>[^'\r\n]{{2,80}})' (?:AS|as) [\"`]?{_ONE_KEY}"),),
    ("' for key '",): (lazy_pattern(rf"'(?P<value>[^'\r\n]{{2,80}})' for key '(?:[\w-]{{1,60}}\.)?{_ONE_KEY}'"),),
    ("[1] ",): (lazy_pattern(rf"\${_ONE_KEY}\r?\n\[1\] {_IN_QUOTES}"),),
    ("...",): (lazy_pattern(rf"^[ \t]{{0,9}}{_KEYS}\.{{3,}}[ ]?(?P<value>{_WORDS}){_AT_END}", re.MULTILINE),),
    ("→",): (
        lazy_pattern(rf"(?:^|[;,])[ \t]{{0,9}}{_KEYS}→[ ]?(?P<value>{_WORDS}){_AT_END}", re.MULTILINE),
        lazy_pattern(rf"(?<![^\W_]){_ONE_KEY}[\"']?:[ ]?[\"']?{_WORDS}[\"']?[ ]?→[ ]?[\"']?(?P<value>{_WORDS})"),
    ),
    ("->",): (
        lazy_pattern(rf"(?<![^\W_]){_ONE_KEY}[\"']?:[ ]?[\"']?{_WORDS}[\"']?[ ]?->[ ]?[\"']?(?P<value>{_WORDS})"),
    ),
    (" from ",): (
        lazy_pattern(rf"(?<![^\W_]){_CHANGED}[\"'`]?(?P<value>{_WORDS})[\"'`]? to\b"),
        lazy_pattern(
            rf"(?<![^\W_]){_CHANGED}[\"'`]?{_WORDS}[\"'`]? to [\"'`]?(?P<value>{_WORDS})(?=[\"'`.,;)\r\n]|\Z)"
        ),
    ),
    (" | ",): (lazy_pattern(rf"^[ ]?{_ONE_KEY}[ ]+\|[ ](?P<value>{_WORDS})[ ]*$", re.MULTILINE),),
    ("IKE '", "ike '", "IN ('", "in ('", "<> '", "!= '"): (
        lazy_pattern(
            rf"(?<![^\W_]){_ONE_KEY}[\"`\]]?\s+(?:NOT\s+)?(?:I?LIKE|IN \(|<>|!=)\s?"
            r"'%?(?P<value>[^'%\r\n]{2,80})%?'",
            re.IGNORECASE,
        ),
    ),
    ('name="',): (lazy_pattern(rf"\bname=\"{_ONE_KEY}\"\r?\n\r?\n(?P<value>[^\"\r\n]{{2,80}})(?=\r?\n|\Z)"),),
    ("\n",): (
        lazy_pattern(
            rf"^[ \t]{{0,9}}{_KEYS}:?[ \t]{{0,3}}\r?\n(?=[ \t]{{0,9}}(?P<value>{_WORDS})[ \t]{{0,9}}(?:[\r\n]|\Z))",
            re.MULTILINE,
        ),
    ),
}
"""The patterns of other notations, by parts of which their texts have one."""
_BY_PART: Final = [(part, patterns) for parts, patterns in _OTHERS.items() for part in parts]
_PARTS: Final = Signs(part for part, _ in _BY_PART)


def pairs(text: str, names: Callable[[str], T | None]) -> Iterator[tuple[T, int, int]]:
    """What keys in a text name, and where their values begin and end; not of keys that name nothing."""
    for part, patterns in _BY_PART if _PARTS.are_in(text) else ():
        if part in text:
            for pattern in patterns:
                for found in pattern.finditer(text):
                    if named := names(found["key"].strip()):
                        yield named, *found.span("value")
    yield from keyed_rows.cells_by_keys(text, names)
    if ":" not in text and "=" not in text and "->" not in text:
        return
    for found in _KEY.finditer(text):
        named = names(found["key"])
        if not named:
            continue
        at = found.end()
        value = _QUOTED.match(text, at) or _BARE.match(text, at)
        if found[0].endswith("=") and (value is None or _goes_on(value["value"])):
            value = _WORD.match(text, at)
        if value is not None:
            yield named, *value.span("value")


def _goes_on(value: str) -> bool:
    """Whether a sentence goes on behind the first word of a value, which isn't in quotes."""
    return any(word.islower() and len(word) > _PARTICLE for word in value.split()[1:])
