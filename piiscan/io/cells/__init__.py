"""What single cells hold: typed values, nested values, files inside cells, and the texts of code and markup."""
