"""Anonymising tables: from a file or a frame, by way of its histogram, to one that meets the models that were asked for."""

from piiscan.anonymizing.request import Request
from piiscan.anonymizing.result import Anonymized

__all__ = ["Anonymized", "Request"]
