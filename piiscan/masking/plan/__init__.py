"""Plans: which operator masks which column, as text that a person reads, edits and commits."""
