"""Texts whose values have places of their own: HL7, X12, EDIFACT, MT940, QIF, GEDCOM, and tables between bars."""
