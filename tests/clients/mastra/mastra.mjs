// Mastra: an agent with a model of the AI SDK; references are its sources.

import { Agent } from "@mastra/core/agent";
import { createOpenAI } from "@ai-sdk/openai";
import { CITESTREAM, KEY, evidence, question, raised, report, way } from "./report.mjs";

// region agent
const withEvidence = (evidence) => (url, request) =>
  fetch(url, { ...request, body: JSON.stringify({ ...JSON.parse(request.body), evidence }) });
const citestream = createOpenAI({ baseURL: `${CITESTREAM}/v1`, apiKey: KEY, fetch: withEvidence(evidence) });
const librarian = (model) =>
  new Agent({ id: "librarian", name: "librarian", instructions: "Answer briefly.", model: citestream.chat(model), maxRetries: 0 });
// endregion

async function streamed(model) {
  // region streamed
  const result = await librarian(model).stream(question);
  for await (const text of result.textStream) process.stdout.write(text);
  console.log();
  for (const { payload } of await result.sources) console.log(payload.title, payload.url);
  // endregion
  return of(result);
}

async function whole(model) {
  return of(await librarian(model).generate(question));
}

async function of(result) {
  const [text, sources] = await Promise.all([result.text, result.sources]);
  return { text, references: sources.map(({ payload }) => payload.url) };
}

await way("`Agent.stream`", "`sources`", streamed);
await way("`Agent.generate`", "`sources`", whole, { error: () => raised(() => whole("nobody/nothing")) });
report("@mastra/core", "@mastra/core");
