"""What masking leaves of a table's use: each column before and after it, as sums that add exactly and hold no cell.

As for the summaries of a scan (`piiscan.detection.summary`), `of(a) + of(b) == of(a followed by b)` bit for bit, for
every cut and order of the
rows: a report is the same for any batch size and number of threads.
"""
