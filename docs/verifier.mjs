// A second verifier, in another language: node verifier.mjs certificate.json data.svm
//
// It judges certificates about the learner Perceptron (two labels, with or without a constant feature) by
// the theorems novikoff, hinge, hinge-tight, freund-schapire and run, on svmlight files. It believes nothing
// that it reads, and it leaves all other certificates unjudged.
// Exit 0: verified. 1: refused. 2: usage. 3: a file cannot be read. 4: not checked here.
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

class End extends Error {}  // thrown where a verdict is reached, or where there is none
const end = (code, text) => { throw Object.assign(new End(text), { code }); };
const refuse = (reason) => end(1, `refused: ${reason}`);
const leave = (what) => end(4, `not checked here: ${what}`);
const require_ = (condition, reason) => condition || refuse(reason);
const expect = (condition, where, what, got) => condition ||
  end(3, `${where}: expected ${what}, got ${quoted(Buffer.from(got, "latin1").toString().slice(0, 60))}`);

// 1. The theorems: what a certificate has to say, and its bound as [value, root, over], that is
// (value + √root)/over. The measures are whole: a = R²‖w‖² and Q in units of 1/one², L and L_I of 1/one.
const THEOREMS = {
  "novikoff": ["M ≤ R²‖w‖²/γ² where γ = min_t y_t w·x_t > 0", ({ a, least }) => {
    require_(least !== null && least > 0n, "its w does not separate the data");
    return [a, 0n, least * least];
  }],
  "hinge": ["M ≤ R²‖w‖² + 2L where L = Σ_t max(0, 1 − y_t w·x_t)",
    ({ a, L, one }) => [a + 2n * L * one, 0n, one * one]],
  "hinge-tight": ["M ≤ ((R‖w‖ + √(R²‖w‖² + 4L))/2)² where L = Σ_t max(0, 1 − y_t w·x_t)",
    ({ a, L, one }) => [a + 2n * L * one, a * a + 4n * a * L * one, 2n * one * one]],
  "freund-schapire": ["M ≤ (R‖w‖ + √Q)² where Q = Σ_t max(0, 1 − y_t w·x_t)²",
    ({ a, Q, one }) => [a + Q, 4n * a * Q, one * one]],
  "run": ["M ≤ L_I + ‖w‖√S_I where L_I = Σ_{t∈I} max(0, 1 − y_t w·x_t), S_I = Σ_{t∈I} ‖x_t‖²",
    ({ norm, mistaken: { L, S }, one }) => [L, norm * S, one]],
};

