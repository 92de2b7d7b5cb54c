"""JSON, JSON lines and Avro: records as flat tables."""
