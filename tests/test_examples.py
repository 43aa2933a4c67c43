"""The examples run, and print what their pages say."""

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def _main(path: Path) -> Callable[..., None]:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., None] = module.main
    return found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.stem))
def test_an_example_prints_what_its_page_says(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main = _main(path)
    if main.__code__.co_argcount:
        main([])
    else:
        main()
    page = (ROOT / "docs" / f"example_{path.stem}.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert capsys.readouterr().out == told


def test_the_spam_filter_reads_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["ham\tsee you at home", "spam\twin a free prize"] * 100
    (tmp_path / "sms.txt").write_text("\n".join(lines), encoding="utf-8")
    _main(ROOT / "examples" / "spam_filter.py")([str(tmp_path / "sms.txt")])
    assert "200 messages, 100 of them spam" in capsys.readouterr().out


def test_every_example_has_a_page_in_the_contents() -> None:
    contents = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) >= 6
    for path in EXAMPLES:
        assert f"\nexample_{path.stem}\n" in contents
