"""Reserved values by entity, which are no person's.

They are reserved for documents, tests, films and private networks, or are specimens of manuals.

One table, with its sources. It contains only values that are certain to be no person's, and so not: a number that is
some country's example in one spelling and somebody's telephone in another, mailboxes of a firm's own network
(`.local`), addresses of persons at services that forward no replies (`@users.noreply.github.com`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from ipaddress import IPv4Network
from pathlib import Path
from typing import Final

from piiscan.rules import number_signs, value_tests
from piiscan.rules.value_tests import ValueTest, any_of

_DOMAINS: Final = (
    r"example\.(?:com|net|org)",  # RFC 2606, section 3
    r"[0-9a-z-]+\.(?:test|example|invalid|localhost)",  # RFC 6761, section 6
)
_HOSTS: Final = (*_DOMAINS, "localhost", r"\[::1\]")
_NO_REPLY: Final = "(?:no[._-]?reply|do[._-]?not[._-]?reply)"
"""Mailboxes that nobody reads, by their usual names."""

_MACHINES: Final = (
    r"git@(?:[0-9A-Za-z-]+\.)+[A-Za-z]{2,}",
    r"[0-9A-Za-z_.-]+@[0-9A-Za-z_.:-]*\.(?:service|socket|timer|mount|automount|swap|path|slice|scope|device)",
)
"""The account that everybody shares at hosts of repositories (`git@github.com:firm/app.git`), and units that systemd
makes of templates (systemd.unit(5)), whose endings are no top-level domains."""

_IPV4: Final = (
    "0.0.0.0/8", "10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
    "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
)  # fmt: skip
"""IANA IPv4 Special-Purpose Address Registry (RFC 6890): this host, private, loopback, link-local, documentation,
benchmarks, multicast (RFC 5771), future use and broadcast. Not 100.64.0.0/10, which providers give to customers."""
_IPV6: Final = (
    "::1?",  # unspecified and loopback (RFC 4291)
    "(?:0{1,4}:){7}0{0,3}[01]",
    "(?:fe[89ab][0-9a-f]|f[cdf][0-9a-f]{2}):[0-9a-f:.]*",  # link-local, unique local, multicast
    "2001:0?db8:[0-9a-f:.]*",  # documentation (RFC 3849)
    "3fff:(?::|0?[0-9a-f]{1,3}:)[0-9a-f:.]*",  # documentation (RFC 9637)
)
_VERSION: Final = r"[0-9]{1,3}\.[0-9]{1,3}\.0\.0"
"""The first address of a network of 65,536 is no host's. Version numbers are written so (Chrome/124.0.0.0)."""

_CARDS: Final = """
    4111111111111111 4242424242424242 4012888888881881 4222222222222 4000056655665556 4000000000000002 4000000000009995
    4000000000000069 4000000000000127 4000000000000119 4000000000000077 4000002500003155 4000002760003184
    4000000000003220 4005519200000004 4009348888881881 4012000033330026 4012000077777777 4217651111111119
    4500600000000061 4444333322221111 4917610000000000 4988438843884305 4166676667666746
    5555555555554444 5105105105105100 5200828282828210 5454545454545454 5431111111111111 5555341244441115
    5555555555555557 2223003122003222 2223000048400011 2222400070000005 2222410740360010 5500000000000004
    378282246310005 371449635398431 378734493671000 343434343434343 370000000000002 374101000000608
    6011111111111117 6011000990139424 6011981111111113 6011601160116611 6445644564456445
    30569309025904 38520000023237 36227206271667 36006666333344 36700102000000
    3530111333300000 3566002020360505 3569990010095841 6200000000000005 6205500000000000004 6243030000000001
    6304000000000000 6759649826438453 5018000000000009 2200000000000004
""".split()
"""Test numbers of the developer documentation of Stripe, Adyen, Braintree, PayPal and Worldpay."""
_SSNS: Final = ("078051120", "219099999", "98765432[0-9]")
"""Social Security Administration: numbers of specimen cards, and 987-65-4320 to 4329, kept for advertisements."""
TAKEN_AS: Final = {"NATIONAL_ID": "US_SSN"}
"""Entities whose rules take reserved values of another: 987-65-4320 has the look of a taxpayer number."""
_IBANS: Final = """
    AD1200012030200359100100 AE070331234567890123456 AL47212110090000000235698741 AT611904300234573201
    AZ21NABZ00000000137010001944 BA391290079401028494 BE68539007547034 BG80BNBG96611020345678 BH67BMAG00001299123456
    BR1800360305000010009795493C1 BY13NBRB3600900000002Z00AB00 CH9300762011623852957 CR05015202001026284066
    CY17002001280000001200527600 CZ6508000000192000145399 DE89370400440532013000 DK5000400440116243
    DO28BAGR00000001212453611324 EE382200221020145685 EG380019000500000000263180002 ES9121000418450200051332
    FI2112345600000785 FO6264600001631634 FR1420041010050500013M02606 FR7630006000011234567890189
    GB29NWBK60161331926819 GB33BUKB20201555555555 GB82WEST12345698765432 GE29NB0000000101904917
    GI75NWBK000000007099453 GL8964710001000206 GR1601101250000000012300695 GT82TRAJ01020000001210029690
    HR1210010051863000160 HU42117730161111101800000000 IE29AIBK93115212345678 IL620108000000099999999
    IQ98NBIQ850123456789012 IS140159260076545510730339 IT60X0542811101000000123456 JO94CBJO0010000000000131000302
    KW81CBKU0000000000001234560101 KZ86125KZT5004100100 LB62099900000001001901229114
    LC55HEMM000100010012001200023015 LI21088100002324013AA LT121000011101001000 LU280019400644750000
    LV80BANK0000435195001 LY83002048000020100120361 MC5811222000010123456789030 MD24AG000225100013104168
    ME25505000012345678951 MK07250120000058984 MR1300020001010000123456753 MT84MALT011000012345MTLCAST001S
    MU17BOMM0101101030300200000MUR NL91ABNA0417164300 NO9386011117947 PK36SCBL0000001123456702
    PL61109010140000071219812874 PS92PALS000000000400123456702 PT50000201231234567890154
    QA58DOHB00001234567890ABCDEFG RO49AAAA1B31007593840000 RS35260005601001611379 SA0380000000608010167519
    SC18SSCB11010000000000001497USD SE4550000000058398257466 SI56263300012039086 SK3112000000198742637541
    SM86U0322509800000000270100 ST23000100010051845310146 SV62CENR00000000000000700025 TL380080012345678910157
    TN5910006035183598478831 TR330006100519786457841326 UA213223130000026007233566001 VA59001123000012345678
    VG96VPVG0000012345678901 XK051212012345678906
""".split()
"""Examples of the countries in the SWIFT IBAN registry (ISO 13616-2), and of Wikipedia's article on the IBAN."""

