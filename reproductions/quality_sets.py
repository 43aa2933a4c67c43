"""The sets of the quality table, as streams: rows, labels and the order they are played in.

    X, y, order = load("a9a")

X is a CSR matrix of float64 on the raw scales of the source, without a constant feature. With two
classes y holds −1 and +1, otherwise class ids from 0. X and y are already in the order of the
table: ``order[t]`` is the row of the file that is played in round t + 1. Streams that have an order
of their own keep it; numpy's ``default_rng(0)`` permutes the others.

``CHOSEN`` are the sets that were looked at when members of the blend were chosen. ``FRESH`` were
not: a learner that only does well on the former was fitted to the table. ``MANY`` have more than
two classes.
"""

import bz2
import gzip
import hashlib
import json
import lzma
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from reproductions import sets

Labels = npt.NDArray[np.int64]
Read = Callable[[Path], sets.Set]
WORD = r"\w+"  # for many classes; the default of scikit-learn drops words of one letter


class Rounds(NamedTuple):
    """A set in the order in which it is played."""

    X: sparse.csr_matrix
    y: Labels
    order: npt.NDArray[np.intp]

    def digest(self) -> str:
        """Return a hash of every row and label, in order."""
        found = hashlib.sha256(repr(self.X.shape).encode())
        for part, kind in (
            (self.X.indptr, "<i8"),
            (self.X.indices, "<i8"),
            (self.X.data, "<f8"),
            (self.y, "<i8"),
        ):
            found.update(np.ascontiguousarray(part, kind).tobytes())
        return found.hexdigest()


class Source(NamedTuple):
    """How to read a set, and whether the order of its file is the order of its stream."""

    read: Read
    in_order: bool = False


def load(name: str, folder: Path | None = None, rows: int | None = None) -> Rounds:
    """Return the set of this name; ``rows`` keeps only the first rounds."""
    if name not in SOURCES:
        raise SystemExit(f"{name}: expected one of {', '.join(SOURCES)}, got another name.")
    source = SOURCES[name]
    X, y = source.read(folder or sets.data_folder())
    return arranged(X, y, in_order=source.in_order, rows=rows)


def arranged(X: object, y: npt.ArrayLike, *, in_order: bool, rows: int | None = None) -> Rounds:
    """Return rows and labels as they are played."""
    labels = np.asarray(y)
    known = np.unique(labels)
    ids = labels if known.tolist() == [-1, 1] else np.searchsorted(known, labels)
    count = len(labels)
    order = np.arange(count) if in_order else np.random.default_rng(0).permutation(count)
    order = order[:rows]
    matrix = sparse.csr_matrix(X, dtype=np.float64)[order]
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return Rounds(matrix, ids[order].astype(np.int64), order)


def _binary(path: Path) -> gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile:
    if path.suffix == ".gz":
        return gzip.open(path)
    return bz2.open(path) if path.suffix == ".bz2" else lzma.open(path)


def _opened(path: Path) -> Iterator[str]:
    """Yield the lines of a compressed text."""
    with _binary(path) as file:
        yield from TextIOWrapper(file, encoding="utf-8", errors="replace")


def _numbered(*paths: str) -> Read:
    """Read svmlight files, one after another."""

    def read(folder: Path) -> sets.Set:
        from sklearn.datasets import load_svmlight_files

        with ExitStack() as stack:
            files = [stack.enter_context(_binary(folder / path)) for path in paths]
            parts = load_svmlight_files(files)
        return sparse.vstack(parts[::2]).tocsr(), np.concatenate(parts[1::2])

    return read


def _against(read: Read, positive: Iterable[int | str], negative: Iterable[int] = ()) -> Read:
    """Make two classes of many: these labels against those, or against all others."""

    def two(folder: Path) -> sets.Set:
        X, y = read(folder)
        plus, minus = np.isin(y, list(positive)), np.isin(y, list(negative))
        kept = (plus | minus) if minus.any() else np.ones(len(y), bool)
        return X[kept], np.where(plus[kept], 1, -1)

    return two


