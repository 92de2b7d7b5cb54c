"""Re-identification risk, and k-anonymity and its kin, on the histogram of a table."""
