"""Reads a table, charges the ledger and draws the noise, in the order that makes a release safe."""
