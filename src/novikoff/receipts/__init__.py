"""Receipts: what the theorems allow for a run, and the certificate of the least of it.

``receipt.py`` asks and answers. Nothing is imported here: to learn takes only a part of it.
"""
