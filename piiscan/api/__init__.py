"""The Python interface: one module for each verb.

Private: import from `piiscan` and its façades, not from here.
"""
