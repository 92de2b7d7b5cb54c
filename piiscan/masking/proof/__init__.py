"""Checks that no value of a person is left: every output cell is cut up and looked up among the originals."""
