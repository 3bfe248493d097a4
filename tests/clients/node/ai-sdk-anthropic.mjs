// @ai-sdk/anthropic through the Vercel AI SDK; references are its sources.

import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, streamText } from "ai";
import { checks, counts } from "./ai-sdk.mjs";
import { CITESTREAM, KEY, broken, evidence, question, raised, report, storedReferences, way } from "./report.mjs";

// region connect
// This provider sends only fields of the Anthropic API, so a function adds the evidence to the body.
const withEvidence = (evidence) => (url, request) =>
  fetch(url, { ...request, body: JSON.stringify({ ...JSON.parse(request.body), evidence }) });
const citestream = createAnthropic({ baseURL: `${CITESTREAM}/v1`, apiKey: KEY, fetch: withEvidence(evidence) });
// endregion

async function streamed(model) {
  // region streamed
  const result = streamText({ model: citestream(model), prompt: question });
  for await (const text of result.textStream) process.stdout.write(text);
  console.log();
  for (const { title, url, providerMetadata } of await result.sources) console.log(title, url, providerMetadata.anthropic.citedText);
  // endregion
  return of(result);
}

async function whole(model) {
  return of(await generateText({ model: citestream(model), prompt: question }));
}

async function of(result) {
  const references = await storedReferences((await result.response).id);
  if (references.length !== 2) throw new Error(`the endpoint of references has ${references.length}`);
  const [text, usage, sources, content] = await Promise.all([result.text, result.usage, result.sources, result.content]);
  return { text: marked(content), usage: counts(usage), references: sources.map((source) => source.url), not_returned: { numbers: /\[\d\]/.exec(text) } };
}

// The text with a number where a source follows it, as a page would show it.
function marked(content) {
  let number = 0;
  let shown = "";
  for (const part of content) {
    if (part.type === "text") shown += part.text;
    if (part.type === "source") shown = `${shown.trimEnd()} [${++number}] `;
  }
  return shown.trimEnd();
}

// A document of the AI SDK, with citations enabled.
async function documentSources() {
  const file = { type: "file", mediaType: "text/plain", data: Buffer.from(evidence[0].text), filename: "moon.md" };
  const cited = { ...file, providerOptions: { anthropic: { citations: { enabled: true }, title: "moon.md" } } };
  const messages = [{ role: "user", content: [cited, { type: "text", text: question }] }];
  const { sources } = await generateText({ model: createAnthropic({ baseURL: `${CITESTREAM}/v1`, apiKey: KEY })("extractive"), messages });
  return sources.map((source) => source.providerMetadata.anthropic);
}
const [place] = await documentSources();
const passage = Array.from(evidence[0].text).slice(place.startCharIndex, place.endCharIndex).join("");
if (passage !== place.citedText) throw new Error(`the source of a document is ${JSON.stringify(place)}`);

const { pieces, calls, reasoning, ask, cancel } = checks((model) => ({ model: citestream(model) }), "ai-sdk-anthropic");

async function breaking() {
  const { text, ...error } = await broken(() => pieces("broken/any"));
  return error; // the text has no numbers here
}

await way("`streamText`", "`sources`, with passages", streamed, { reasoning, broken: breaking, cancelled: cancel });
await way("`generateText`", "`sources`, with passages", whole, { calls, error: () => raised(() => ask("nobody/nothing")) });
report("AI SDK @ai-sdk/anthropic", "@ai-sdk/anthropic");
