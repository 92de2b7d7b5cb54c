"""A stand-in for Airflow."""
