"""What the fuzzers found, and their seeds, read as files."""

from pathlib import Path

import numpy as np
import pytest

import novikoff as nv

SEEDS = sorted((Path(__file__).parents[2] / "fuzz" / "seeds").glob("*/*"))
FORMATS = ("svmlight", "csv", "vw", "text")


@pytest.mark.parametrize("format", FORMATS)
def test_no_seed_breaks_a_reader(format: str, tmp_path: Path) -> None:
    """Whatever the bytes, a file is rounds or faults, the same by one thread and by two."""
    assert SEEDS
    for seed in SEEDS:
        file = tmp_path / "seed"
        file.write_bytes(b"a,label\n" * (format == "csv") + seed.read_bytes())
        found = [_read(file, format, threads) for threads in (1, 2)]
        assert found[0] == found[1], seed


def _read(file: Path, format: str, threads: int) -> object:
    stream = nv.read(file, format, on_bad="skip", threads=threads)
    rows, labels = [], []
    try:
        for rounds in stream.blocks():
            labels += list(rounds.labels)
            for t in range(len(rounds.rows)):
                row = rounds.rows.row(t)
                pair = row.items() if isinstance(row, dict) else zip(*row, strict=True)
                rows.append([(name, float(value)) for name, value in pair])
                assert all(np.isfinite(value) for _, value in rows[-1])
    except nv.InputError as error:  # no UTF-8 in a header, say
        return str(error)
    return rows, labels, stream.skipped, stream.faults
