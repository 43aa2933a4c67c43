"""Blocks: many x's in one form."""
