"""Sums of vectors of which nobody sees a summand: pairwise masks that cancel, and a mask of each site's own.

In an attempt, fixed members each send their vector plus a mask for each other member, which that member subtracts, plus
a mask of their own. Masks are AES-256-CTR under keys by HKDF-SHA256: of a pair from their X25519 secret, of a site from
its private key, each for one federation, run, round, attempt and set of members. When all vectors have arrived, the
members send the seeds of their own masks, and the sum modulo 2⁶⁴ comes out.

With its vector, each member sends shares of its seed, sealed for the others: if it is lost before it sends the seed,
as many members as the federation asks for at least (`fewest`) give it together.

A member opens one attempt of a round at most, and takes no part in a later one then. So a vector that arrives after its
site was left out stays sealed, unless `fewest` members opened that attempt; the sums of these and of the later attempt
have no honest member in common that opened either, and each keeps the noise of `fewest` − `colluding` honest ones.

Guarantee:
    Assumes: the pinned public keys are the sites' own; X25519, HKDF-SHA256 and AES-256 are secure.
    Ensures: the coordinator, with at most `colluding` sites that tell it everything they know, learns of each round
    at most sums over sets of other members of which `fewest` − `colluding` are in no other such sum, even if it lies
    about who was lost or sends different requests to different sites.
    Does not protect against: what that sum says (noise does); a site that sends wrong numbers; a coordinator that
    reports a wrong sum.
    Test: test_federated_sums.py
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.federated import seed_shares

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

Words = npt.NDArray[np.uint64]
LARGEST: Final = 1 << 62
"""No sum may be above it, or be below its negative."""
SEED: Final = 32
_VERSION: Final = "piiscan federated sum 1"


class Attempt(NamedTuple):
    """One try of one round by fixed members, in a run of a job of a federation (by the digest of its file)."""

    federation: str
    run: str
    round: int
    number: int
    members: tuple[str, ...]

    @property
    def context(self) -> bytes:
        """Bytes that no other attempt has."""
        return json.dumps([_VERSION, *self[:4], sorted(self.members)], ensure_ascii=True).encode()


class SiteKey:
    """A site's private key: the X25519 key of its pairs, and what its own masks are derived from."""

    def __init__(self, key: Key) -> None:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        self._private: X25519PrivateKey = X25519PrivateKey.from_private_bytes(key.subkey("federated", "x25519").secret)
        self._own = key.subkey("federated", "own masks").secret
        self.at_rest = key.subkey("federated", "state").secret
        """What a site encrypts its state under."""

    @property
    def public(self) -> str:
        """The public key as 64 hex digits, for the federation file."""
        return self._private.public_key().public_bytes_raw().hex()

    def masked(self, values: Sequence[int], site: str, attempt: Attempt, public: Mapping[str, str]) -> Words:
        """Return a site's vector under its masks. `public`: the public keys of all members."""
        made = words(values) + _stream(self.seed(attempt), len(values))
        for other in attempt.members:
            if other == site:
                continue
            mask = _stream(self._pair(public[other], site, other, attempt), len(values))
            made = made + mask if site < other else made - mask
        return made

    def seed(self, attempt: Attempt) -> bytes:
        """Return the seed of the site's own mask. With it and all other members' masks, the vector can be read."""
        return _derived(self._own, b"own", attempt.context)

    def sealed_shares(self, site: str, attempt: Attempt, public: Mapping[str, str], threshold: int) -> dict[str, str]:
        """Return for each other member a share of the seed, sealed for it: hex digits."""
        others = tuple(other for other in attempt.members if other != site)
        context = attempt.context

        def random(number: int) -> bytes:
            return b"".join(_derived(self._own, b"share %d.%d" % (number, half), context) for half in (1, 2))

        shares = seed_shares.split(self.seed(attempt), others, threshold, random)
        return {
            other: self._box(public[other], site, other, attempt).encrypt(bytes(12), share, None).hex()
            for other, share in shares.items()
        }

    def opened_share(self, sealed: str, site: str, other: str, attempt: Attempt, public: Mapping[str, str]) -> bytes:
        """Return the share of `other`'s seed that it sealed for this site. Raises `UsageError`."""
        from cryptography.exceptions import InvalidTag

        try:
            return self._box(public[other], other, site, attempt).decrypt(bytes(12), bytes.fromhex(sealed), None)
        except (InvalidTag, ValueError):
            raise UsageError("a share of a seed isn't one that its site sealed for this one") from None

    def _box(self, public: str, sender: str, receiver: str, attempt: Attempt) -> AESGCM:
        """Return what a share is sealed with: under a key that is used for nothing else."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        names = json.dumps([sender, receiver]).encode()
        return AESGCM(_derived(self._shared(public), b"share", names + attempt.context))

    def _pair(self, public: str, site: str, other: str, attempt: Attempt) -> bytes:
        names = json.dumps(sorted([site, other])).encode()
        return _derived(self._shared(public), b"pair", names + attempt.context)

    def _shared(self, public: str) -> bytes:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

        return self._private.exchange(X25519PublicKey.from_public_bytes(bytes.fromhex(public)))


def opened(vectors: Mapping[str, Words], seeds: Mapping[str, bytes], attempt: Attempt) -> list[int]:
    """Return the sum of all members' vectors. Raises `UsageError` unless each sent one, and its seed."""
    members = set(attempt.members)
    if set(vectors) != members or set(seeds) != members:
        raise UsageError("a sum needs the vector and the seed of every member; some are missing")
    sizes = {len(vector) for vector in vectors.values()}
    if len(sizes) != 1 or any(len(seed) != SEED for seed in seeds.values()):
        raise UsageError("the sites' vectors don't have one length; they don't compute the same")
    total = np.zeros(sizes.pop(), dtype=np.uint64)
    for site in attempt.members:
        total = total + vectors[site] - _stream(seeds[site], len(total))
    return [int(n) for n in total.view(np.int64)]


def words(values: Sequence[int]) -> Words:
    """Return integers modulo 2⁶⁴."""
    return np.array([int(n) for n in values], dtype=np.int64).view(np.uint64)


def check_fits(values: Sequence[int], sites: int) -> None:
    """Raise `UsageError` where a sum over so many sites might not be told from one modulo 2⁶⁴."""
    if any(abs(n) > LARGEST // sites for n in values):
        raise UsageError("a site's sums are too large to be added to those of the others; declare narrower bounds")


def digest(*parts: str) -> str:
    """Return the SHA-256, as hex digits, of public texts, which no other texts have."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()


def _derived(secret: bytes, purpose: bytes, context: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    info = _VERSION.encode() + b"\0" + purpose + b"\0" + context
    return HKDF(SHA256(), SEED, salt=None, info=info).derive(secret)


def _stream(seed: bytes, count: int) -> Words:
    """Return `count` numbers of 64 bits from a seed, which is used for nothing else."""
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES256
    from cryptography.hazmat.primitives.ciphers.modes import CTR

    encryptor = Cipher(AES256(seed), CTR(bytes(16))).encryptor()
    return np.frombuffer(encryptor.update(bytes(8 * count)), dtype="<u8").astype(np.uint64)
