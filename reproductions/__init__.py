"""Published experiments, reproduced: ``python -m reproductions.NAME FOLDER``, one module each.

FOLDER holds the sets under the names in sets.py; they are not part of this project.
"""
