"""Generalisation hierarchies: what each value of a quasi-identifier becomes, level by level."""
