"""Scans, masks and counts tables in parts, on engines of several machines: Spark, Ray and Dask.

Private: import `piiscan.distributed`, `piiscan.spark`, `piiscan.ray` or `piiscan.dask`.
"""
