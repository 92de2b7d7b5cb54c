"""How similar synthetic rows are to the real ones.

The figures are exact: they are only for people who may see the data.
"""
