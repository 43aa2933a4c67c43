"""The check of a certificate on data, and the command line."""

import hashlib
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial

from verifier.core.ahead import ahead
from verifier.core.certificate import (
    FLOAT_FORMAT,
    FORMAT,
    TRANSFORMS,
    BadData,
    Json,
    Object,
    Refused,
    TooLarge,
    Verdict,
    canonical,
    certificate_in,
    expect,
    fields,
    read_certificate,
    require,
    stated_states,
    text_of,
    unpacked,
)
from verifier.core.data import KINDS, AnyRounds, Data, FeatureRows, stated_labels
from verifier.core.files import Row, Rows, read_csv, read_predictions, read_svmlight
from verifier.core.learner import (
    LEARNERS,
    RUN_THEOREMS,
    AnyLearner,
    checked_parameters,
    is_about,
    is_integer,
    replayed,
)
from verifier.core.models import Model, Start, read_model, stated_start
from verifier.core.predicted import PREDICTION_CLAIMS, Measured, Predictions, Source
from verifier.core.theorem import CLAIMS, THEOREMS
from verifier.core.transforms import Transforms

Beginning = Model | AnyLearner | None  # a saved model, or a run that ended where this one begins
NO_PREDICTIONS = "it is about predictions, which are not given"

# What a certificate that is not made as one is may raise.
MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

# What a certificate says of data.
DATA = ("digest", "rows", "nonzeros", "dimension", "labels", "passes")

# What reads a file whose rows are neither svmlight nor CSV, by the key of `data.labels`.
READERS: dict[str, Callable[[str], Iterator[Row]]] = {}


def check_parts(content: Object) -> None:
    """Require that what it says of data and mistakes has the fields that are known here."""
    stated_labels(fields(content["data"], DATA, "data")["labels"], *KINDS)
    if isinstance(content["mistakes"], dict):
        fields(content["mistakes"], ("count", "rounds"), "mistakes")


def check_data(about: Object, data: AnyRounds) -> None:
    """Require that the data are those that a certificate is about."""
    found = data.about | {"passes": about["passes"]}
    require(canonical(about) == canonical(found), "these are not its data")


def part(content: Object, name: str) -> Object:
    """Return a field of a certificate that must be an object."""
    value = content[name]
    if not isinstance(value, dict):
        raise Refused(f"its {name} is no object")
    return value


def check_claim(content: Object, rows: Rows) -> Verdict:
    """Check a claim about data alone."""
    about = part(content, "data")
    names = CLAIMS[text_of(content["theorem"], "theorem")].evidence
    evidence = fields(content["evidence"], names, "evidence")
    data = Data(rows, about["labels"], evidence["bias"])
    check_data(about, data)
    return claimed(content, data)


def claimed(content: Object, data: Data) -> Verdict:
    """Check a claim about data that were read."""
    theorem = text_of(content["theorem"], "theorem")
    check_no_run(content)
    require(not data.many, "it claims of classes what is said of two labels")
    CLAIMS[theorem].check(part(content, "evidence"), data)
    return Verdict(True, theorem, None, None, "verified" + data.remark)


def check_no_run(content: Object) -> None:
    """Require that a certificate says nothing of a learner, because its claim is about none."""
    passes = part(content, "data")["passes"]
    run = content["learner"], content["mistakes"], passes, content["format"]
    require(run == (None, None, None, FORMAT), "it claims a run")
    require(TRANSFORMS not in content, "it claims of raw data what is said of others")


def check_predictions(content: Object, rows: Rows, source: Source | None) -> Verdict:
    """Check a claim about predictions, which come with the data."""
    theorem = text_of(content["theorem"], "theorem")
    claim, about = PREDICTION_CLAIMS[theorem], part(content, "data")
    evidence = fields(content["evidence"], (*claim.given, *claim.facts), "evidence")
    check_no_run(content)
    if source is None:
        raise Refused(NO_PREDICTIONS)
    data = claim.reads(rows, about["labels"], evidence.get("bias"))
    check_data(about, data)
    predictions = Predictions(source, evidence["kind"])
    same = evidence["predictions"] == predictions.digest
    require(same, "these are not its predictions")
    found = predicted(theorem, evidence, content["bound"], data, predictions)
    for name, value in found.facts.items():
        require(canonical(evidence[name]) == canonical(value), f"its {name} is not {value}")
    return Verdict(True, theorem, found.observed, found.bound, "verified" + data.remark)


