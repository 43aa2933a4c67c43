"""Files: every format gives the rounds that are in it, however it is stored."""

import bz2
import contextlib
import fcntl
import gzip
import lzma
import os
import subprocess
import sys
import termios
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import novikoff as nv
from oracle.limits import little_memory

ROWS, FEATURES = 3000, 40


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    X = np.round(rng.normal(size=(ROWS, FEATURES)), 3) * (rng.random((ROWS, FEATURES)) < 0.3)
    X[:, -1] = 1.0
    y = np.where(X @ rng.normal(size=FEATURES) + 0.3 * rng.normal(size=ROWS) > 0, 1, -1)
    return X, y


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, data: tuple[Any, Any]) -> Path:
    """The same numbers in every form of file."""
    X, y = data
    path = tmp_path_factory.mktemp("files")
    svm = path / "data.svm"
    dump_svmlight_file(X, y, str(svm), zero_based=False)
    text = svm.read_bytes()
    (path / "data.svm.gz").write_bytes(gzip.compress(text))
    (path / "data.svm.bz2").write_bytes(bz2.compress(text))
    (path / "data.svm.xz").write_bytes(lzma.compress(text))
    (path / "data.svm.zst").write_bytes(pa.Codec("zstd").compress(text, asbytes=True))
    (path / "windows.svm").write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n").rstrip())
    names = [f"f{j}" for j in range(FEATURES)]
    with open(path / "data.csv", "w") as file:
        file.write(",".join([*names[:7], "label", *names[7:]]) + "\n")
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            cells = [*map(repr, row[:7]), str(label), *map(repr, row[7:])]
            file.write(",".join(cells) + "\n")
    table = pa.table({name: X[:, j] for j, name in enumerate(names)} | {"label": y})
    pa.parquet.write_table(table, path / "data.parquet", row_group_size=700)
    with pa.ipc.new_file(str(path / "data.arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=500)
    nv.cache(nv.read(svm), path / "cache.arrow")
    return path


@pytest.fixture(scope="module")
def played(data: tuple[Any, Any]) -> nv.Run:
    return nv.play(nv.Perceptron(), nv.stream(*data), digest=True)


def same(run: nv.Run, other: nv.Run) -> bool:
    return (
        run.ledger.digest == other.ledger.digest
        and run.ledger.rounds == other.ledger.rounds
        and np.array_equal(run.ledger.mistake_rounds, other.ledger.mistake_rounds)
    )


FORMS = [
    "data.svm", "data.svm.gz", "data.svm.bz2", "data.svm.xz", "data.svm.zst", "windows.svm",
    "data.csv", "data.parquet", "data.arrow", "cache.arrow",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_form_of_file_is_the_same_stream(
    folder: Path, played: nv.Run, form: str, threads: int
) -> None:
    """The same digest and the same mistakes from every form of file, with any number of threads."""
    run = nv.play(nv.Perceptron(), nv.read(folder / form, threads=threads), digest=True)
    assert same(run, played)


@pytest.mark.parametrize("form", ["data.svm", "data.svm.gz", "data.csv"])
def test_standard_input_is_a_file_called_minus(folder: Path, played: nv.Run, form: str) -> None:
    format = "csv" if form.endswith("csv") else "svmlight"
    program = (
        "import novikoff as nv\n"
        f"run = nv.play(nv.Perceptron(), nv.read('-', {format!r}), digest=True)\n"
        "print(run.ledger.digest, run.mistakes)"
    )
    with open(folder / form, "rb") as file:
        found = subprocess.run(
            [sys.executable, "-c", program], stdin=file, capture_output=True, text=True, check=True
        )
    assert found.stdout.split() == [played.ledger.digest, str(played.mistakes)]


def test_several_files_are_one_stream(folder: Path, tmp_path: Path, played: nv.Run) -> None:
    """Files are read one after the other; a pattern names them in the order of their names."""
    lines = (folder / "data.svm").read_bytes().splitlines(keepends=True)
    for k, start in enumerate(range(0, ROWS, 1000)):
        (tmp_path / f"part{k}.svm").write_bytes(b"".join(lines[start : start + 1000]))
    for path in (tmp_path / "*.svm", sorted(tmp_path.iterdir())):
        run = nv.play(nv.Perceptron(), nv.read(path), digest=True)
        assert same(run, played)
    with pytest.raises(nv.InputError, match="expected a pattern that some file matches"):
        nv.read(tmp_path / "*.csv")


def test_passes_read_the_file_again(folder: Path, data: tuple[Any, Any]) -> None:
    """Several passes over a file are several passes over its rounds."""
    one = nv.play(nv.Perceptron(), nv.read(folder / "data.svm"), passes=3)
    two = nv.play(nv.Perceptron(), nv.stream(*data), passes=3)
    assert np.array_equal(one.ledger.mistake_rounds, two.ledger.mistake_rounds)


def test_agrees_with_scikit_learn_s_loader(folder: Path) -> None:
    """Rows and labels are those that scikit-learn reads."""
    X, y = load_svmlight_file(str(folder / "data.svm"), n_features=FEATURES)
    rows, labels = [], []
    for rounds in nv.read(folder / "data.svm").blocks():
        for t in range(len(rounds.rows)):
            dense = np.zeros(FEATURES)
            indices, values = rounds.rows.row(t)
            dense[indices] = values
            rows.append(dense)
        labels += list(rounds.labels)
    assert np.array_equal(np.array(rows), X.toarray())
    assert np.array_equal(labels, y)


def test_a_certificate_of_a_file_verifies_on_another_form_of_it(folder: Path) -> None:
    """The run's own file is read again for its receipt, and by the verifier for itself."""
    run = nv.play(nv.Perceptron(), nv.read(folder / "data.svm"))
    certificate = nv.certify(run)
    assert nv.verify(certificate, nv.read(folder / "data.csv")).verified


BAD_SVMLIGHT = [
    ("1 1:2\n1x 1:1\n", 2, "label"),
    ("1 1:2\nnan 1:1\n", 2, "label"),
    ("1 1:2\n\n# nothing\n-1 3:nan\n", 4, "finite value for feature 3"),
    ("1 0:1\n", 1, "indices from 1"),
    ("1 -2:1\n", 1, ""),
    ("1 2:1 2:3\n", 1, "once"),
    ("1 99999999999:1\n", 1, "at most"),
    ("1 2:1e400\n", 1, "finite"),
    ("1 2:0x10\n", 1, ""),
    ("1 2\n", 1, ""),
    ("1 2:1\x00\n", 1, ""),
    ("1,2 2:1\n", 1, "label"),
]


@pytest.mark.parametrize(("text", "line", "said"), BAD_SVMLIGHT)
def test_a_bad_line_has_an_address(tmp_path: Path, text: str, line: int, said: str) -> None:
    """What is wrong is said with file and line, what was expected and what was there."""
    file = tmp_path / "bad.svm"
    file.write_text("-1 1:1\n" + text)
    with pytest.raises(nv.InputError) as caught:
        nv.play(nv.Perceptron(), nv.read(file))
    message = str(caught.value)
    assert message.startswith(f"{file}:{line + 1}: expected ")
    assert ", got " in message
    assert said in message
    assert "on_bad='skip'" in message


def test_rounds_before_a_bad_line_are_played(tmp_path: Path) -> None:
    """A file stops at its first bad line, whatever the threads."""
    good = "".join(f"{1 if k % 3 else -1} {k % 50 + 1}:1\n" for k in range(90_000))
    file = tmp_path / "late.svm"
    file.write_text(good + "1 oops\n" + good)
    for threads in (1, 2):
        run = nv.Run(nv.Perceptron())
        with pytest.raises(nv.InputError, match=rf"{file}:90001: expected"):
            run.play(nv.read(file, threads=threads))
        assert run.ledger.rounds == 90_000


def test_bad_lines_can_be_skipped(tmp_path: Path) -> None:
    """Skipped lines are counted, and the first ten are kept."""
    file = tmp_path / "some.svm"
    file.write_text("1 1:1\n-1 2:x\n" * 25)
    stream = nv.read(file, on_bad="skip")
    run = nv.play(nv.Perceptron(), stream)
    assert (run.ledger.rounds, stream.skipped, len(stream.faults)) == (25, 25, 10)
    assert stream.faults[1].startswith(f"{file}:4: expected")


def test_a_label_that_fits_no_pair_has_an_address(tmp_path: Path) -> None:
    """Labels are judged by the run; the file's line is in the error all the same."""
    file = tmp_path / "labels.svm"
    file.write_text("# a comment\n1 1:1\n3 1:1\n")
    with pytest.raises(nv.InputError, match=rf"^{file}:3: expected labels .* got 3"):
        nv.play(nv.Perceptron(), nv.read(file))


def test_labels_may_be_words(tmp_path: Path) -> None:
    """Words are labels of svmlight files too, as export writes them."""
    file = tmp_path / "words.svm"
    file.write_text("ham 1:1\nspam 2:1 # free\nœuvre 1:1 2:1\nspam\n7 3:1\n")
    (rounds,) = nv.read(file).blocks()
    assert rounds.labels == ["ham", "spam", "œuvre", "spam", 7]


def test_a_row_without_a_label_is_not_learned_from(tmp_path: Path) -> None:
    """A row without a label cannot be learned from."""
    file = tmp_path / "unlabelled.svm"
    file.write_text("1:1 2:1\n")
    with pytest.raises(nv.InputError, match=rf"^{file}:1: expected a label"):
        nv.play(nv.MulticlassPerceptron(), nv.read(file, "svmlight"))


def test_a_line_longer_than_a_chunk_is_one_row(tmp_path: Path) -> None:
    """A line far longer than a chunk is one row."""
    file = tmp_path / "long.svm"
    row = " ".join(f"{j}:1" for j in range(1, 400_001))
    file.write_text(f"1 {row}\n-1 1:1\n")
    run = nv.play(nv.Perceptron(), nv.read(file))
    assert (run.ledger.rounds, run.learner.dimension) == (2, 400_000)


def test_numbers_are_read_as_python_reads_them(tmp_path: Path) -> None:
    """Every decimal becomes the nearest double."""
    rng = np.random.default_rng(1)
    texts = [
        f"{m}e{e}"
        for m, e in zip(rng.integers(1, 10**18, 400), rng.integers(-330, 290, 400), strict=True)
    ]
    texts += ["0.1", "1e-400", "5e-324", "2.2250738585072011e-308", "9007199254740993", "1.", ".5"]
    file = tmp_path / "numbers.svm"
    file.write_text("".join(f"1 1:{text}\n" for text in texts))
    found = [
        float(rounds.rows.row(t)[1].sum())
        for rounds in nv.read(file).blocks()
        for t in range(len(rounds.rows))
    ]
    assert found == [float(text) for text in texts]


def test_a_slow_pipe_is_played_as_it_arrives(tmp_path: Path) -> None:
    """A line is played when it is there, not when a chunk is full."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    seen: list[int] = []
    learned = threading.Event()

    def feed() -> None:
        with open(pipe, "wb", buffering=0) as file:
            file.write(b"1 1:1\n-1 2:1\n")
            learned.wait(20)
            file.write(b"1 1:1\n")

    feeder = threading.Thread(target=feed)
    feeder.start()
    for rounds in nv.read(pipe, "svmlight").blocks():
        seen.append(len(rounds.rows))
        learned.set()
    feeder.join()
    assert learned.is_set()
    assert seen == [2, 1]


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("svmlight", b"1 1:1 " + b" ".join(b"%d:0.5" % j for j in range(2, 20)) + b"\n"),
        ("vw", b"1 | " + b" ".join(b"w%d" % j for j in range(2, 20)) + b"\n"),
        ("csv", b"label,name\n1,free\n-1," + 20 * b"money " + b"\n"),
        ("text", b"1\t" + 20 * b"money " + b"\n"),
    ],
)
def test_a_line_may_come_in_many_pieces(tmp_path: Path, kind: str, line: bytes) -> None:
    """Each piece is read before the next is written; none asks for more memory than the last."""
    pipe, plain = tmp_path / "pipe", tmp_path / "plain"
    os.mkfifo(pipe)
    plain.write_bytes(line)

    def feed() -> None:
        with contextlib.suppress(BrokenPipeError), open(pipe, "wb", buffering=0) as file:
            for byte in line:
                file.write(bytes([byte]))
                while int.from_bytes(fcntl.ioctl(file, termios.FIONREAD, bytes(4)), "little"):
                    time.sleep(0.0005)

    feeder = threading.Thread(target=feed)
    feeder.start()
    with little_memory():
        found = [len(rounds.rows) for rounds in nv.read(pipe, kind).blocks()]
    feeder.join()
    assert sum(found) == sum(len(rounds.rows) for rounds in nv.read(plain, kind).blocks())


@pytest.mark.parametrize("on_bad", ["stop", "skip"])
def test_rows_before_a_bad_line_do_not_wait_for_what_follows(tmp_path: Path, on_bad: Any) -> None:
    pipe, played = tmp_path / "pipe", threading.Event()
    os.mkfifo(pipe)
    waited: list[bool] = []

    def feed() -> None:
        with contextlib.suppress(BrokenPipeError), open(pipe, "wb", buffering=0) as file:
            file.write(b"1 1:1\n-1 2:1\n1 1:x\n")
            waited.append(played.wait(20))
            file.write(b"1 1:1\n")

    feeder = threading.Thread(target=feed)
    feeder.start()
    found = 0
    expected = pytest.raises(nv.InputError, match=":3: expected a finite value for feature 1")
    with expected if on_bad == "stop" else contextlib.nullcontext():
        for rounds in nv.read(pipe, "svmlight", on_bad=on_bad).blocks():
            found += len(rounds.rows)
            played.set()
    feeder.join()
    assert (waited, found) == ([True], 2 if on_bad == "stop" else 3)


def test_a_reader_that_has_stopped_takes_nothing_more() -> None:
    """The descriptor may be closed then, and its number may be that of another file."""
    reads, writes = os.pipe()
    reader = nv._core.Reader(reads, b"", nv._core.Svmlight(False), False, 3, 1000)
    reader.stop()
    os.write(writes, b"1 1:1\n")
    time.sleep(0.1)  # a thread that still waited would read it now
    os.set_blocking(reads, False)
    assert os.read(reads, 100) == b"1 1:1\n"
    assert reader.next() is None
    os.close(reads)
    os.close(writes)


def test_a_stream_given_up_leaves_no_thread(folder: Path) -> None:
    """Threads end when nobody asks for more."""
    before = threading.active_count()
    for form in ("data.svm", "data.svm.gz"):
        blocks = nv.read(folder / form, threads=4).blocks()
        next(blocks)
        blocks.close()  # type: ignore[attr-defined]
    deadline = time.monotonic() + 20
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("name", "shorten"),
    [("data.svm.gz", 0.5), ("data.svm.xz", 0.5), ("data.svm.bz2", 0.5), ("data.svm.zst", 0.5)],
)
def test_a_broken_archive_is_named(folder: Path, tmp_path: Path, name: str, shorten: float) -> None:
    """An archive that ends in its middle is an error, not a shorter stream."""
    whole = (folder / name).read_bytes()
    file = tmp_path / name
    file.write_bytes(whole[: int(len(whole) * shorten)])
    with pytest.raises(nv.InputError, match=rf"{file}: expected a whole \w+ file"):
        nv.play(nv.Perceptron(), nv.read(file, "svmlight"))


def test_an_archive_that_ends_in_a_line_is_broken_not_malformed(tmp_path: Path) -> None:
    """The line that was cut is no fault of its own."""
    whole = gzip.compress(b"".join(b"1 %d:0.12345678\n" % k for k in range(1, 60_000)))
    for size in range(len(whole) - 4000, len(whole) - 3000, 97):
        file = tmp_path / "cut.svm.gz"
        file.write_bytes(whole[:size])
        with pytest.raises(nv.InputError, match="expected a whole gzip file"):
            nv.play(nv.Perceptron(), nv.read(file))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(nv.InputError, match="expected a file, got: No such file"):
        nv.read(tmp_path / "nowhere.svm")
    with pytest.raises(nv.InputError, match="expected a file, got"):
        nv.read(tmp_path)


def test_a_broken_cache_is_named(folder: Path, tmp_path: Path) -> None:
    """A cache that was cut short is refused."""
    file = tmp_path / "cut.arrow"
    file.write_bytes((folder / "cache.arrow").read_bytes()[:5000])
    with pytest.raises(nv.InputError, match=f"{file}: expected a whole"):
        nv.play(nv.Perceptron(), nv.read(file))


def test_a_tampered_cache_is_named_not_believed(folder: Path, tmp_path: Path) -> None:
    """Whatever byte is changed, a cache is read or refused; nothing is read beyond it."""
    whole = (folder / "cache.arrow").read_bytes()
    rng = np.random.default_rng(0)
    file = tmp_path / "tampered.arrow"
    for place in rng.integers(0, len(whole), 150).tolist() + list(range(600, 1400, 13)):
        changed = bytearray(whole)
        changed[place] ^= 0xC1
        file.write_bytes(changed)
        with contextlib.suppress(nv.InputError, nv.ParameterError), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a label that is no number any more
            nv.play(nv.Perceptron(), nv.read(file, "arrow"))


def test_a_child_process_leaves_its_parent_s_file_alone(tmp_path: Path) -> None:
    """After a fork the threads that read are the parent's; the child neither waits nor crashes."""
    file = tmp_path / "large.svm"
    file.write_bytes(b"1 1:1 2:2\n-1 1:2\n" * 200_000)
    program = (
        "import os, sys, novikoff as nv\n"
        "blocks = nv.read(sys.argv[1], threads=4).blocks()\n"
        "first = next(blocks)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    blocks.close()\n"
        "    os._exit(0)\n"
        "code = os.waitpid(child, 0)[1]\n"
        "rest = sum(len(rounds.rows) for rounds in blocks)\n"
        "sys.exit(code or len(first.rows) + rest != 400_000)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(file)], check=False).returncode == 0


def test_a_named_pipe_is_read_once(tmp_path: Path) -> None:
    """A pipe needs its format by name, and cannot be played again."""
    pipe = tmp_path / "pipe.svm"
    os.mkfifo(pipe)
    with pytest.raises(nv.ParameterError, match="format: expected svmlight, vw, csv"):
        nv.read(pipe)
    assert not nv.read(pipe, "svmlight").replayable


def test_a_cache_is_another_file_than_its_source(folder: Path, tmp_path: Path) -> None:
    """A file is not replaced by its own cache, nor written where there is no folder."""
    file = tmp_path / "data.svm"
    file.write_bytes((folder / "data.svm").read_bytes())
    with pytest.raises(nv.ParameterError, match="path: expected another file"):
        nv.cache(nv.read(file), file)
    with pytest.raises(nv.InputError, match="expected a folder that exists"):
        nv.cache(nv.read(file), tmp_path / "nowhere" / "c.arrow")
