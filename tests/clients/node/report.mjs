// What every script of a Node client shares: the case, and the one line of JSON that says what the client saw.

import { readFileSync } from "node:fs";

export const { question, evidence, models } = JSON.parse(readFileSync(process.env.CASE, "utf8"));
export const CITESTREAM = process.env.CITESTREAM ?? "http://127.0.0.1:8787";
export const KEY = process.env.CITESTREAM_KEY ?? "none";
const LEAVE_MILLISECONDS = 5000; // within which the provider of a client that leaves has to be let go

const ways = [];
const shown = {};
const print = process.stdout.write.bind(process.stdout);

// One way to use the client: `ask(model)` for every provider, and what else it is looked at for.
// via: where it finds the references. looks: calls, reasoning, retrieved, again, error, broken, left.
// What `ask` returns: text, usage, references (their links or names), points_at (the text at their offsets),
// lost (what its user looks for in vain: name -> what is there instead, nothing).
export async function way(name, via, ask, looks = {}) {
  const found = { way: name, via, seen: {} };
  for (const model of models) found.seen[model] = await guarded(() => printing(ask, model));
  for (const [look, ask] of Object.entries(looks)) found[look] = await guarded(ask);
  ways.push(found);
}

export function report(client, packageName) {
  const { version } = JSON.parse(readFileSync(new URL(`node_modules/${packageName}/package.json`, import.meta.url), "utf8"));
  print(`${JSON.stringify({ client, version, ways, shown }, (_, value) => value ?? null)}\n`);
}

// The error that asking ends with: its type and message.
export async function raised(ask) {
  try {
    await ask();
  } catch (error) {
    return { type: error.constructor.name, message: String(error.message) };
  }
  throw new Error("no error");
}

// The text that arrives before a stream breaks off, and the error.
export async function broken(pieces) {
  let text = "";
  const error = await raised(async () => {
    for await (const piece of pieces()) text += piece;
  });
  return { text, ...error };
}

// Whether the provider of this stream, which the client has just left, was let go.
export async function left(model) {
  const answer = await fetch(`${process.env.SILENT}/left/${model}`, { signal: AbortSignal.timeout(LEAVE_MILLISECONDS) });
  return answer.ok;
}

// The references of an answer, from the endpoint for clients that drop them.
export async function side(identity) {
  const answer = await fetch(`${CITESTREAM}/v1/references/${identity}`, { headers: { Authorization: `Bearer ${KEY}` } });
  return (await answer.json()).references;
}

// What start and end, in code points, point at: JavaScript's own indexes count UTF-16 units.
export function slice(text, start, end) {
  return Array.from(text).slice(start, end).join("");
}

async function printing(ask, model) {
  let printed = "";
  process.stdout.write = (text) => (printed += text, true);
  try {
    return await ask(model);
  } finally {
    process.stdout.write = print;
    shown[ask.name] ??= printed; // of the first model
  }
}

async function guarded(look) {
  try {
    return (await look()) ?? { failed: "nothing" };
  } catch (error) {
    return { failed: `${error.constructor.name}: ${error.message}` };
  }
}