def predicted(
    theorem: str, evidence: Object, bound: Json, data: AnyRounds, predictions: Predictions
) -> Measured:
    """Measure predictions of data that were read."""
    claim = PREDICTION_CLAIMS[theorem]
    require(claim.many or not data.many, "it claims of classes what is said of two labels")
    n, rows = predictions.count, data.count
    require(n == rows > 0, f"it has {n} predictions for {rows} rows")
    return claim.measure(evidence, bound, data, predictions)


def check_run(content: Object, rows: Rows, begin: Beginning) -> Verdict:
    """Play a run again, and evaluate the theorem on it."""
    learner, parameters = stated_learner(content)
    data = read(content, learner, parameters, rows, begin)
    return concluded(content, replayed_on(content, learner, parameters, data, begin))


def replayed_on(
    content: Object,
    learner: type[AnyLearner],
    parameters: Object,
    data: AnyRounds,
    begin: Beginning = None,
) -> AnyLearner:
    """Play the run of a certificate on its data. If they are others, nothing else counts."""
    about = part(content, "data")
    if data.digest is not None:
        check_data(about, data)
        return played(content, learner, parameters, data, begin)
    try:
        run = played(content, learner, parameters, data, begin)
    except (Refused, *MALFORMED):
        data.read()
        check_data(about, data)
        raise
    check_data(about, data)
    return run


def read(
    content: Object,
    learner: type[AnyLearner],
    parameters: Object,
    rows: Rows,
    begin: Beginning = None,
) -> AnyRounds:
    """Read the rounds of a run, transformed if the certificate says so."""
    bias, labels = parameters.get("bias"), part(content, "data")["labels"]
    if TRANSFORMS not in content:
        return learner.reads(rows, labels, bias)
    require(learner.transforms, "its learner takes no transforms")
    steps = Transforms(content[TRANSFORMS])
    if started(content) is None:
        return learner.reads(rows, labels, bias, steps)
    if isinstance(begin, Model):
        steps.begin_from(begin)
    elif begin is not None and isinstance(begin.data, Data) and begin.data.transforms:
        steps.follow(begin.data.transforms)
    return learner.reads(rows, labels, bias, steps)


def stated_learner(content: Object) -> tuple[type[AnyLearner], Object]:
    """Return the learner that a certificate states, and its parameters."""
    theorem = text_of(content["theorem"], "theorem")
    stated = fields(content["learner"], ("name", "parameters"), "learner")
    name = stated["name"]
    if not (isinstance(name, str) and name in LEARNERS):
        raise Refused("its learner is not one of those verified here")
    learner = LEARNERS[name]
    parameters = checked_parameters(name, stated["parameters"])
    about = learner.resumed if started(content) else learner.theorems
    require(is_about(theorem, about), "its theorem is not about this learner")
    general = RUN_THEOREMS.get(theorem)
    names, optional = (general.evidence, ()) if general else (learner.evidence, learner.optional)
    fields(content["evidence"], names, "evidence", optional)
    check_form(content, learner)
    return learner, parameters


def check_form(content: Object, learner: type[AnyLearner]) -> None:
    """Require the format of a learner; a state belongs to the second, with or without a program."""
    second = learner.program or ("states" in content and learner.resumed)
    form = FLOAT_FORMAT if second else FORMAT
    require(content["format"] == form, f"its learner takes a {form}")
    if second:
        require(content["program"] == learner.program, f"its program is not {learner.program}")


def started(content: Object) -> Start | None:
    """Return where the run of a certificate began."""
    return stated_start(content.get("start"))


