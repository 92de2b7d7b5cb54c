"""Which encoding a text has, and its content as UTF-8."""
