"""The real sets, as rows and labels; none of them is part of this project."""

import bz2
import gzip
import json
import lzma
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

Set = tuple[Any, Any]  # rows and labels


def data_folder() -> Path:
    """Return the folder that NOVIKOFF_DATA names, or ../shared/data."""
    default = Path(__file__).parents[2] / "shared" / "data"
    return Path(os.environ.get("NOVIKOFF_DATA", default))


def svmlight(path: str, positive: float, folder: Path) -> Set:
    """Read an svmlight file."""
    from sklearn.datasets import load_svmlight_file

    with gzip.open(folder / path) as file:
        X, y = load_svmlight_file(file)
    return X, np.where(y == positive, 1, -1)


def table(path: str, positive: str, folder: Path, *, skip: int = 0, comma: str = ",") -> Set:
    """Read rows of numbers with the label in the last column, shuffled: most are sorted by it."""
    with gzip.open(folder / path, "rt") as file:
        cells = np.loadtxt(file, str, delimiter=comma, skiprows=skip)
    cells = np.random.default_rng(0).permutation(np.char.strip(cells, ' "'))
    return cells[:, :-1].astype(float), np.where(cells[:, -1] == positive, 1, -1)


def ionosphere(folder: Path) -> Set:
    """Read ionosphere, whose second column is 0 throughout."""
    return table("ionosphere/Ionosphere.csv.gz", "good", folder, skip=1)


def words(folder: Path) -> Set:
    """Read text messages as counts of their words."""
    from sklearn.feature_extraction.text import CountVectorizer

    with gzip.open(folder / "sms_spam/SMSSpamCollection.gz", "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t", 1) for line in file]
    rows = CountVectorizer(binary=True).fit_transform(text for _, text in lines)
    return rows.astype(float), np.array([1 if label == "spam" else -1 for label, _ in lines])


def prices(folder: Path) -> Set:
    """Read elec2 in the order of its half hours."""
    with gzip.open(folder / "elec2/elec2.csv.gz", "rt") as file:
        cells = np.loadtxt(file, str, delimiter=",", skiprows=1)
    return cells[:, :-1].astype(float), np.where(cells[:, -1] == "UP", 1, -1)


def images(folder: Path, part: str) -> tuple[Any, Any]:
    """Read MNIST's ``train`` or ``t10k``: 784 pixels from 0 to 255, and digits."""
    raw = []
    for name in (f"{part}-images-idx3-ubyte.gz", f"{part}-labels-idx1-ubyte.gz"):
        with gzip.open(folder / "mnist" / name) as file:
            raw.append(np.frombuffer(file.read(), np.uint8))
    return raw[0][16:].reshape(-1, 784), raw[1][8:]


def digits(one: int, other: int, folder: Path) -> Set:
    """Read two of MNIST's digits, pixels between 0 and 1."""
    pixels, labels = images(folder, "train")
    chosen = np.isin(labels, (one, other))
    return pixels[chosen] / np.float32(256), np.where(labels[chosen] == one, 1, -1)


def newsgroups(folder: Path) -> Set:
    """Read news20, counts of words and 20 classes, as unit vectors of tf-idf."""
    from sklearn.datasets import load_svmlight_file

    with bz2.open(folder / "news20/news20.bz2") as file:
        X, y = load_svmlight_file(file)
    return _weighed(X), y.astype(int)


def posts(folder: Path) -> Set:
    """Read the 20 newsgroups from their texts, as unit vectors of tf-idf."""
    with lzma.open(folder / "newsgroups20/20news_bydate.jsonl.xz", "rt") as file:
        found = [json.loads(line) for line in file]
    return _texts([one["text"] for one in found], [one["label"] for one in found])


def intents(folder: Path) -> Set:
    """Read what people say to an assistant, 7 classes, as unit vectors of tf-idf."""
    with gzip.open(folder / "snips_nlu/snips.jsonl.gz", "rt") as file:
        found = [json.loads(line) for line in file]
    said = ["".join(part["text"] for part in one["data"]) for one in found]
    return _texts(said, [one["intent"] for one in found])


def satellite(folder: Path) -> Set:
    """Read satimage, 36 brightnesses divided by 255 and 6 classes."""
    with gzip.open(folder / "satimage/Satellite.csv.gz", "rt") as file:
        cells = np.loadtxt(file, str, delimiter=",", skiprows=1)
    return cells[:, :-1].astype(float) / 255, np.unique(cells[:, -1], return_inverse=True)[1]


def _texts(texts: list[str], labels: list[str]) -> Set:
    from sklearn.feature_extraction.text import CountVectorizer

    counts = CountVectorizer(min_df=2).fit_transform(texts)
    return _weighed(counts), np.unique(labels, return_inverse=True)[1]


def _weighed(counts: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfTransformer

    return TfidfTransformer().fit_transform(counts)


CLASSES: dict[str, Callable[[Path], Set]] = {
    "news20, tf-idf": newsgroups,
    "newsgroups20, tf-idf": posts,
    "snips, tf-idf": intents,
    "satimage / 255": satellite,
}
"""Sets with several classes."""
BINARY: dict[str, Callable[[Path], Set]] = {
    "a9a": partial(svmlight, "a9a/a9a.gz", 1),
    "australian": partial(svmlight, "libsvm_small/australian.gz", 1),
    "banana": partial(svmlight, "banana/banana.gz", 1),
    "banknote": partial(table, "banknote/data_banknote_authentication.txt.gz", "1"),
    "breast-cancer": partial(svmlight, "libsvm_small/breast-cancer_scale.gz", 1),
    "diabetes": partial(svmlight, "libsvm_small/diabetes_scale.gz", 1),
    "elec2": prices,
    "fourclass": partial(svmlight, "libsvm_small/fourclass.gz", 1),
    "german": partial(svmlight, "libsvm_small/german.numer_scale.gz", 1),
    "heart": partial(svmlight, "libsvm_small/heart.gz", 1),
    "ijcnn1": partial(svmlight, "ijcnn1/ijcnn1.val.gz", 1),
    "ionosphere": ionosphere,
    "magic04": partial(table, "magic04/magic04.data.gz", "g"),
    "mushrooms": partial(svmlight, "mushrooms/mushrooms.gz", 2),
    "skin": partial(table, "skin/Skin_NonSkin.txt.gz", "1", comma="\t"),
    "sms_spam, words": words,
    "sonar": partial(table, "sonar/Sonar.csv.gz", "M", skip=1),
    "spam_corpus": partial(svmlight, "spam_corpus/spam_corpus.svm.gz", 1),
    "spambase": partial(table, "spambase/spambase.data.gz", "1"),
    "splice": partial(svmlight, "splice/splice.gz", 1),
    "svmguide1": partial(svmlight, "svmguide1/svmguide1.gz", 1),
    "w8a": partial(svmlight, "w8a/w8a.gz", 1),
    "wdbc": partial(table, "wdbc/breast_cancer.csv.gz", "0", skip=1),
    "MNIST 3 vs 8": partial(digits, 3, 8),
}
