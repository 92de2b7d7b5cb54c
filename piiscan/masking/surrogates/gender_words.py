"""Words that tell a gender: those of a gender column, and titles before a name, in the languages of `LOCALES`.

All folded.
"""

from __future__ import annotations

from functools import cache

from piiscan.core.header_words import fold

_WOMAN = """
    f female fem woman girl w weiblich frau femme feminin feminine fille femenino femenina mujer hembra femminile
    femmina donna feminino feminina mulher vrouw vrouwelijk v kvinna kvinnlig kvinde kvindelig kvinne kvinnelig
    nainen naaras kobieta k zena zenske zenski zensky zenska z no noi ferfi-no femeie feminin kadin kiz bayan naine
    sieviete sieviesu moteris moteriska perempuan wanita жен женский ж женщина жена жиноча жиночий жиноч жинка жін
    жіноча жіночий жінка женски γυναικα θηλυ γ 女 女性 女子 여 여자 여성 أنثى انثى امرأة زن نقبة נקבה אישה महिला
    स्त्री kona kvenkyns ayol qadin মহিলা নারী স্ত্রী பெண் หญิง
"""
_MAN = """
    m male man boy masc mannlich herr homme masculin h garcon masculino hombre varon maschile maschio uomo homem
    mannelijk man manlig mand mandlig mann mannlig mies uros mezczyzna muz muzske muzsky muski moski ferfi barbat
    erkek bay mees vir virietis viriesu vyras vyriska laki-laki pria муж мужской м мужчина мъж чоловіча чоловічий чол
    чоловік машки ανδρας αρρεν α 男 男性 男子 남 남자 남성 ذكر رجل مرد זכר גבר पुरुष karl karlkyns erkak kisi পুরুষ ஆண் ชาย
"""

_TITLES = """
en Mr. | Ms. Mrs. Miss Madam Dame Lady Mistress / Sir Mister Lord Esq
de Herr | Frau Fräulein Fr. / Hr. Hrn. Herrn
fr M. | Mme Mlle Madame Mademoiselle / Monsieur Mr.
es Sr. | Sra. Srta. Señora Señorita Doña Dña. / Señor Don D.
it Sig. | Sig.ra Signora Sig.na Signorina Dott.ssa / Signor
pt Sr. | Sra. Srta. Senhora Dona Dra. / Senhor
nl Dhr. | Mevr. Mw. Mevrouw / Heer Meneer
pl Pan | Pani / p.
cs pan | paní slečna / p.
sk pán | pani slečna / pan
ru г-н | г-жа госпожа / господин
uk пан | пані /
bg Г-н | Г-жа Г-ца / господин
mk Г-дин | Г-ѓа Г-ца /
hr Gosp. | Gđa Gđica gospođa / gospodin
sl g. | ga. gdč. gospa / gospod
da Hr. | Fru Frk. / Herr
no Herr | Fru Frøken /
sv Herr | Fru Fröken /
fi Herra | Rouva Neiti /
et Härra | Proua Preili / Hr
lv Kungs | Kundze /
hu úr | asszony /
ro Dl. | Dna. Doamna D-na D-ra / Domnul Dl
tr Bay | Bayan / Bey
el Κος | Κα Δις Κυρία / Κύριος κ.
he מר | גברת גב׳ /
ar السيد | السيدة الآنسة /
fa آقای | خانم /
hi श्री | श्रीमती सुश्री /
ne श्री | श्रीमती /
id Bapak | Ibu / Tn. Bpk.
is Herra | Frú /
az Cənab | Xanım /
ja 様 | 様 /
ko 씨 | 씨 /
zh 先生 | 女士 小姐 /
hy Պարոն | Տիկին Օրիորդ /
ka ბატონი | ქალბატონი /
uz janob | xonim /
bn জনাব | জনাবা বেগম / শ্রী
ta திரு. | திருமதி செல்வி /
th นาย | นางสาว นาง /
"""
"""Language, the man's title and the woman's that surrogates bear, then other titles of women, and of men behind the
slash."""


@cache
def genders() -> dict[str, str]:
    """Folded word → "f" or "m": cells of a gender column, in any language.

    Words that mean both are left out.
    """
    woman, man = ({fold(w) for w in words.split()} for words in (_WOMAN, _MAN))
    return dict.fromkeys(woman - man, "f") | dict.fromkeys(man - woman, "m")


@cache
def titles() -> dict[str, str]:
    """Folded title without dots → "f" or "m", of all languages, where they don't contradict each other."""
    woman: set[str] = set()
    man: set[str] = set()
    for mister, others in _parsed().values():
        man |= {mister[0], *others[1]}
        woman |= {mister[1], *others[0]}
    women, men = ({fold(t).replace(".", "") for t in found} for found in (woman, man))
    return dict.fromkeys(women - men, "f") | {t: "m" for t in men - women if len(t) > 1}


def title(language: str, gender: str | None) -> str | None:
    """The title that a surrogate bears: none where the gender isn't known.

    >>> title("pl", "f"), title("en", "m"), title("de", None)
    ('Pani', 'Mr.', None)
    """
    if gender is None or language not in _parsed():
        return None
    return _parsed()[language][0][gender == "f"]


@cache
def _parsed() -> dict[str, tuple[tuple[str, str], tuple[list[str], list[str]]]]:
    out = {}
    for line in _TITLES.strip().splitlines():
        code, _, rest = line.partition(" ")
        mister, _, others = rest.partition(" | ")
        women, _, men = others.partition("/")
        first, *more = women.split()
        out[code] = ((mister, first), (more, men.split()))
    return out
