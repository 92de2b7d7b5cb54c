"""Texts that mark up their values: settings, markup and source code, as tables and the texts beside them."""