def played(
    content: Object,
    learner: type[AnyLearner],
    parameters: Object,
    data: AnyRounds,
    begin: Beginning = None,
) -> AnyLearner:
    """Play the run of a certificate again, on data that were read once."""
    passes, transcript = part(content, "data")["passes"], part(content, "mistakes")
    if not (is_integer(passes) and passes > 0):
        raise Refused("its passes are no number")
    require(data.many == learner.many, "its labels are others")
    require(passes == 1 or not learner.once, "it is no run of one pass")
    changing = isinstance(data, FeatureRows) and data.transforms and data.transforms.running
    require(passes == 1 or not changing, "every pass after the first sees other rows")
    run = replayed(text_of(part(content, "learner")["name"], "learner"), data, parameters)
    begun(run, started(content), begin)
    about = run.resumed if started(content) else run.theorems
    theorem = text_of(content["theorem"], "theorem")
    require(is_about(theorem, about), "its theorem is not about this learner")
    rounds = unpacked(text_of(transcript["rounds"], "transcript"))
    states = stated_states(content.get("states", []))
    run.play(passes, part(content, "evidence"), rounds, states)
    return run


def begun(run: AnyLearner, start: Start | None, begin: Beginning) -> None:
    """Let a run go on from where its certificate says that it began."""
    if start is None:
        expect(begin is None, "the start", "none, because the run began anew", "a model")
        return
    if begin is None:
        raise BadData("the start: expected the model that the run began from, got none")
    if isinstance(begin, Model):
        run.begin(begin)
    else:
        run.follow(begin)
    if isinstance(run.data, Data) and run.data.transforms:
        run.data.transforms.begin()  # they were read through once
    require(run.states()[0] == start.state, "it began from another state")


def concluded(content: Object, run: AnyLearner) -> Verdict:
    """Evaluate the theorem of a certificate on its run, which was played again."""
    theorem, evidence = text_of(content["theorem"], "theorem"), part(content, "evidence")
    transcript, passes = part(content, "mistakes"), part(content, "data")["passes"]
    counted = {"count": run.mistakes, "rounds": transcript["rounds"]}
    require(canonical(transcript) == canonical(counted), "it miscounts its mistakes")
    run.confirm(evidence)
    general = RUN_THEOREMS.get(theorem)
    if general:
        bound = general.bound(run, passes == 1, evidence)
    else:
        bound = run.bound(theorem)
        require(bound < math.inf, "the bound is beyond every float")
        require((run.observed or 0) <= bound, "it refutes its theorem")  # which cannot be
    return Verdict(True, theorem, run.observed, bound, "verified" + run.data.remark + run.remark)


def check(
    content: Object, rows: Rows, predictions: Source | None = None, begin: Beginning = None
) -> Verdict:
    """Return the verdict on a content whose bound is the one found, or raise what is wrong."""
    check_words(content)
    check_parts(content)
    theorem = text_of(content["theorem"], "theorem")
    if predictions is not None and theorem not in PREDICTION_CLAIMS:
        raise BadData(f"the predictions: expected none, {theorem} is not about any, got some")
    if begin is not None and (theorem in CLAIMS or theorem in PREDICTION_CLAIMS):
        raise BadData(f"the start: expected none, {theorem} is not about a run, got a model")
    if theorem in PREDICTION_CLAIMS:
        return check_predictions(content, rows, predictions)
    return check_claim(content, rows) if theorem in CLAIMS else check_run(content, rows, begin)


def check_words(content: Object) -> None:
    """Require that a certificate states its theorem as it is stated here, or was earlier."""
    name = content["theorem"]
    if not (isinstance(name, str) and name in THEOREMS):
        raise Refused("its theorem is not one of those verified here")
    theorem = THEOREMS[name]
    statement, assumptions = content["statement"], content["assumptions"]
    words = hashlib.sha256(canonical([statement, assumptions])).hexdigest()
    if words in theorem.withdrawn:
        raise Refused("it lacks an assumption that its theorem needs: certify the run again")
    if words not in theorem.earlier or content["format"] != FORMAT:
        require(statement == theorem.statement, "its statement is another")
        stated = [*theorem.assumptions], [*theorem.assumptions, *theorem.further]
        require(assumptions in stated, "its assumptions are others")


