"""How much synthetic rows are like the real ones. The figures are exact: they are for whoever may see the data."""