// 2. JSON, strictly: a whole number becomes a BigInt, a float a Number and an object a Map, so that 1, 1.0
// and true differ and a key that appears twice is seen.
const DEEPEST = 100;
const MOST_DIGITS = 4300;  // of a whole number, as in Python
const TOKEN = /[ \t\n\r]*("[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|\w+|[{}[\],:]|$)/sy;

function parsed(text) {
  let token = "", end = 0;
  const fail = () => refuse(`it is not JSON before character ${end + 1}`);
  function next() {  // past this token
    const before = token;
    TOKEN.lastIndex = end;
    token = TOKEN.exec(text)?.[1] ?? fail();
    end = TOKEN.lastIndex;
    return before;
  }
  const take = (wanted) => token === wanted && (next(), true);
  function items(close, item) {
    if (take(close)) return;
    do item(); while (take(","));
    if (!take(close)) fail();
  }

  function value(depth) {
    if (depth > DEEPEST) leave(`a certificate that is nested more than ${DEEPEST} deep`);
    const list = [], object = new Map();
    if (take("[")) return items("]", () => list.push(value(depth + 1))), list;
    if (take("{")) return items("}", () => member(object, depth + 1)), object;
    return plain(next());
  }

  function member(object, depth) {
    const key = token.startsWith('"') ? plain(next()) : fail();
    require_(!object.has(key), "a key appears twice");
    object.set(key, take(":") ? value(depth) : fail());
  }

  function plain(found) {  // JSON.parse knows escapes and refuses control characters
    try {
      if (!/^-?\d/.test(found)) return JSON.parse(found);
    } catch {
      fail();
    }
    if (/[.eE]/.test(found)) {
      require_(Number.isFinite(Number(found)), "a number is beyond every float");
      return Number(found);
    }
    require_(found.replace("-", "").length <= MOST_DIGITS, "a number has too many digits");
    return BigInt(found);
  }

  next();
  const found = value(0);
  return token === "" ? found : fail();
}

// 3. The canonical text of a value, which digests cover: Python's json.dumps, keys sorted, no spaces.
const quoted = (text) => JSON.stringify(text).replace(/[\x7f-\uffff]/g, (letter) =>
  `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

function floatText(value) {  // Python's repr
  if (Object.is(value, -0)) return "-0.0";
  const [digits, exponent] = value.toExponential().split("e");
  if (exponent < -4 || exponent >= 16) return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  return Number.isInteger(value) ? `${value}.0` : `${value}`;
}

function byCodePoint([a], [b]) {
  const x = [...a], y = [...b], k = x.findIndex((letter, i) => letter !== y[i]);
  return k < 0 || k >= y.length ? x.length - y.length : x[k].codePointAt(0) - y[k].codePointAt(0);
}

function canonical(value) {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return floatText(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!(value instanceof Map)) return String(value);
  const members = [...value].sort(byCodePoint);
  return `{${members.map(([key, item]) => `${quoted(key)}:${canonical(item)}`).join(",")}}`;
}
const isSame = (value, expected) => canonical(value) === canonical(new Map(Object.entries(expected)));

// 4. The form of a certificate.
const FORMAT = "novikoff-certificate/1";
const FIELDS = ["assumptions", "bound", "data", "evidence", "format", "learner", "mistakes", "sha256",
  "statement", "theorem"];

function fields(value, names, what) {  // a plain object of just these
  const sound = value instanceof Map && value.size === names.length && names.every((n) => value.has(n));
  require_(sound, `${what} must have the fields ${names.join(", ")}; this version knows no others`);
  return Object.fromEntries(value);
}

function readCertificate(bytes) {
  let text = null;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {}
  // Python reads UTF-16 too, which has a zero among the first two bytes or is no UTF-8.
  if (text === null || bytes.subarray(0, 2).includes(0)) leave("a certificate that is not in UTF-8");
  const content = parsed(text);
  const format = content instanceof Map ? content.get("format") : null;
  if (format === "novikoff-certificate/2") leave("a certificate of a float program");
  require_(format === FORMAT, `it is no ${FORMAT}`);
  if (content.has("transforms")) leave("a run whose rows were transformed");
  const covered = new Map([...content].filter(([name]) => name !== "sha256"));
  const remarks = content.has("remarks") ? content.get("remarks") : new Map();
  const isRemark = ([name, value]) => ["reading", "model"].includes(name) && value instanceof Map;
  require_(remarks instanceof Map && [...remarks].every(isRemark), "its remarks are others");
  content.delete("remarks");
  const found = fields(content, FIELDS, "it");
  const digest = createHash("sha256").update(canonical(covered)).digest("hex");
  require_(digest === found.sha256, "it has been changed");
  return found;
}

function readParameters(parameters) {
  const { bias, hashing, ties } = fields(parameters, ["bias", "hashing", "ties"], "its learner");
  require_(bias === null || typeof bias === "number", "its bias is no float");
  require_(ties === "positive" || ties === "mistake", "its ties are no rule");
  if (hashing === null) return { bias, ties, most: Infinity };
  const { bits, signed } = fields(hashing, ["bits", "signed"], "its hashing");
  require_(typeof bits === "bigint" && bits > 0n && bits < 31n, "its bits are not from 1 to 30");
  require_(typeof signed === "boolean", "its hashing is neither signed nor unsigned");
  return { bias, ties, most: 2 ** Number(bits) };  // so many features
}

function readComparator(entries) {  // {index: float}, the constant feature at −1
  require_(Array.isArray(entries), "its w is no list");
  const isWeight = (entry) => Array.isArray(entry) && entry.length === 2 &&
    typeof entry[0] === "bigint" && entry[0] >= -1n && typeof entry[1] === "number";
  require_(entries.every(isWeight), "its w has what is no weight");
  const w = new Map(entries);
  require_(w.size === entries.length, "its w has a weight twice");
  return w;
}

// 5. The data: lines LABEL [qid:DIGITS] (INDEX:VALUE)* [# comment], byte by byte.
const MOST_INDEX = 2 ** 31 - 18;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const isNumber = (text) => NUMBER.test(text) && Number.isFinite(Number(text));
const EXACT = 2 ** 53;  // beyond it floats no longer tell whole numbers apart

function isBeyondExact(text) {
  const near = Math.abs(Number(text));
  if (near !== EXACT) return near > EXACT;
  const [decimal, exponent = 0] = text.replace(/^[+-]/, "").split(/e/i);
  const [whole, places = ""] = decimal.split("."), shift = Number(exponent) - places.length;
  const tens = (power) => 10n ** BigInt(Math.max(0, power));
  return BigInt(whole + places) * tens(shift) > BigInt(EXACT) * tens(-shift);
}

function readLabel(token, where) {  // a number or a word
  if (isNumber(token)) {
    expect(!isBeyondExact(token), where, "a label of at most 2^53", token);
    return Number(token);
  }
  const word = /^[a-z_\x80-\xff][^:,]*$/i.test(token) && !/^(nan|inf|infinity)$/i.test(token);
  expect(word, where, "a finite number or a word as the label", token);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(token, "latin1"));
  } catch {
    return expect(false, where, "a label in UTF-8", token);
  }
}

function readEntries(tokens, where) {  // [index from 0, value], ascending, without zeros
  const found = new Map();
  for (const token of tokens) {
    const [, index, value] = /^(\d+):(.*)$/s.exec(token) ?? [];
    expect(index !== undefined, where, "index:value", token);
    expect(index >= 1 && index <= MOST_INDEX, where, `an index from 1 to ${MOST_INDEX}`, index);
    expect(isNumber(value), where, `a finite value for feature ${index}`, value);
    expect(!found.has(Number(index)), where, "each feature once", token);
    found.set(Number(index), Number(value));
  }
  const kept = [...found].filter(([, value]) => value !== 0).sort(([a], [b]) => a - b);
  return kept.map(([index, value]) => [index - 1, value]);
}

const LONGEST_LINE = 2 ** 28;

function readRows(bytes, name, positive) {
  const wanted = typeof positive === "boolean" ? Number(positive) : positive;
  const isWord = typeof wanted === "string", rows = [];
  const top = bytes.toString("latin1", 0, 3);
  expect(top !== "BZh", `${name}:1`, "plain text", "a file of bzip2");
  let start = top === "\xef\xbb\xbf" ? 3 : 0;
  for (let line = 1; start < bytes.length; line++) {
    const found = bytes.indexOf(10, start), end = found < 0 ? bytes.length : found;
    expect(end - start < LONGEST_LINE, `${name}:${line}`, `a line of at most ${LONGEST_LINE} bytes`, "more");
    const text = bytes.toString("latin1", start, end).replace(/\r$/, "").replace(/#.*$/s, "");
    const [first, ...rest] = text.split(/[ \t]+/).filter((token) => token !== "");
    start = end + 1;
    if (first === undefined) continue;
    const where = `${name}:${line}`, label = readLabel(first, where);
    const query = rest[0]?.startsWith("qid:") ? rest.shift() : "qid:0";
    expect(/^qid:\d+$/.test(query), where, "a whole number after qid:", query);
    // Numbers are equal as numbers: == compares a Number with a BigInt exactly.
    const y = (typeof label === "string") === isWord && label == wanted ? 1 : -1;
    rows.push({ y, x: readEntries(rest, where) });
  }
  return rows;
}

function digestOf(rows) {  // per row: label, count, (index, value)…, little-endian
  const hash = createHash("sha256");
  for (const { y, x } of rows) {
    const bytes = Buffer.alloc(5 + 16 * x.length);
    bytes.writeInt8(y, 0);
    bytes.writeUInt32LE(x.length, 1);
    x.forEach(([index, value], k) => {
      bytes.writeBigUInt64LE(BigInt(index), 5 + 16 * k);
      bytes.writeDoubleLE(value, 13 + 16 * k);
    });
    hash.update(bytes);
  }
  return hash.digest("hex");
}

// 6. Exact arithmetic: a float is a whole number over a power of two.
function exactly(value) {  // [whole, shift] with value = whole/2^shift; doubling never rounds
  let shift = 0;
  for (; !Number.isInteger(value); shift++) value *= 2;
  return [BigInt(value), shift];
}

function onGrid(vectors) {  // the least grid for which all value·2^grid are whole, and these
  const exact = vectors.map((x) => x.map(([index, value]) => [BigInt(index), ...exactly(value)]));
  const grid = exact.reduce((most, x) => x.reduce((g, [, , shift]) => Math.max(g, shift), most), 0);
  return [grid, exact.map((x) => x.map(([j, whole, shift]) => [j, whole << BigInt(grid - shift)]))];
}

const sum = (values) => values.reduce((total, value) => total + value, 0n);
const dot = (w, x) => sum(x.map(([j, v]) => (w.get(j) ?? 0n) * v));
const norm2 = (x) => sum(x.map(([, v]) => v * v));

function reaches(float, [value, root, over]) {  // float ≥ (value + √root)/over
  const [whole, shift] = exactly(float);
  const above = whole * over - (value << BigInt(shift));
  return above >= 0n && above * above >= root << BigInt(2 * shift);
}

function isLeast(float, bound) {  // of the floats that reach the bound, which is not below 0
  if (float === 0) return reaches(0, bound);
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, float);
  view.setBigUint64(0, view.getBigUint64(0) - 1n);
  return reaches(float, bound) && !reaches(view.getFloat64(0), bound);
}

// 7. The run, played again: w ← w + y x on a mistake.
function play(rows, passes, ties, most) {
  const w = new Map(), mistakes = [];
  for (let pass = 0, t = 0, before = -1; pass < passes && mistakes.length > before; pass++) {
    before = mistakes.length;  // every pass after a clean one is clean
    for (const { y, x } of rows) {
      t++;
      const score = y * dot(w, x);
      if (score > 0n || (score === 0n && y > 0n && ties === "positive")) continue;
      require_(mistakes.push(t) <= most, "the run makes more mistakes when it is played again");
      for (const [j, v] of x) w.set(j, (w.get(j) ?? 0n) + y * v);
    }
  }
  return mistakes;
}

function packed(rounds) {  // their gaps in base 128, low digits first, all in base 64
  const digits = [];
  rounds.forEach((t, k) => {
    let gap = t - (k ? rounds[k - 1] : 0);
    for (; gap > 127; gap = Math.floor(gap / 128)) digits.push((gap % 128) | 128);
    digits.push(gap);
  });
  return Buffer.from(digits).toString("base64");
}

function measured(rows, w, one, passes, mistakes) {
  const margins = rows.map(({ y, x }) => y * dot(w, x)), squares = rows.map(({ x }) => norm2(x));
  const losses = margins.map((margin) => (margin < one ? one - margin : 0n));
  const wrong = mistakes.map((t) => (t - 1) % rows.length), norm = norm2([...w]);
  return {
    one, norm, a: norm * squares.reduce((most, square) => (square > most ? square : most), 0n),
    least: margins.reduce((least, margin) => (least === null || margin < least ? margin : least), null),
    L: passes * sum(losses), Q: passes * sum(losses.map((loss) => loss * loss)),
    mistaken: { L: sum(wrong.map((k) => losses[k])), S: sum(wrong.map((k) => squares[k])) },
  };
}

// 8. The verdict.
function readRun(content) {  // what it takes to play the run
  const { theorem, learner, data, mistakes } = content;
  const isKnown = typeof theorem === "string" && Object.hasOwn(THEOREMS, theorem);
  if (typeof theorem === "string" && !isKnown) leave(`the theorem ${quoted(theorem.slice(0, 60))}`);
  const name = learner instanceof Map ? learner.get("name") : null;
  if (typeof name === "string" && name !== "Perceptron") leave(`the learner ${quoted(name.slice(0, 60))}`);
  require_(isKnown && content.statement === THEOREMS[theorem][0], "its statement is another");
  require_(canonical(content.assumptions) === "[]", "its assumptions are others");
  const { parameters } = fields(learner, ["name", "parameters"], "its learner");
  require_(name === "Perceptron", "its learner has no name");
  const w = readComparator(fields(content.evidence, ["w"], "its evidence").w);
  const { labels, passes } = fields(data, ["digest", "dimension", "labels", "nonzeros", "passes", "rows"], "its data");
  const { positive } = fields(labels, ["positive"], "its labels");
  require_(["string", "bigint", "number", "boolean"].includes(typeof positive), "its label is none");
  require_(typeof passes === "bigint" && passes > 0n, "its passes are no whole number above 0");
  const { rounds } = fields(mistakes, ["count", "rounds"], "its mistakes");
  require_(typeof rounds === "string", "its mistakes are no rounds");
  return { ...readParameters(parameters), w, labels, positive, passes, room: rounds.length };
}

function check(content, bytes, name) {
  const { bias, ties, most, w, labels, positive, passes, room } = readRun(content);
  const rows = readRows(bytes, name, positive);
  const nonzeros = rows.reduce((total, { x }) => total + x.length, 0);
  const dimension = rows.reduce((d, { x }) => Math.max(d, x.length ? x.at(-1)[0] + 1 : 0), 0);
  const counts = { rows: BigInt(rows.length), nonzeros: BigInt(nonzeros), dimension: BigInt(dimension) };
  require_(isSame(content.data, { digest: digestOf(rows), ...counts, labels, passes }), "these are not its data");
  require_(dimension <= most, "its data are not hashed");

  const [grid, vectors] = onGrid(rows.map(({ x }) => (bias ? [[-1, bias], ...x] : x)));
  const exact = rows.map(({ y }, t) => ({ y: BigInt(y), x: vectors[t] }));
  const mistakes = play(exact, passes, ties, room);
  const transcript = { count: BigInt(mistakes.length), rounds: packed(mistakes) };
  require_(isSame(content.mistakes, transcript), "the run makes other mistakes when it is played again");

  const [finer, [weights]] = onGrid([[...w]]), { theorem, bound } = content;
  const found = measured(exact, new Map(weights), 1n << BigInt(grid + finer), passes, mistakes);
  const exactBound = THEOREMS[theorem][1](found);
  require_(typeof bound === "number" && !floatText(bound).startsWith("-"), "its bound is no float from 0 on");
  require_(isLeast(bound, exactBound), "its bound is another");
  require_(mistakes.length <= bound, "the mistakes are more than its bound");
  const remark = rows.some(({ y }) => y > 0) ? "" : `; no row has the label ${canonical(positive).slice(0, 60)}`;
  return `verified: ${theorem}, ${mistakes.length} ≤ ${bound}${remark}`;
}

export function verify(certificate, data, name = "data") {  // of the bytes of both files
  try {
    return { code: 0, text: check(readCertificate(certificate), data, name) };
  } catch (error) {
    if (!(error instanceof End)) throw error;
    return { code: error.code, text: error.message };
  }
}

function readRegular(path) {  // without waiting for the writer of a pipe
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    expect(fstatSync(file).isFile(), path, "a regular file", "something else");
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function main([certificate, data, ...more]) {
  if (data === undefined || more.length > 1)
    return { code: 2, text: "usage: node verifier.mjs CERTIFICATE DATA.svm" };
  if (more.length) return { code: 4, text: "not checked here: CSV files" };
  try {
    return verify(readRegular(certificate), readRegular(data), data);
  } catch (error) {  // they cannot be read, or are too large for this engine
    return { code: 3, text: error.message };
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { code, text } = main(process.argv.slice(2));
  console.log(text);
  process.exitCode = code;
}
