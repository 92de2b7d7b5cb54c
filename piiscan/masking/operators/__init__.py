"""What a plan can do to a column. `base` says what an operator is; `registry.make` makes one by its name."""
