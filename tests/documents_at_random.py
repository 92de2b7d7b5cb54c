"""Documents of keys and values at random, in many ways of writing the same."""

from __future__ import annotations

import json
import random
import re
import zlib
from typing import Any

WORDS = "anna kowalska Müller hunter-42 x@post.example 2019-03-04 0341 5550187 yes null 12 1e5 true o'Neil".split()
ODD = 'a: b;# no;say "hi";it\'s;[x;{y;- z;*s;&t;!u;%v;@w;`;a,b;back\\slash;😀'.split(";")
NEW = [
    *";Ann Lee;12;-7;007;1e5;null;~;yes;n;0x1F;2020-01-02;12:30;a: b;a:;x #y;#z;it's;é😀;- x;-x;[x;x];a, b".split(";"),
    *"*a;&b;!c;%d;@e;`f;{g;?;? h;|;>;back\\slash;\\u00e4;';'';$HOME;a=b;=;<<;---;...".split(";"),
    "'" * 3,
    '"',
    '"' * 3,
    'q"q',
    "\u2028",
    "\x7f",
    "\x85",
]


def mask(cell: object) -> object:
    """A mask of a cell that tells its value from others, and has something odd in it."""
    if isinstance(cell, list):
        return [mask(element) for element in cell]
    if cell is None:
        return None
    code = zlib.crc32(str(cell).encode("utf-8", "surrogatepass"))
    return NEW[code % len(NEW)] if code % 7 else f"m{code}{NEW[code % len(NEW)]}"


def text(rng: random.Random, lines: bool) -> str:
    """A value of some words, maybe odd ones, maybe in lines."""
    if rng.random() < 0.1:
        return rng.choice(["", *ODD])
    parts = [rng.choice(WORDS if rng.random() < 0.85 else ODD) for _ in range(rng.randint(1, 8))]
    return "".join(part + rng.choice([" ", " ", " ", "\n", "\n\n", "\n "] if lines else [" "]) for part in parts).strip(
        "\n " if rng.random() < 0.5 else " "
    )


def key(rng: random.Random) -> str:
    """A key, seldom an odd one."""
    return rng.choice(["name", "email", "id", "note", "born", "Phone No", "über", "a.b", "x-y", "value"]) + rng.choice(
        ["", "", "1", "2", "_k"]
    )


def tree(rng: random.Random, depth: int = 0, lines: bool = True) -> Any:
    """Objects and lists within one another."""
    kind = rng.random()
    if depth > 3 or (depth and kind < 0.55):
        return text(rng, lines) if rng.random() < 0.8 else rng.choice([12, 1.5, True, -3])
    if depth == 0 or kind < 0.8:
        return {key(rng): tree(rng, depth + 1, lines) for _ in range(rng.randint(1, 5))}
    if rng.random() < 0.5:
        names = [key(rng) for _ in range(3)]
        return [{name: text(rng, lines) for name in names} for _ in range(rng.randint(1, 4))]
    return [tree(rng, depth + 1, lines) for _ in range(rng.randint(1, 4))]


def yaml(rng: random.Random) -> tuple[str, Any]:
    """A text of YAML, and what it stands for: with comments, anchors, tags and scalars of all styles."""
    value = tree(rng)
    out: list[str] = ["# made up\n"] if rng.random() < 0.3 else []
    if rng.random() < 0.2:
        out.append("---\n")
    _yaml(rng, value, 0, out, [0])
    return "".join(out), value


def _yaml(rng: random.Random, value: Any, indent: int, out: list[str], count: list[int]) -> None:
    pad = " " * indent
    if rng.random() < 0.1:
        out.append(f"{pad}# a note\n")
    if isinstance(value, dict):
        for name, inner in value.items():
            out.append(pad + _scalar(rng, name, indent, is_key=True) + ":")
            _yaml_value(rng, inner, indent, out, count)
    else:
        for inner in value:
            out.append(pad + "-")
            _yaml_value(rng, inner, indent, out, count)


def _yaml_value(rng: random.Random, value: Any, indent: int, out: list[str], count: list[int]) -> None:
    if isinstance(value, dict | list) and value:
        if rng.random() < 0.15:
            out.append(f" {_flow(rng, value)}\n")
            return
        if rng.random() < 0.1:
            count[0] += 1
            out.append(f" &a{count[0]}")
        out.append("\n")
        _yaml(rng, value, indent + rng.choice([1, 2, 4]), out, count)
        return
    properties = ""
    if rng.random() < 0.1:
        count[0] += 1
        properties = f"&a{count[0]} "
    if isinstance(value, str) and rng.random() < 0.1:
        properties += "!!str "
    out.append(" " + properties + _scalar(rng, value, indent) + "\n")


