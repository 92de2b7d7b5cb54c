"""Personal data inside free text, as spans."""
