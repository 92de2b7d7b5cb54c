"""Dumps of databases: files of SQL that `pg_dump`, `mysqldump` and SQLite's `.dump` write."""
