"""From batches to summaries: every cell against every rule.

`reference` says what is counted, a cell at a time and slowly; `column` counts the same, vectorised. A test holds the
two together on random tables.
"""
