"""The corpus in tests/corpus/certificates/javascript.

python tests/javascript_corpus.py  # writes it anew
"""

import json
from pathlib import Path

import javascript_cases
import javascript_forgeries

CORPUS = Path(__file__).parent / "corpus" / "certificates"
FOLDER = CORPUS / "javascript"


def contents() -> dict[str, bytes]:
    """The files of the corpus by their names; equal bytes are one file."""
    cases = [
        *javascript_cases.true_claims(),
        *javascript_cases.labels(),
        *javascript_cases.files(),
        *javascript_cases.unreadable(),
        *javascript_forgeries.false_claims(),
        *javascript_forgeries.false_texts(),
        *javascript_forgeries.true_texts(),
        *javascript_forgeries.others(),
    ]
    files: dict[bytes, str] = {}
    index = []
    for case in cases:
        found = {
            "certificate": files.setdefault(case.certificate, f"{case.name}.json"),
            "data": files.setdefault(case.data, f"{case.name}.svm"),
            "column": None,
            "verdict": case.verdict,
            "why": case.why,
        }
        index.append(found)
    return {name: content for content, name in files.items()} | {
        "index.json": (json.dumps(index, indent=1, ensure_ascii=False) + "\n").encode(),
        ".gitattributes": b"* -text\n",
    }


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in FOLDER.iterdir():
        path.unlink()
    for name, content in contents().items():
        (FOLDER / name).write_bytes(content)
