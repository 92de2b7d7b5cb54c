"""Numbers that stand for somebody or something: documents, accounts, addresses of machines, keys of rows, secrets."""

from __future__ import annotations

import string
from collections.abc import Sequence
from itertools import pairwise

import generate_samples as s
from generate_group import Group, Values


def ssn(g: Group) -> Values:
    out = s.samples(g.rng, "us-ssn", g.size)
    kind = g.rng.random()
    if kind < 0.2:
        return [v.replace("-", "") for v in out]
    if kind < 0.27:
        return [v[-4:] for v in out]
    return [f"XXX-XX-{v[-4:]}" for v in out] if kind < 0.32 else out


def _by_rule(entity: str, g: Group, *, own: float = 0.75) -> Values:
    """Values of a rule of an entity, of the table's own country where there is one; sometimes without what parts the
    digits."""
    rules = s.rules_of(entity, g.place.country) if g.rng.random() < own else ()
    rules = rules or s.rules_of(entity)
    out = s.samples(g.rng, g.rng.choice(rules).id, g.size)
    return [v.upper() for v in out] if out[0].islower() else out


def national_id(g: Group) -> Values:
    return _by_rule("NATIONAL_ID", g)


def passport(g: Group) -> Values:
    return _by_rule("PASSPORT", g, own=0.6)


def licence(g: Group) -> Values:
    return _by_rule("DRIVER_LICENSE", g, own=0.6)


def card(g: Group) -> Values:
    rng = g.rng
    kind = rng.random()
    if kind < 0.07:
        mask = rng.choice(("****", "XXXX-XXXX-XXXX-", "************", "xxxx "))
        return g.each(lambda: f"{mask}{rng.randint(0, 9999):04}")
    if kind < 0.2:
        return s.samples(rng, rng.choice(("card", "card-rare")), g.size)
    brands = rng.choice(
        (("4", "51", "53", "37", "6011"), ("4",), ("4", "52", "55"), ("4", "5100", "34", "3528", "6011", "3020"))
    )
    glue = rng.choice(("", "", "", " ", "-"))
    out = []
    for _ in range(g.size):
        start = rng.choice(brands)
        length = 15 if start in ("34", "37") else 14 if start == "3020" else 16
        number = s.luhn(start + "".join(rng.choices("0123456789", k=length - 1 - len(start))))
        cuts = (0, 4, 8, 12, 16) if length == 16 else (0, 4, 10, length)
        out.append(glue.join(number[i:j] for i, j in pairwise(cuts)))
    return out


def cvv(g: Group) -> Values:
    amex = g.rng.random() < 0.1
    return g.each(
        lambda: f"{g.rng.randint(0, 9999):04}" if amex and g.rng.random() < 0.3 else f"{g.rng.randint(0, 999):03}"
    )


def iban(g: Group) -> Values:
    return s.ibans(g.rng, g.place.country, g.size)


def account(g: Group) -> Values:
    rng = g.rng
    kind = rng.randrange(5)
    if kind == 0:
        return s.samples(
            rng,
            rng.choice(
                ("es-ccc", "mx-clabe", "no-account", "nz-bank-account", "uk-sort-code", "ar-cbu", "ethereum-address")
            ),
            g.size,
        )
    width = rng.choice((8, 9, 10, 10, 11, 12, 16))
    if kind == 1:
        return g.each(lambda: f"{rng.randint(10, 99)}-{rng.randint(10**5, 10**6 - 1)}-{rng.randint(0, 9)}")
    return g.each(lambda: "".join(rng.choices("0123456789", k=width)))


def swift(g: Group) -> Values:
    rng = g.rng
    pool = s.samples(rng, "bic", min(g.size, 12))
    own = g.place.country
    branch = rng.choice(("", "", "XXX"))
    pool = [f"{v[:4]}{own if rng.random() < 0.6 else v[4:6]}{v[6:8]}{branch}" for v in pool]
    return g.some(pool)


def ip(g: Group) -> Values:
    rng = g.rng
    kind = rng.random()
    if kind < 0.12:
        return g.each(
            lambda: (
                ":".join(f"{rng.randint(0, 65535):x}" for _ in range(8))
                if rng.random() < 0.6
                else f"2001:db8::{rng.randint(1, 65535):x}"
            )
        )
    if kind < 0.35:
        net = rng.choice(("192.168.{}.{}", "10.0.{}.{}", "172.16.{}.{}", "10.12.{}.{}"))
        return g.each(lambda: net.format(rng.randint(0, 30), rng.randint(1, 254)))
    out = g.each(lambda: ".".join((str(rng.randint(1, 223)), *(str(rng.randint(0, 255)) for _ in range(3)))))
    if kind < 0.4:
        return [f"{v}:{rng.randint(1024, 65535)}" for v in out]
    return [str(int.from_bytes(bytes(map(int, v.split("."))), "big")) for v in out] if kind < 0.43 else out


def mac(g: Group) -> Values:
    rng = g.rng
    glue, upper = rng.choice(((":", False), (":", True), ("-", True), ("", False), (".", False)))
    step = {".": 4, "": 12}.get(glue, 2)
    out = []
    for _ in range(g.size):
        digits = rng.randbytes(6).hex()
        text = glue.join(digits[i : i + step] for i in range(0, 12, step))
        out.append(text.upper() if upper else text)
    return out


