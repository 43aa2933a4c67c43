// Judges pairs of certificate and data, a line of standard input each, in base 64.
import { createInterface } from "node:readline";
import { verify } from "../docs/verifier.mjs";

for await (const line of createInterface({ input: process.stdin })) {
  const [certificate, data] = line.split(" ").map((text) => Buffer.from(text, "base64"));
  console.log(JSON.stringify(verify(certificate, data)));
}
