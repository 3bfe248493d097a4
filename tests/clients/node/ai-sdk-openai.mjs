// @ai-sdk/openai: chat completions and responses through the Vercel AI SDK; references are its sources.

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, readUIMessageStream, streamText } from "ai";
import { checks, counts } from "./ai-sdk.mjs";
import { CITESTREAM, KEY, broken, evidence, question, raised, report, storedReferences, way } from "./report.mjs";

// region connect
// This provider sends only fields of the OpenAI API, so a function adds the evidence to the body.
const withEvidence = (evidence) => (url, request) =>
  fetch(url, { ...request, body: JSON.stringify({ ...JSON.parse(request.body), evidence }) });
const citestream = createOpenAI({ baseURL: `${CITESTREAM}/v1`, apiKey: KEY, fetch: withEvidence(evidence) });
// endregion

async function chatStreamed(model) {
  // region chatStreamed
  const result = streamText({ model: citestream.chat(model), prompt: question });
  for await (const text of result.textStream) process.stdout.write(text);
  console.log();
  for (const { title, url } of await result.sources) console.log(title, url);
  // endregion
  return of(result);
}

async function chatWhole(model) {
  return of(await generateText({ model: citestream.chat(model), prompt: question }));
}

async function responsesStreamed(model) {
  const result = streamText({ model: citestream.responses(model), prompt: question });
  return of(result);
}

async function responsesWhole(model) {
  return of(await generateText({ model: citestream.responses(model), prompt: question }));
}

async function of(result) {
  const references = await storedReferences((await result.response).id);
  if (references.length !== 2) throw new Error(`the endpoint of references has ${references.length}`);
  const [text, usage, sources, metadata] = await Promise.all([result.text, result.usage, result.sources, result.providerMetadata]);
  const notReturned = { positions: sources[0].startIndex, passages: sources[0].providerMetadata, references: metadata.openai?.references };
  return { text, usage: counts(usage), references: sources.map((source) => source.url), not_returned: notReturned };
}

// The message that `useChat` shows: the page reads the stream that the server writes.
async function uiMessage(model) {
  // region uiMessage
  const result = streamText({ model: citestream.chat(model), prompt: question });
  let message;
  for await (const state of readUIMessageStream({ stream: result.toUIMessageStream({ sendSources: true }) })) message = state;
  const sources = message.parts.filter((part) => part.type === "source-url");
  for (const { title, url } of sources) console.log(title, url);
  // endregion
  const text = message.parts.filter((part) => part.type === "text").map((part) => part.text).join("");
  return { text, references: sources.map((source) => source.url) };
}

const chat = checks((model) => ({ model: citestream.chat(model) }), "ai-sdk-openai");
const responses = checks((model) => ({ model: citestream.responses(model) }), "ai-sdk-openai-responses");

await way("`streamText`, `.chat()`", "`sources`", chatStreamed, {
  broken: () => broken(() => chat.pieces("broken/any")),
  cancelled: chat.cancel,
});
await way("`generateText`, `.chat()`", "`sources`", chatWhole, {
  calls: chat.calls,
  second_turn: chat.secondTurn,
  error: () => raised(() => chat.ask("nobody/nothing")),
});
await way("`streamText`, `.responses()`", "`sources`", responsesStreamed, {
  reasoning: responses.reasoning,
  broken: () => broken(() => responses.pieces("broken/any")),
  cancelled: responses.cancel,
});
await way("`generateText`, `.responses()`", "`sources`", responsesWhole, {
  calls: responses.calls,
  second_turn: responses.secondTurn,
  error: () => raised(() => responses.ask("nobody/nothing")),
});
await way("`toUIMessageStream`, for `useChat`", "`source-url` parts", uiMessage);
report("AI SDK @ai-sdk/openai", "@ai-sdk/openai");