def _mixed(path: str, every: int, folder: Path) -> sets.Set:
    """Read numbers as they are and every value of a named column as a feature; label last."""
    import pandas

    table = pandas.read_csv(
        folder / path,
        header=None,
        skipinitialspace=True,
        keep_default_na=False,
        float_precision="round_trip",
    )[::every]
    columns = [table[name].to_numpy() for name in table]
    rows = sparse.hstack([_column(cells) for cells in columns[:-1]]).tocsr()
    return rows, np.char.rstrip(columns[-1].astype(str), ".")


def _column(cells: npt.NDArray[np.generic]) -> sparse.csr_matrix:
    """Return a column as one feature if it holds numbers, else as a feature for every name."""
    if np.issubdtype(cells.dtype, np.number):
        return sparse.csr_matrix(cells.astype(np.float64)[:, None])
    names, ids = np.unique(cells.astype(str), return_inverse=True)
    rows = np.arange(len(cells) + 1)
    return sparse.csr_matrix((np.ones(len(cells)), ids, rows), (len(cells), len(names)))


def _words(texts: Iterable[str], labels: Iterable[str], positive: str) -> sets.Set:
    """Return the words of each text as features of value 1."""
    from sklearn.feature_extraction.text import CountVectorizer

    rows = CountVectorizer(binary=True).fit_transform(texts)
    return rows, np.where(np.array(list(labels)) == positive, 1, -1)


def _sentences(positive: str, negative: str, folder: Path) -> sets.Set:
    texts, labels = [], []
    for path in (positive, negative):
        lines = list(_opened(folder / path))
        texts += lines
        labels += [path] * len(lines)
    return _words(texts, labels, positive)


def _mail(folder: Path) -> sets.Set:
    mails = [json.loads(line) for line in _opened(folder / "spamassassin/spamassassin.jsonl.xz")]
    return _words((m["text"] for m in mails), (m["label"] for m in mails), "spam")


def _news(one: str, other: str, folder: Path) -> sets.Set:
    posts = map(json.loads, _opened(folder / "newsgroups20/20news_bydate.jsonl.xz"))
    chosen = [post for post in posts if post["label"] in (one, other)]
    return _words((post["text"] for post in chosen), (post["label"] for post in chosen), one)


def _intents(folder: Path) -> sets.Set:
    """Read what people asked an assistant for, as words."""
    from sklearn.feature_extraction.text import CountVectorizer

    asked = [json.loads(line) for line in _opened(folder / "snips_nlu/snips.jsonl.gz")]
    texts = ["".join(part["text"] for part in one["data"]) for one in asked]
    rows = CountVectorizer(token_pattern=WORD, binary=True).fit_transform(texts)
    return rows, np.array([one["intent"] for one in asked])


def _satellite(folder: Path) -> sets.Set:
    lines = _opened(folder / "satimage/Satellite.csv.gz")
    cells = np.loadtxt(lines, str, delimiter=",", skiprows=1)
    return cells[:, :-1].astype(float), cells[:, -1]


def _pixels(rows: int, folder: Path) -> sets.Set:
    pixels, labels = sets.images(folder, "train")
    return pixels[:rows], labels[:rows].astype(np.int64)


def _small_digits(folder: Path) -> sets.Set:
    """Read the digits that scikit-learn ships."""
    from sklearn.datasets import load_digits

    found: sets.Set = load_digits(return_X_y=True)
    return found


def _handwriting(folder: Path) -> sets.Set:
    """Read letters of 16 × 8 pixels."""
    cells = [line.split() for line in _opened(folder / "ocr_letters/letters.tsv.gz")][1:]
    bits = [np.unpackbits(np.frombuffer(bytes.fromhex(row[-1]), np.uint8)) for row in cells]
    return np.array(bits), np.array([row[3] for row in cells])


def _phishing(folder: Path) -> sets.Set:
    """Read the phishing pages that river ships."""
    from river.datasets import Phishing

    rounds = list(Phishing())
    rows = [[x[key] for key in sorted(x)] for x, _ in rounds]
    return np.array(rows, float), np.where([y for _, y in rounds], 1, -1)


