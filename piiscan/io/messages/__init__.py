"""Files of messages and records in notations of their own: HL7, X12, EDIFACT, MT940, QIF and GEDCOM."""
