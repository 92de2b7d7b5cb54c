"""Messages and records in notations of their own, with the same rows in them as in other files."""

from __future__ import annotations

from .needles import Parts

Rows = list[list[str]]


def hl7(table: Rows, parts: Parts) -> bytes:
    segments = [f"OBX|{i}|ST|{c}||{a}||{b}" for i, (a, b, c) in enumerate(table[1:], 1)]
    note = [f"NTE|1||{parts['comment']}"] if "comment" in parts else []
    lines = ["MSH|^~\\&|LAB|A|||202403011200||ORU^R01|1|P|2.5", f"PID|1||{table[1][1]}", *segments, *note]
    return ("\r".join(lines) + "\r" + parts.get("trailer", "") + "\r").encode()


def x12(table: Rows, parts: Parts) -> bytes:
    head = f"ISA*00*{'':10}*00*{'':10}*ZZ*{'A':15}*ZZ*{'B':15}*240301*1253*^*00501*000000905*1*T*>~"
    segments = [f"LX*{i}~\nREF*ZZ*{b}~\nNTE*ADD*{a}>{c}~" for i, (a, b, c) in enumerate(table[1:], 1)]
    note = [f"K3*{parts['comment']}~"] if "comment" in parts else []
    return ("\n".join([head, *segments, *note, "IEA*1*000000905~"]) + "\n" + parts.get("trailer", "")).encode()


def edifact(table: Rows, parts: Parts) -> bytes:
    def cell(text: str) -> str:
        return "".join(f"?{c}" if c in "?+:'" else c for c in text)

    segments = [f"LIN+{i}++{cell(c)}'IMD+F+{cell(b)}+{cell(a)}'" for i, (a, b, c) in enumerate(table[1:], 1)]
    note = [f"FTX+AAI+++{cell(parts['comment'])}'"] if "comment" in parts else []
    text = "".join(["UNA:+.? 'UNB+UNOC:3+A+B+240301:0912+1'", *segments, *note, "UNZ+1+1'"])
    return (text + parts.get("trailer", "")).encode()


def mt940(table: Rows, parts: Parts) -> bytes:
    bookings = [f":61:2407020702D{b},00NMSC\n:86:177?00{c}?20{a}?21of wood" for a, b, c in table[1:]]
    note = [f":86:{parts['comment']}"] if "comment" in parts else []
    lines = [":20:START", ":25:9", ":28C:9/1", *bookings, *note, ":62F:C240702EUR1,78", "-"]
    return ("\n".join(lines) + "\n" + parts.get("trailer", "") + "\n").encode()


def qif(table: Rows, parts: Parts) -> bytes:
    records = [f"T{b}\nP{a}\nL{c}\n^\n" for a, b, c in table[1:]]
    note = f"M{parts['comment']}\n^\n" if "comment" in parts else ""
    return ("!Type:Cash\n" + "".join(records) + note).encode()


def gedcom(table: Rows, parts: Parts) -> bytes:
    records = [f"0 @S{i}@ SOUR\n1 TITL {a}\n1 NUMB {b}\n1 ABBR {c}\n" for i, (a, b, c) in enumerate(table[1:], 1)]
    note = f"0 @N1@ SUBM\n1 NOTE {parts['comment']}\n" if "comment" in parts else ""
    return ("0 HEAD\n1 CHAR UTF-8\n" + "".join(records) + note + "0 TRLR\n" + parts.get("trailer", "") + "\n").encode()


def rtf(table: Rows, parts: Parts) -> bytes:
    def cell(text: str) -> str:
        return "".join(f"\\{c}" if c in "\\{}" else c if c.isascii() else f"\\u{ord(c)}?" for c in text)

    lines = [f"\\trowd {cell(a)}\\cell {{\\b {cell(b)}}}\\cell {cell(c)}\\cell\\row" for a, b, c in table]
    note = f"{{\\footnote {cell(parts['comment'])}}}" if "comment" in parts else ""
    head = "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}\\f0\\fs24 "
    return (head + "\n".join(lines) + note + "\\par}\n").encode()


def markdown(table: Rows, parts: Parts) -> bytes:
    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    lines = [line(table[0]), "|---|---:|:--|", *map(line, table[1:])]
    before, behind = parts.get("preamble", "# Stock"), parts.get("trailer", "")
    return f"{before}\n\n{parts.get('comment', '')}\n\n".encode() + "\n".join([*lines, "", behind, ""]).encode()


def printed(table: Rows, parts: Parts) -> bytes:
    """What psql prints."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [" | ".join(f"{cell:<{n}}" for cell, n in zip(row, widths, strict=True)) for row in table]
    ruler = "-+-".join("-" * n for n in widths)
    return "\n".join([f" {lines[0]}", f"-{ruler}-", *(f" {line}" for line in lines[1:]), "(24 rows)", ""]).encode()
