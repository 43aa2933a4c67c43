"""Published experiments done again: ``python -m reproductions.NAME FOLDER``, one module each.

FOLDER holds the sets in the layout of their names in sets.py; none is part of this project.
"""
