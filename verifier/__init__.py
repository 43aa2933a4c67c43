"""The sources of the verifier: a core that knows no family of learners, and one file per family.

``python -m verifier.build`` writes them into one file, ``src/novikoff/verifier.py``, which the
package imports and which runs alone.
"""