CODES = (
    r"MRN\d{6}",
    r"MRN-\d{7}",
    r"\d{6}",
    r"\d{7}",
    r"\d{8}",
    r"P\d{5}",
    r"PT-\d{5}",
    r"PAT\d{4}",
    r"H\d{7}",
    r"\d{3}-\d{2}-\d{3}",
    r"[A-Z]{2}\d{6}",
    r"\d{2}-\d{6}",
    r"00\d{6}",
)
PERSON_CODES = (
    r"C\d{5}",
    r"CUST\d{4}",
    r"CUST-\d{5}",
    r"EMP\d{4}",
    r"EMP-\d{3}",
    r"E\d{6}",
    r"\d{4}",
    r"\d{5}",
    r"\d{6}",
    r"\d{8}",
    r"\d{10}",
    r"[A-Z]{5}",
    r"[A-Z]{2}-\d{5}",
    r"U\d{7}",
    r"S\d{8}",
    r"M-\d{4}",
    r"[a-z]{5}\d{2}",
    r"\d{4}-[A-Z]{5}",
    r"K-\d{6}",
    r"100\d{4}",
    r"00000\d{5}",
    r"STU\d{3}",
    r"[A-Z]\d{4}[A-Z]",
    r"user_\d{4}",
    r"\d{17}",
    r"[0-9a-f]{24}",
    r"cus_[A-Za-z0-9]{14}",
    r"003[A-Za-z0-9]{15}",
    r"ID\d{4}",
    r"R\d{3}",
    r"D-\d{3}/\d{2}",
)
THING_CODES = (
    r"ORD-\d{6}",
    r"ORD\d{5}",
    r"INV-20\d{2}-\d{4}",
    r"INV\d{6}",
    r"SKU-\d{5}",
    r"[A-Z]{3}-\d{4}",
    r"[A-Z]{2}\d{4}",
    r"\d{5}",
    r"\d{6}",
    r"\d{8}",
    r"\d{10}",
    r"\d{12}",
    r"TXN\d{9}",
    r"TK-\d{4}",
    r"#\d{4}",
    r"[A-Z0-9]{8}",
    r"[A-Z]{3}\d{3}",
    r"P-\d{4}-[A-Z]",
    r"RE-\d{4}/\d{2}",
    r"4500\d{6}",
    r"S\d{2}_\d{4}",
    r"[A-Z]{2}-[A-Z]{2}-\d{7}",
    r"SO\d{5}",
    r"[0-9a-f]{24}",
    r"st_\d{3}",
    r"B0[A-Z0-9]{8}",
    r"WX\d{3}",
    r"N\d{3}[A-Z]{2}",
    r"[A-Z]{2}\d{3}",
    r"\d{3}\.\d{3}-\d{3}",
    r"LOT\d{5}",
    r"AT-\d{4}",
    r"\d{2}[A-Z]\d{3}",
)


def _codes(g: Group, forms: Sequence[str]) -> Values:
    rng = g.rng
    kind = rng.random()
    if kind < 0.28:
        start = rng.choice((0, 1, 1, 1, 100, 1000, 10001, rng.randint(1, 10**6)))
        return [str(start + i) for i in range(g.size)]
    if kind < 0.38:
        start = rng.randint(1, 500)
        prefix, width = rng.choice((("", 5), ("", 8), ("A", 4), ("C", 5), ("ID-", 4), ("K", 6), ("N", 3)))
        return [f"{prefix}{start + i:0{width}}" for i in range(g.size)]
    if kind < 0.5:
        text = g.each(lambda: rng.randbytes(16).hex())
        return [f"{t[:8]}-{t[8:12]}-4{t[13:16]}-a{t[17:20]}-{t[20:]}" for t in text]
    drawer = s.Drawer(rng, s.pattern(rng.choice(forms)))
    return g.each(drawer.draw)


def mrn(g: Group) -> Values:
    return _codes(g, CODES)


def pid(g: Group) -> Values:
    return _codes(g, PERSON_CODES)


def generic_id(g: Group) -> Values:
    if g.rng.random() < 0.12:
        return s.samples(g.rng, g.rng.choice(("gtin", "isbn", "isin", "hex-digest", "uuid")), g.size)
    return _codes(g, THING_CODES)


def org_id(g: Group) -> Values:
    return _by_rule("ORGANIZATION_ID", g)


def plate(g: Group) -> Values:
    rules = [r.id for r in s.rules_of("VEHICLE_ID", g.place.country)]
    if rules and g.rng.random() < 0.5:
        return s.samples(g.rng, g.rng.choice(rules), g.size)
    return g.some(g.place.plates)


def vin(g: Group) -> Values:
    return s.samples(g.rng, g.rng.choice(("vin", "vin", "vin-unchecked")), g.size)


def device(g: Group) -> Values:
    kind = g.rng.randrange(7)
    if kind < 4:
        return s.samples(g.rng, ("imei", "imei", "device-id", "iccid")[kind], g.size)
    if kind == 4:
        return g.each(
            lambda: (
                f"{g.rng.choice(('iPhone', 'MacBook', 'LAPTOP', 'DESKTOP', 'PC'))}-{''.join(g.rng.choices(string.ascii_uppercase + string.digits, k=7))}"
            )
        )
    if kind == 5:
        return g.each(
            lambda: (
                f"(01){g.rng.randint(10**13, 10**14 - 1)}(11)2{g.rng.randint(10**4, 10**5 - 1)}(21){g.rng.randint(10**8, 10**9)}"
            )
        )
    return g.each(lambda: g.rng.randbytes(8).hex())


def secret(g: Group) -> Values:
    rules = [r.id for r in s.rules_of("SECRET")]
    return s.samples(g.rng, g.rng.choice(rules), g.size)
