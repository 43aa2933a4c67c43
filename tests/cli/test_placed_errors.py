"""Errors about rows in memory name the file that they were read from, in the shell's words."""

import re

import pytest

from commands import Call

COMMANDS = [
    ("predict mail.model a.svm", "a.svm: expected named features, as learned from, got numbered"),
    ("test mail.model a.svm", "a.svm: expected named features"),
    ("predict table.model mail.txt", "mail.txt: expected the columns learned from, got 'free'"),
    ("test table.model mail.txt", "mail.txt: expected the columns learned from"),
    ("learn mail.txt --resume a.model", "mail.txt: expected numbered features, as in the rounds"),
    ("predict mail.model a.svm a.csv", "a.svm and others: expected named features"),
]


@pytest.mark.parametrize(("command", "said"), COMMANDS)
def test_an_error_names_the_file(call: Call, command: str, said: str) -> None:
    for file, more in (("mail", ".txt"), ("table", ".csv --label label"), ("a", ".svm")):
        source = "a" if file == "table" else file
        assert call(f"learn {source}{more} --save {file}.model").code == 0
    found = call(command)
    assert (found.code, found.err.startswith(f"novikoff: {said}")) == (3, True), found.err
    assert not re.search(r"\b(dicts?|frame|vectors?|indices)\b", found.err)
