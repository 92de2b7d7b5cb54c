"""SQLite and DuckDB databases, and the logs beside them."""
