// A verifier in another language: node verifier.mjs certificate.json data.svm
// Exit 0: verified, 1: refused, 2: usage, 3: a file that cannot be read.
// Two labels, the perceptron without a constant feature, the theorems `novikoff` and `hinge`.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";

const refuse = (reason) => { console.log(`refused: ${reason}`); process.exit(1); };
const require_ = (condition, reason) => condition || refuse(reason);

// A float is a whole number over a power of two: value = numerator / 2^1074, exactly.
const view = new DataView(new ArrayBuffer(8));
const GRID = 1074n;
function whole(value) {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 2047n, fraction = bits & ((1n << 52n) - 1n);
  const size = exponent ? (fraction | (1n << 52n)) << (exponent - 1n) : fraction;
  return value < 0 ? -size : size;
}

// Step 1: the data. Rows as (y, indices, values), ascending, without zeros; their digest.
function readRows(path, positive) {
  const rows = [];
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const [label, ...words] = line.split("#")[0].trim().split(/\s+/);
    if (!label) continue;
    const items = words.map((word) => word.split(":").map(Number));
    const kept = items.filter(([, value]) => value !== 0).sort(([a], [b]) => a - b);
    const found = typeof positive === "string" ? label : Number(label);
    rows.push({ y: found === positive ? 1 : -1, x: kept.map(([j, v]) => [j - 1, v]) });
  }
  return rows;
}

function digest(rows) {
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

// Step 2: the rounds of the mistakes, from their gaps in base 128.
function unpacked(text) {
  const rounds = [];
  let last = 0, gap = 0, scale = 1;
  for (const digit of Buffer.from(text, "base64")) {
    gap += (digit & 127) * scale;
    scale *= 128;
    if (digit < 128) { last += gap; rounds.push(last); gap = 0; scale = 1; }
  }
  return rounds;
}

// Step 3: play the run again, in whole numbers. w ← w + y x on a mistake.
const dot = (w, x) => x.reduce((sum, [j, v]) => sum + (w.get(j) ?? 0n) * v, 0n);

function play(rows, passes, ties) {
  const w = new Map(), mistakes = [];
  for (let pass = 0, t = 0; pass < passes; pass++)
    for (const { y, x } of rows) {
      t++;
      const score = BigInt(y) * dot(w, x);
      if (score > 0n || (score === 0n && y > 0 && ties === "positive")) continue;
      mistakes.push(t);
      for (const [j, v] of x) w.set(j, (w.get(j) ?? 0n) + BigInt(y) * v);
    }
  return mistakes;
}

// Step 4: the bound as a fraction, from the comparator.
function exactBound(theorem, rows, passes, comparator) {
  const w = new Map(comparator.map(([j, v]) => [j, whole(v)]));
  const square = (values) => values.reduce((sum, v) => sum + v * v, 0n);
  const max = (values) => values.reduce((a, b) => (a > b ? a : b), 0n);
  const norm2 = square([...w.values()]);
  const radius2 = max(rows.map(({ x }) => square(x.map(([, v]) => v))));
  const margins = rows.map(({ y, x }) => BigInt(y) * dot(w, x)); // over 2^(2·1074)
  if (theorem === "novikoff") {
    const least = margins.reduce((a, b) => (a < b ? a : b));
    require_(least > 0n, "its w does not separate the data");
    return [radius2 * norm2, least * least];
  }
  const one = 1n << (2n * GRID);
  const hinge = margins.reduce((sum, m) => sum + (m < one ? one - m : 0n), 0n) * BigInt(passes);
  return [radius2 * norm2 + 2n * hinge * one, one * one];
}

const atLeast = (value, [n, d]) => whole(value) * d >= n << GRID;
function before(value) {
  view.setFloat64(0, value);
  view.setBigUint64(0, view.getBigUint64(0) - 1n);
  return view.getFloat64(0);
}

const [path, data] = process.argv.slice(2);
if (!data) { console.log("usage: node verifier.mjs CERTIFICATE DATA.svm"); process.exit(2); }
for (const file of [path, data])
  if (!existsSync(file)) { console.log(`${file}: expected a file, got none`); process.exit(3); }
const certificate = JSON.parse(readFileSync(path, "utf8"));
const { theorem, learner, evidence, bound, mistakes } = certificate;
require_(certificate.format === "novikoff-certificate/1", "it is another format");
require_(["novikoff", "hinge"].includes(theorem), `this verifier does not know ${theorem}`);
require_(learner.name === "Perceptron" && !learner.parameters.bias, "this verifier does not know its learner");
const passes = certificate.data.passes, rows = readRows(data, certificate.data.labels.positive)
const numbers = rows.map(({ y, x }) => ({ y, x: x.map(([j, v]) => [j, whole(v)]) }));
require_(digest(rows) === certificate.data.digest, "these are not its data");
require_(certificate.data.rows === rows.length, "the data have another number of rows");
const stated = unpacked(mistakes.rounds), played = play(numbers, passes, learner.parameters.ties);
require_(stated.length === mistakes.count && String(stated) === String(played), "the run is another when played");
const exact = exactBound(theorem, numbers, passes, evidence.w);
require_(atLeast(bound, exact) && !atLeast(before(bound), exact), "its bound is another");
require_(mistakes.count <= bound, "the mistakes are more than its bound");
console.log(`verified: ${theorem}, ${mistakes.count} ≤ ${bound}`);
