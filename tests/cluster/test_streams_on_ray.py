"""Many streams and mixtures of shards on Ray: the same bits as without it."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load

import novikoff as nv
from novikoff import cluster

pytest.importorskip("ray", reason="the extra novikoff[cluster] is not installed")
pytestmark = pytest.mark.cluster


def rows() -> "tuple[np.ndarray, np.ndarray]":
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3)).round(2)
    return X, np.where(X @ [1.0, -2.0, 0.5] + rng.normal(size=600) > 0, 1, -1)


def contents(folder: Path) -> dict[str, list[object]]:
    """What every archive holds: the header of a bundle lists its parts in any order."""
    found: dict[str, list[object]] = {}
    for path in sorted(folder.glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            texts = [archive.read(name) for name in names if name.endswith(".json")]
            bundles = [load(archive.read(name)) for name in names if name.endswith(".runs")]
            plain = [{name: a.tolist() for name, a in bundle.items()} for bundle in bundles]
            found[path.name] = [names, texts, plain]
    return found


def test_two_workers_give_the_bits_of_one_process(tmp_path: Path) -> None:
    """One start of Ray for both, because it takes seconds."""
    import ray

    X, y = rows()
    keys = [f"sensor {t % 37}" for t in range(600)]
    path = tmp_path / "rows.csv"
    lines = [
        f"{k},{','.join(map(str, x))},{s}" for k, x, s in zip(keys, X.tolist(), y, strict=True)
    ]
    path.write_text("\n".join(["who,a,b,c,label", *lines]) + "\n")
    here = cluster.play_by("who", nv.Blend(), nv.read(path), folder=tmp_path / "here")
    alone = cluster.play(nv.Blend(), nv.stream(X, y), shards=4, held_out=0.1)
    there = cluster.play_by(
        "who", nv.Blend(), nv.read(path), folder=tmp_path / "there", address="local", workers=2
    )
    assert not ray.is_initialized()
    assert [*there.summaries()] == [*here.summaries()]
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    spread = cluster.play(
        nv.Blend(), nv.stream(X, y), shards=4, held_out=0.1, address="local", workers=2
    )
    assert spread.ledger.loss == alone.ledger.loss
    for name, array in alone.learner.state().items():
        assert np.array_equal(spread.learner.state()[name], array), name
