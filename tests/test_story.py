"""The story of the documentation, told again with the real messages."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import novikoff as nv
from commands import Call

STORY = Path(__file__).parents[1] / "docs" / "story.md"
SETS = {
    "5,574 text messages": "sms_spam/SMSSpamCollection.gz",
    "6,046 mails, in the order of their dates": "spamassassin/spamassassin.jsonl.xz",
}


def told(section: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a section, each with what it printed."""
    text = STORY.read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.replace("\\\n", "").partition("\n")
            yield command, printed


def done(command: str, call: Call) -> str:
    if command.startswith("novikoff "):
        return call(command.removeprefix("novikoff ")).out
    alone = command.replace("python ", f"{sys.executable} ")
    return subprocess.run(["bash", "-c", alone], check=True, capture_output=True, text=True).stdout


NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(text)]


@pytest.mark.parametrize("section", SETS)
def test_every_command_prints_what_is_told(data: Path, call: Call, section: str) -> None:
    """To the last mistake; bounds, which are searched for, to a hundredth."""
    file = data / SETS[section]
    if not file.exists():
        pytest.skip(f"no {SETS[section]} among the datasets")
    Path(file.name).symlink_to(file)
    shutil.copy(Path(nv.__file__).with_name("verifier.py"), "verifier.py")
    commands = list(told(section))
    assert len(commands) >= 2
    for command, printed in commands:
        found = re.sub(r", [\d.]+ s\n", ", 0 s\n", done(command, call))
        expected = re.sub(r", [\d.]+ s\n", ", 0 s\n", printed)
        assert NUMBER.sub("0", found) == NUMBER.sub("0", expected), command
        assert numbers(found) == pytest.approx(numbers(expected), rel=1e-2), command
        counts = re.findall(r"([\d,]+) (?:mistakes in|rounds|features)", expected)
        assert counts == re.findall(r"([\d,]+) (?:mistakes in|rounds|features)", found)


def test_the_table_s_best_rows_are_the_story_s() -> None:
    text = STORY.read_text()
    best = re.findall(r"\*\*(\d+)\*\*", text)
    assert best == ["186", "135"]
    assert all(f": {count} mistakes in" in text for count in best)
