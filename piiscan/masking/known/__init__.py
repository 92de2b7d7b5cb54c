"""Values that the columns of a run hold, looked for wherever else they stand: in texts, in whatever look."""
