"""Searches for the generalisation that loses least and meets the models."""
