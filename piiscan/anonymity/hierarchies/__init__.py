"""Generalisation hierarchies: the labels that replace each value of a quasi-identifier, level by level."""