def verify(
    text: bytes, rows: Rows, predictions: Source | None = None, begin: Beginning = None
) -> Verdict:
    """Verify a certificate on the rows, and the predictions, that it speaks of, from the model that
    its run began from.
    """
    theorem = None
    try:
        content = read_certificate(text)
        theorem = content["theorem"] if isinstance(content["theorem"], str) else None
        found = check(content, rows, predictions, begin)
        same = canonical(content["bound"]) == canonical(found.bound)
        require(same, f"its bound is not {found.bound}")
    except Refused as refusal:
        return Verdict(False, theorem, None, None, str(refusal))
    except MALFORMED as error:
        reason = f"it is not made as a certificate is: {type(error).__name__} {error}"
        return Verdict(False, theorem, None, None, reason[:200])
    except MemoryError:
        raise TooLarge("the certificate: its run takes more memory than there is") from None
    return found


def reader(text: bytes, path: str, words: list[str]) -> Rows:
    """Return what reads the data: as the labels ask for; CSV if a column of labels is named.

    A column that is a number is that of a file without a header; how else a file is to be read may
    follow it: delimiter=MARK and missing=zero or missing=feature, each at most once, and
    categorical=COLUMN and ignore=COLUMN, as often as it takes.
    """
    try:
        labels = json.loads(text)["data"]["labels"]
        found = [READERS[key] for key in labels if key in READERS]
    except (LookupError, RecursionError, TypeError, ValueError):
        found = []  # no certificate, which is refused whatever the data are
    if found or not words:
        return partial(found[0] if found else read_svmlight, path)
    label, *options = words
    given = [option.partition("=")[::2] for option in options]
    return partial(
        read_csv, path, int(label) if re.fullmatch("-?[0-9]{1,9}", label) else label,
        mark=b"".join(os.fsencode(value) for name, value in given if name == "delimiter"),
        texts=tuple(value for name, value in given if name == "categorical"),
        ignored=tuple(value for name, value in given if name == "ignore"),
        missing="".join(value for name, value in given if name == "missing") or "refuse",
    )  # fmt: skip


def predictions_in(name: str) -> Source:
    """Return what reads FILE, or FILE:COLUMN, of predictions."""
    path, _, column = (name, "", "") if os.path.isfile(name) else name.rpartition(":")
    expect(os.path.isfile(path), path or name, "a regular file of predictions", "none")
    return partial(read_predictions, path, column)


def separated(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the values of start=… and predictions=…, and all other words.

    Without "=" such a word is a column of labels.
    """
    named, others = dict[str, str](), list[str]()
    for word in words:
        name, mark, value = word.partition("=")
        if mark and name in ("start", "predictions"):
            named[name] = value
        else:
            others.append(word)
    return named, others


VERBS: dict[str, Callable[[list[str]], int]] = {}


def main(arguments: list[str]) -> int:
    """Verify a certificate file on a data file, or what else a first word asks for."""
    if len(arguments) > 1 and arguments[0] in VERBS:
        return VERBS[arguments[0]](arguments[1:])
    certificate, path, *words = arguments if len(arguments) > 1 else ("", "")
    named, others = separated(words)
    options = ("delimiter=", "missing=", "categorical=", "ignore=")
    once = len(others) + len(named) == len(words)
    if not certificate or not once or not all(w.startswith(options) for w in others[1:]):
        print("usage: verifier.py CERTIFICATE DATA.svm, or CERTIFICATE DATA.csv LABEL-COLUMN;")
        print("       and start=MODEL for a run that went on from a model;")
        print("       and predictions=FILE for a certificate about predictions;")
        print("       verifier.py --chain CERTIFICATE CERTIFICATE ...")
        return 2
    try:
        expect(os.path.isfile(path), path, "a regular file, which is read several times", "none")
        text = certificate_in(certificate)
        begin = read_model(named["start"]) if "start" in named else None
        given = predictions_in(named["predictions"]) if "predictions" in named else None
        verdict = verify(text, ahead(reader(text, path, others), path), given, begin)
    except (BadData, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    print(json.dumps(verdict._asdict()))
    return 0 if verdict.verified else 1
