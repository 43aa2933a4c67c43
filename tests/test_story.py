"""The story of the documentation, told again with the real messages."""

import re
import shutil
from pathlib import Path

import pytest

import novikoff as nv
from commands import Call
from consoles import assert_as_told

STORY = Path(__file__).parents[1] / "docs" / "story.md"
SETS = {
    "5,574 text messages": "sms_spam/SMSSpamCollection.gz",
    "6,046 mails, in the order of their dates": "spamassassin/spamassassin.jsonl.xz",
}


@pytest.mark.parametrize("section", SETS)
def test_every_command_prints_what_is_told(data: Path, call: Call, section: str) -> None:
    """To the last mistake; bounds, which are searched for, to a hundredth."""
    file = data / SETS[section]
    if not file.exists():
        pytest.skip(f"no {SETS[section]} among the datasets")
    Path(file.name).symlink_to(file)
    shutil.copy(Path(nv.__file__).with_name("verifier.py"), "verifier.py")
    text = STORY.read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    assert assert_as_told(text, call) >= 2


def test_the_table_s_best_rows_are_the_story_s() -> None:
    text = STORY.read_text()
    best = re.findall(r"\*\*(\d+)\*\*", text)
    assert best == ["186", "135"]
    assert all(f": {count} mistakes in" in text for count in best)
