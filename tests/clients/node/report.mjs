// Functions of all scripts of Node clients: the case, and one line of JSON that reports what the client received.

import { readFileSync } from "node:fs";

export const { question, evidence, models } = JSON.parse(readFileSync(process.env.CASE, "utf8"));
export const CITESTREAM = process.env.CITESTREAM ?? "http://127.0.0.1:8787";
export const KEY = process.env.CITESTREAM_KEY ?? "none";
const CLOSE_MILLISECONDS = 5000; // until the stream of the provider must be closed

const ways = [];
const shown = {};
const print = process.stdout.write.bind(process.stdout);

// Run `ask(model)`, one way to use the client, for every provider, and report the results.
// via: the source of the references. checks: further checks, keys of checking.CHECKS.
// `ask` returns: text, usage, references (their links or names), text_at_offsets (the text at their offsets),
// not_returned (fields that the client drops: name -> value, which must be empty).
export async function way(name, via, ask, checks = {}) {
  const found = { way: name, via, seen: {} };
  for (const model of models) found.seen[model] = await guarded(() => printing(ask, model));
  for (const [check, ask] of Object.entries(checks)) found[check] = await guarded(ask);
  ways.push(found);
}

export function report(client, packageName) {
  const { version } = JSON.parse(readFileSync(new URL(`node_modules/${packageName}/package.json`, import.meta.url), "utf8"));
  print(`${JSON.stringify({ client, version, ways, shown }, (_, value) => value ?? null)}\n`);
}

// Return the type and message of the error that `ask` raises.
export async function raised(ask) {
  try {
    await ask();
  } catch (error) {
    return { type: error.constructor.name, message: String(error.message) };
  }
  throw new Error("no error");
}

// Return the text that arrives before a stream breaks off, and the error.
export async function broken(pieces) {
  let text = "";
  const error = await raised(async () => {
    for await (const piece of pieces()) text += piece;
  });
  return { text, ...error };
}

// Return whether Citestream closes the stream of the provider after the client has cancelled it.
export async function providerClosed(model) {
  const answer = await fetch(`${process.env.SILENT}/closed/${model}`, { signal: AbortSignal.timeout(CLOSE_MILLISECONDS) });
  return answer.ok;
}

// Return the references of an answer from the endpoint for clients that drop them.
export async function storedReferences(identity) {
  const answer = await fetch(`${CITESTREAM}/v1/references/${identity}`, { headers: { Authorization: `Bearer ${KEY}` } });
  return (await answer.json()).references;
}

// Return the text between two offsets in code points. JavaScript's own indexes count UTF-16 units.
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
    shown[ask.name] ??= printed; // the output for the first model
  }
}

async function guarded(check) {
  try {
    return (await check()) ?? { failed: "nothing" };
  } catch (error) {
    return { failed: `${error.constructor.name}: ${error.message}` };
  }
}