def _flow(rng: random.Random, value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(rng, key)}: {_flow(rng, inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + rng.choice([", ", ","]).join(_flow(rng, inner) for inner in value) + rng.choice(["", ","]) + "]"
    made = _scalar(rng, value, 0, is_key=True)
    return json.dumps(value, ensure_ascii=False) if re.search(r"[,\[\]{}]", made) and made[0] not in "\"'" else made


def _scalar(rng: random.Random, value: Any, indent: int, is_key: bool = False) -> str:
    import yaml as library

    if not isinstance(value, str):
        return json.dumps(value)
    styles = [lambda: json.dumps(value, ensure_ascii=False)]
    if "\n" not in value:
        styles.append(lambda: "'" + value.replace("'", "''") + "'")
        try:
            if value and library.safe_load(f"k: {value}") == {"k": value} and " #" not in value:
                styles += [lambda: value] * 3
        except library.YAMLError:
            pass
    lines = value.rstrip("\n").split("\n")
    if not is_key and value.strip() and not lines[0].startswith((" ", "\t")) and lines[0]:
        pad = " " * (indent + rng.choice([1, 2, 3]))
        ends = len(value) - len(value.rstrip("\n"))
        header = "-" if ends == 0 else "" if ends == 1 else "+"
        comment = rng.choice(["", "", "  # of it"])
        body = "\n".join(pad + line if line else "" for line in lines) + "\n" * (ends - 1)
        styles += [lambda: f"|{header}{comment}\n{body}"] * 2
        if not any(line.startswith(" ") for line in lines):
            apart = re.sub("(\n+)", r"\1\n", "\n".join(lines))
            folded = "\n".join(pad + line if line else "" for line in apart.split("\n"))
            styles += [lambda: f">{header}{comment}\n{folded}" + "\n" * (ends - 1)] * 2
    made = rng.choice(styles)()
    return made + rng.choice(["", "", "", "  # why"]) if not is_key and made[0] not in "|>" else made


def toml(rng: random.Random) -> tuple[str, Any]:
    """A text of TOML, and what it stands for."""
    value = tree(rng)
    out: list[str] = ["# made up\n"] if rng.random() < 0.3 else []
    _toml(rng, value, "", out)
    return "".join(out), value


def _toml(rng: random.Random, value: dict[str, Any], path: str, out: list[str]) -> None:
    later = []
    for name, inner in value.items():
        if (isinstance(inner, dict) and rng.random() < 0.8) or (
            isinstance(inner, list) and inner and all(isinstance(v, dict) for v in inner) and rng.random() < 0.8
        ):
            later.append((name, inner))
        else:
            out.append(f"{_toml_key(rng, name)} = {_toml_value(rng, inner)}{rng.choice(['', '', '  # why'])}\n")
    for name, inner in later:
        here = f"{path}.{_toml_key(rng, name)}" if path else _toml_key(rng, name)
        if isinstance(inner, list):
            for element in inner:
                out.append(f"\n[[{here}]]\n")
                _toml(rng, element, here, out)
        else:
            out.append(f"\n[{here}]  # of it\n")
            _toml(rng, inner, here, out)


def _toml_key(rng: random.Random, name: str) -> str:
    if re.fullmatch("[A-Za-z0-9_-]+", name) and rng.random() < 0.8:
        return name
    return json.dumps(name, ensure_ascii=False) if rng.random() < 0.5 else f"'{name}'"


def _toml_value(rng: random.Random, value: Any) -> str:
    if isinstance(value, dict):
        pairs = (f"{_toml_key(rng, name)} = {_toml_value(rng, inner)}" for name, inner in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, list):
        between = rng.choice([", ", ",\n  ", ", # one\n "])
        return "[" + between.join(_toml_value(rng, inner) for inner in value) + rng.choice(["", ",", "\n"]) + "]"
    if not isinstance(value, str):
        return json.dumps(value)
    styles = [json.dumps(value, ensure_ascii=False)]
    if "'" not in value:
        styles += (
            [f"'{value}'"] if "\n" not in value else [f"'''{value}'''" if value[:1] != "\n" else f"'''\n{value}'''"]
        )
    if "\\" not in value and '"' not in value:
        styles.append(f'"""\n{value}"""')
    return rng.choice(styles)


def ini(rng: random.Random) -> tuple[str, Any]:
    """A text of settings in sections, and what it stands for."""
    sections: dict[str, dict[str, str]] = {}
    out = ["; made up\n"] if rng.random() < 0.3 else []
    for _ in range(rng.randint(1, 4)):
        name = "s" + key(rng)
        if name in sections:
            continue
        out.append(f"[{name}]{rng.choice(['', '  '])}\n")
        section = sections[name] = {}
        for _ in range(rng.randint(1, 5)):
            head = re.sub(r"\W", "_", key(rng)).lower()
            if head in section:
                continue
            value = text(rng, lines=False).strip()
            section[head] = value
            if value[:1] in "\"'`":
                value = section[head] = "v" + value
            indent = rng.choice(["", "", "# note\n"])
            out.append(f"{indent}{head}{rng.choice(['=', ' = ', ': '])}{value}\n")
            if rng.random() < 0.2:
                more = text(rng, lines=False).strip() or "x"
                more = "m" + more if more[:1] in "#;![" else more
                section[head] += f"\n{more}"
                out.append(f"   {more}\n")
    return "".join(out), sections


def env(rng: random.Random) -> tuple[str, Any]:
    """A file of environment variables, and what it stands for."""
    values: dict[str, str] = {"FIRST": "x"}
    out = ["# made up\n", "FIRST=x\n"][rng.random() < 0.7 :]
    for _ in range(rng.randint(1, 8)):
        name = re.sub(r"\W", "_", key(rng)).upper()
        if name in values:
            continue
        value = text(rng, lines=False).strip()
        styles = [mark + value + mark for mark in "\"'" if mark not in value and "\\" not in value]
        if re.fullmatch(r"[\w@.+-]*", value):
            styles.append(value)
        if not styles:
            continue
        values[name] = value
        out.append(f"{rng.choice(['', 'export '])}{name}={rng.choice(styles)}\n")
    return "".join(out), values
