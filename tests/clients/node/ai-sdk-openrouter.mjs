// @openrouter/ai-sdk-provider: chat completions through the Vercel AI SDK; references are its sources, with passages.

import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import { generateText, streamText } from "ai";
import { checks, counts } from "./ai-sdk.mjs";
import { CITESTREAM, KEY, broken, evidence, question, raised, report, slice, way } from "./report.mjs";

// region connect
const citestream = createOpenRouter({ baseURL: `${CITESTREAM}/v1`, apiKey: KEY, compatibility: "strict" });
// endregion

async function streamed(model) {
  // region streamed
  const result = streamText({ model: citestream.chat(model, { extraBody: { evidence } }), prompt: question });
  for await (const text of result.textStream) process.stdout.write(text);
  console.log();
  for (const { title, url, providerMetadata } of await result.sources) console.log(title, url, providerMetadata.openrouter.content);
  // endregion
  return of({ text: await result.text, usage: await result.usage, sources: await result.sources });
}

async function whole(model) {
  return of(await generateText({ model: citestream.chat(model, { extraBody: { evidence } }), prompt: question }));
}

function of({ text, usage, sources }) {
  const found = sources.map((source) => source.providerMetadata.openrouter);
  return {
    text,
    usage: counts(usage),
    references: sources.map((source) => source.url),
    text_at_offsets: found.map(({ startIndex, endIndex }) => slice(text, startIndex, endIndex)),
  };
}

const { pieces, calls, reasoning, secondTurn, cancel, ask } = checks(
  (model) => ({ model: citestream.chat(model, { extraBody: { evidence } }) }),
  "ai-sdk-openrouter",
);

await way("`streamText`", "`sources`, with passages and positions", streamed, {
  reasoning,
  broken: () => broken(() => pieces("broken/any")),
  cancelled: cancel,
});
await way("`generateText`", "`sources`, with passages and positions", whole, {
  calls,
  second_turn: secondTurn,
  error: () => raised(() => ask("nobody/nothing")),
});
report("AI SDK @openrouter/ai-sdk-provider", "@openrouter/ai-sdk-provider");
