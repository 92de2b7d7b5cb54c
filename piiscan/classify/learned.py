"""The model's probabilities weighed in among what rules, header phrases and values say of each column by themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from piiscan.classify.column import HIGHEST, Candidate, Judged, ranked
from piiscan.classify.features import Features, features
from piiscan.classify.lexicon import Lexicon
from piiscan.classify.model import NONE, Model
from piiscan.summary import ColumnSummary
from piiscan.types import Reason

BOTH, OWN, ABOVE = 0.4, 0.5, 0.5
"""Of the model's log-odds and of those of rules, header and values, where both speak for an entity; and what that is worth in itself."""
ALONE = 0.2
"""What it costs that only the model speaks for an entity."""
SPEAKS = 0.3
"""From this probability on the model's reason says what weighed most."""
LEAST = 0.02
"""Below this probability the model brings up no entity that nothing else speaks for."""
UNSURE = 0.015
"""No probability is taken for nearer to 0 or 1: rules and header phrases know what training tables never showed."""
NUMBERS = frozenset(
    """US_SSN NATIONAL_ID PASSPORT DRIVER_LICENSE CREDIT_CARD CVV IBAN_CODE BANK_ACCOUNT IP_ADDRESS MAC_ADDRESS MEDICAL_RECORD
    VEHICLE_ID DEVICE_ID SECRET PASSWORD SWIFT_CODE ORGANIZATION_ID""".split()
)
"""What a header, a pattern or check digits tell, and nothing else: the look of a number is no evidence against them."""
DOUBTED = -0.5
"""What a number keeps that only looks like one of these."""
WORDS = {
    "header": "its header", "look": "how its values look", "numbers": "the range of its numbers", "lists": "words its values hold",
    "rules": "rules that its values pass",
}  # fmt: skip


def with_model(columns: Sequence[Judged], summaries: Sequence[ColumnSummary], lexicon: Lexicon, model: Model) -> list[Judged]:
    """The columns with the model's log-odds weighed in."""
    if not columns:
        return []
    seen = [features(c, s, lexicon) for c, s in zip(columns, summaries, strict=True)]
    carriers = _carriers(lexicon)
    out = []
    for c, column, chances in zip(columns, seen, model.probabilities(seen), strict=True):
        if c.profile.hashed > 0.5 and any(n.rule.entity != "GENERIC_ID" for n in c.named):
            out.append(c)  # it has seen hardly any hashes of names, of cities, …
            continue
        known = {x.entity: x for x in c.candidates}
        found = []
        for entity, p in zip(model.classes, chances.tolist(), strict=True):
            if entity == NONE or entity not in carriers:
                continue
            old = known.pop(entity, None)
            odds = log_odds(p)
            if old is not None:
                logit = BOTH * odds + OWN * old.logit + ABOVE
                if old.logit > 0 and any(r.by == "checksum" for r in old.reasons):
                    logit = max(logit, old.logit)  # passing far more often than chance is evidence that no look takes away
                elif entity in NUMBERS and not old.by_header and old.logit < 0:
                    logit = min(logit, old.logit)
                reasons = (*old.reasons, _reason(p, _weighed(model, column, entity, p))) if p > LEAST else old.reasons
                found.append(old._replace(logit=min(HIGHEST, logit), reasons=reasons))
            elif p >= LEAST:
                logit = odds - ALONE
                groups = _weighed(model, column, entity, p)
                if entity in NUMBERS and logit > 0 and "header" not in groups[:1]:
                    logit = DOUBTED
                found.append(Candidate(entity, None, carriers[entity], min(HIGHEST, logit), (_reason(p, groups),)))
        out.append(replace(c, candidates=ranked([*found, *known.values()])))
    return out


def log_odds(p: float) -> float:
    """The log-odds of a probability, kept within what training data of this size can tell."""
    p = min(max(p, UNSURE), 1 - UNSURE)
    return math.log(p / (1 - p))


def _weighed(model: Model, column: Features, entity: str, p: float) -> list[str]:
    """The groups of features that weighed most, where the entity is likely enough to say so."""
    return model.weighed_most(column, entity)[:2] if p >= SPEAKS else []


def _reason(p: float, groups: Sequence[str]) -> Reason:
    return Reason("model", p=round(p, 4), text=f"by {' and '.join(WORDS[g] for g in groups)}" if groups else None)


def _carriers(lexicon: Lexicon) -> dict[str, str]:
    """Entity → the rule that carries it where no rule speaks for it: of no country, with the most header phrases. Entities of
    which no rule is selected are left out."""
    ordered = sorted(lexicon.by_id.values(), key=lambda r: (r.subtype is not None, -len(r.headers), r.id), reverse=True)
    return {rule.entity: rule.id for rule in ordered}