ADULT, KDD = "adult/adult.data.gz", "kddcup99_10pct/kddcup.data_10_percent.gz"
LETTER = _numbered("letter/letter.scale.gz", "letter/letter.scale.t.gz")
PENDIGITS = _numbered("pendigits/pendigits.gz", "pendigits/pendigits.t.gz")
USPS = _numbered("usps/usps.t.bz2")
CHOSEN: dict[str, Source] = {
    "a9a": Source(sets.BINARY["a9a"]),
    "w8a": Source(sets.BINARY["w8a"]),
    "ijcnn1": Source(sets.BINARY["ijcnn1"]),
    "elec2": Source(sets.BINARY["elec2"], in_order=True),
    "sms_spam": Source(sets.BINARY["sms_spam, words"], in_order=True),
    "spam_corpus": Source(sets.BINARY["spam_corpus"], in_order=True),
    "adult": Source(_against(partial(_mixed, ADULT, 1), [">50K"])),
    "magic04": Source(sets.BINARY["magic04"]),  # reading it shuffles it once already
    "spambase": Source(sets.BINARY["spambase"]),  # and this
    "svmguide1": Source(sets.BINARY["svmguide1"]),
    "mushrooms": Source(sets.BINARY["mushrooms"]),
    "kddcup99": Source(_against(partial(_mixed, KDD, 5), ["normal"]), in_order=True),
    "mnist_3_8": Source(sets.BINARY["MNIST 3 vs 8"]),
}
FRESH: dict[str, Source] = {
    "australian": Source(sets.BINARY["australian"]),
    "banana": Source(sets.BINARY["banana"]),
    "banknote": Source(sets.BINARY["banknote"]),
    "breast-cancer": Source(sets.BINARY["breast-cancer"]),
    "diabetes": Source(sets.BINARY["diabetes"]),
    "fourclass": Source(sets.BINARY["fourclass"]),
    "german": Source(partial(sets.svmlight, "libsvm_small/german.numer.gz", 1)),
    "heart": Source(sets.BINARY["heart"]),
    "ionosphere": Source(sets.BINARY["ionosphere"]),
    "phishing": Source(_phishing),
    "skin": Source(sets.BINARY["skin"]),
    "sonar": Source(sets.BINARY["sonar"]),
    "splice": Source(_against(_numbered("splice/splice.gz", "splice/splice.t.gz"), [1])),
    "wdbc": Source(sets.BINARY["wdbc"]),
    "polarity": Source(
        partial(
            _sentences,
            "sentence_polarity/rt-polarity.pos.gz",
            "sentence_polarity/rt-polarity.neg.gz",
        )
    ),
    "subjectivity": Source(
        partial(
            _sentences,
            "subjectivity/quote.tok.gt9.5000.gz",
            "subjectivity/plot.tok.gt9.5000.gz",
        )
    ),
    "spamassassin": Source(_mail, in_order=True),
    "news_religion": Source(partial(_news, "alt.atheism", "soc.religion.christian")),
    "letter_half": Source(_against(LETTER, range(1, 14))),
    "mnist_4_9": Source(partial(sets.digits, 4, 9)),
    "mnist_even": Source(_against(partial(_pixels, 60000), (0, 2, 4, 6, 8))),
    "ocr_vowels": Source(_against(_handwriting, "aeiou"), in_order=True),
    "pendigits_8": Source(_against(PENDIGITS, [8])),
    "satimage_damp": Source(_against(_satellite, ["damp grey soil"])),
    "usps_4_9": Source(_against(USPS, [5], [10])),  # its labels are the digits plus 1
}
MANY: dict[str, Source] = {
    "letter": Source(LETTER),
    "satimage": Source(_satellite),
    "usps": Source(USPS),
    "mnist_20k": Source(partial(_pixels, 20000)),
    "news20": Source(_numbered("news20/news20.bz2")),
    "pendigits": Source(PENDIGITS),
    "digits": Source(_small_digits),
    "snips": Source(_intents),
    "kddcup99_23": Source(partial(_mixed, KDD, 1)),
}
SOURCES = CHOSEN | FRESH | MANY