_CALLED: Final = {"GB": "44", "AU": "61", "DE": "49", "FR": "33", "IE": "353", "SE": "46"}
"""Calling codes of the countries in `fictional_phones.toml`; their trunk prefix is 0."""
_WITHOUT_CODE: Final = ("GB", "AU")
"""Countries whose numbers count without their calling code, too. Written so, others' may be somebody's elsewhere: the
drama numbers of Ireland begin as Gelsenkirchen does."""
_NORTH_AMERICA: Final = (
    "(?:(?:00)?1)?(?:[2-79][0-9]{2}|8(?:0[1-9]|3[0-24-9]|4[0-35-9]|5[0-46-9]|6[0-57-9]|7[0-689]|8[0-79]|[129][0-9]))?"
    "55501[0-9]{2}",
    "(?:(?:00)?1)?8005550199",
)
"""ATIS-0300115: 555-0100 to 555-0199 of every area code, or without one; of free numbers only 800-555-0199. (Masks keep
to fewer area codes, those that no special number begins with.)"""
_EXTENSION: Final = r"[ ]*(?:,?[ ]*ext?\.?|x|#|;ext=)[ ]*[0-9]{1,6}$|[ ()./+-]"
"""What may follow a telephone number, and what may group its digits."""


@cache
def fictional_phones() -> dict[str, list[str]]:
    """Return patterns (`number_signs`) of the national telephone numbers that regulators reserve for film and print.

    They are grouped by country.
    """
    import tomllib

    file = Path(__file__).with_name("fictional_phones.toml")
    return {country: entry["numbers"] for country, entry in tomllib.loads(file.read_text(encoding="utf-8")).items()}


@cache
def reserved() -> Mapping[str, ValueTest]:
    """The test of each entity that has reserved values."""
    at = r"(?: ?[\[({] ?at ?[\])}] ?| at )"
    dot = r"(?:\.| ?[\[({] ?dot ?[\])}] ?| dot )"
    spelt_out = f"[0-9A-Za-z][0-9A-Za-z._+-]*{at}(?:[0-9A-Za-z-]+{dot})*(?:example{dot}(?:com|net|org)"
    spelt_out += f"|[0-9A-Za-z-]+{dot}(?:test|example|invalid|localhost))"
    email = value_tests.at_domains(any_of(_DOMAINS))["EMAIL_ADDRESS"].pattern
    no_reply = rf"{_NO_REPLY}@(?:[0-9A-Za-z-]+\.)+[A-Za-z]{{2,}}"
    ipv4 = value_tests.in_ipv4(*map(IPv4Network, _IPV4))
    page = value_tests.at_domains(any_of((*_HOSTS, ipv4)))["URL"]
    return {
        "EMAIL_ADDRESS": ValueTest(any_of((email, no_reply, *_MACHINES, spelt_out))),
        "URL": page,
        "IP_ADDRESS": ValueTest(rf"(?:{any_of((ipv4, _VERSION, *_IPV6))})(?:%[0-9A-Za-z]+)?"),
        "PHONE_NUMBER": ValueTest(any_of(_phones()), _EXTENSION),
        "CREDIT_CARD": ValueTest("", "[ -]", frozenset(_CARDS)),
        "US_SSN": ValueTest(any_of(_SSNS), "[ .-]"),
        "NATIONAL_ID": ValueTest(any_of(_SSNS[2:]), "[ -]"),  # see TAKEN_AS
        "IBAN_CODE": ValueTest("", "[ -]", frozenset(_IBANS)),
        "MAC_ADDRESS": ValueTest("00005e0053[0-9a-f]{2}|0{12}|f{12}", "[:.-]"),  # RFC 7042, section 2.1.2
    }


def _phones() -> list[str]:
    """Patterns of the digits of fictional numbers, with and without the calling code."""
    found = list(_NORTH_AMERICA)
    for country, code in _CALLED.items():
        prefix = f"(?:00)?{code}0?" + ("|0?" if country in _WITHOUT_CODE else "")
        found.append(f"(?:{prefix}){any_of(map(number_signs.regex, fictional_phones()[country]))}")
    return found


def is_reserved(entity: str, value: str) -> bool:
    """Whether a value of an entity, as a whole and without white space around it, is reserved.

    >>> [is_reserved("PHONE_NUMBER", n) for n in ("(212) 555-0143", "+44 20 7946 0958", "(212) 555-1143")]
    [True, True, False]
    """
    test = reserved().get(entity)
    return test is not None and test.passes(value)
