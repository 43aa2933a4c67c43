"""Receipts: what the theorems allow for a run, and a certificate of the smallest bound.

``receipt.py`` asks and answers; ``family.py`` says what each kind of learner contributes.
"""
