"""Receipts: what the theorems allow for a run, and the certificate of the least of it.

``receipt.py`` asks and answers; ``family.py`` says what each kind of learner contributes.
"""
