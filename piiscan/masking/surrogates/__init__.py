"""Surrogates: made-up people, numbers and places that look like the originals and aren't anybody's.

Everything here is a pure function of (subkey, what is masked, parameters), vectorised over distinct values. `personas`
makes people whose names, e-mail and gender agree, `home_locale` tells by `countries` where somebody is from; the other
modules make one kind of value each.
`piiscan.masking.operators.surrogate` wraps them as operators.
"""
