"""Persons in texts of payments: `NEFT-307661087965-RAMESH IYER`, `MEHMET YILMAZ-KIRA-FAST`, `VIR DE M. JEAN DUPONT`.

Banks write who pays, or is paid, in capitals between marks, and nothing around the name reads as a sentence, so the
recogniser mostly misses it. A line counts that has a word for a transfer; payments by card don't, since shops are paid
so. In it a given and a family name have to stand side by side, in any order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from piiscan.core.header_words import fold
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.text.name_words import ANY, Lists, are_other, is_word, stand
from piiscan.detection.text.token_features import In

_CODES: Final = """
    NEFT IMPS UPI RTGS ACH SEPA SCT FPS FPI FPO FAST EFT HAVALE PIX TED DOC VIR VRT TRF TRANSF BACS CHAPS ZELLE VENMO
    INTERAC SWISH BIZUM BLIK SVWZ KREF CPSP ПЕРЕВОД ПЕРЕКАЗ
""".split()
"""In capitals: in small letters some are words of other meanings."""
_WORDS: Final = """
    transfer transfers überweisung ueberweisung gutschrift gutschr dauerauftrag virement virements havale havalesi
    przelew przelewy bonifico transferencia transferência transferencias overboeking overschrijving överföring
    overforing overførsel tilisiirto převod prevod úhrada átutalás virare giroconto transfert remittance перевод переказ
""".split()
_NUMBERS: Final = "number|num|no|nr|nummer|numarası"
_ACCOUNTS: Final = (
    rf"(?:account|acct|a/c|konto|rekening|hesap|tili) ?-?(?:{_NUMBERS})\b"
    r"|(?:numéro|numero|número|n°|nº) (?:de |da |di )?(?:compte|cuenta|conta|conto)|(?:numer|nr) (?:konta|rachunku)"
)
"""Labels above a statement: the account's holder is often named behind the number."""
_PURPOSES: Final = frozenset(
    """
    rent salary wages payment loan gift invoice refund fee school payroll pension bill cash deposit withdrawal received
    sent from to by for ref reference miete gehalt lohn rechnung danke rate geschenk kaution taschengeld spende rente
    loyer salaire facture cadeau remboursement pension aide recu recue emis permanent instantane de en faveur du des
    kira aidat maas borc fatura odeme harclik burs gelen giden para hesaba aluguel salario fatura recebido recebida
    enviado enviada pagamento pagamentos aluguer renda alquiler nomina factura recibo pago recibida emitida concepto
    affitto stipendio fattura saldo spese regalo da di per a favore ordinante beneficiario causale disposto czynsz
    zwrot alimenty zaplata oplata wynagrodzenie tytul przychodzacy wychodzacy wewnetrzny na konto od dla huur loon
    factuur naar van hyra lon hyra leje lon vuokra palkka najem mzda fra till til an von fur auftraggeber empfanger
    instant standing order online mobile banking internet inward outward credit debit cr dr acct account bank from
    january february march april june july august september october november december januar februar marz maerz mai juni
    juli oktober dezember janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre enero febrero
    marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre janeiro fevereiro marco maio junho julho
    setembro outubro dezembro gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre ocak subat nisan
    mayis haziran temmuz agustos eylul ekim kasim aralik mr mrs ms miss dr mme mlle m herr frau hr fr sr sra sri shri
    smt pan pani sig bay bayan conta luz agua gas
    """.split()
)
"""Folded: what payments are for, prepositions, months and forms of address, of which no name consists."""
_PAYS: Final = lazy_pattern(rf"(?<![^\W_])(?:{'|'.join(_CODES)}|(?i:{'|'.join(_WORDS)}|{_ACCOUNTS}))(?![^\W\d_])")
_FIRST_WORD: Final = lazy_pattern(
    rf"{'|'.join(_CODES)}|(?i:{'|'.join(_WORDS)}|(?:account|acct|c|konto|rekening|hesap|tili)(?:{_NUMBERS})?"
    r"|compte|cuenta|conta|conto|konta|rachunku)"
)
"""Letters between others that each text of a payment has: "c" of "a/c"."""
_PART: Final = re.compile(r"[^\W\d_](?:[^\W\d_]|[ .'’])+")
_WORD: Final = re.compile(r"[^\W\d_](?:[^\W\d_]|['’])*")
_NO_PAYMENT: Final = frozenset(fold(word) for word in (*_CODES, *_WORDS))
_MOST_WORDS: Final = 8
"""A part with more words is a sentence."""


def may_be_of_payment(word: str) -> bool:
    """Whether a word, the letters between others, is one of those without which no text is of a payment."""
    return _FIRST_WORD.fullmatch(word) is not None


def is_of_payment(text: str) -> bool:
    """Whether a text has a word for a transfer."""
    # All of those words have letters of two cases, which cells of numbers haven't.
    return text.lower() != text.upper() and _PAYS.search(text) is not None


def of_payments(text: str, lists: Lists) -> Iterator[tuple[int, int]]:
    """The places of names of persons in the lines of a text that are about transfers.

    lists: the recogniser's lists that a word is in.
    """
    if not is_of_payment(text):
        return
    at = 0
    for line in text.splitlines(keepends=True):
        if is_of_payment(line):
            for part in _PART.finditer(line):
                yield from ((at + start, at + end) for start, end in _in_part(part, lists))
        at += len(line)


def _in_part(part: re.Match[str], lists: Lists) -> Iterator[tuple[int, int]]:
    words = [(word[0], part.start() + word.start(), part.start() + word.end()) for word in _WORD.finditer(part[0])]
    if len(words) > _MOST_WORDS and not part[0].isupper():
        return
    run: list[tuple[str, int, int]] = []
    for word in (*words, ("", 0, 0)):
        if word[0][:1].isupper() and fold(word[0]) not in _PURPOSES | _NO_PAYMENT:
            run.append(word)
            continue
        if found := _name([one[0] for one in run], lists):
            yield run[found[0]][1], run[found[1] - 1][2]
        run = []


def _name(words: list[str], lists: Lists) -> tuple[int, int] | None:
    """Which of some words between others are a name: first and last, not included."""
    known = [lists(word) for word in words]
    if any(found & In.ORGANISATION for found in known):
        return None
    last = next((i for i, found in enumerate(known) if is_word(found)), len(words))
    at = next((i for i in range(last - 1) if stand(words[i : i + 2], known[i : i + 2], len(words) == 2, lists)), None)
    if at is None or are_other(words[:last]):
        return None
    start, end = at, at + 2
    while start > 0 and (known[start - 1] & ANY or len(words[start - 1]) == 1):
        start -= 1
    while end < last and (known[end] & ANY or len(words[end]) == 1):
        end += 1
    return start, end
