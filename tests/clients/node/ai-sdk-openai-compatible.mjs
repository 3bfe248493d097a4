// @ai-sdk/openai-compatible: chat completions through the Vercel AI SDK; references through citestream-metadata.mjs.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";
import { checks, counts, withoutUsage } from "./ai-sdk.mjs";
import { citestreamMetadata } from "./citestream-metadata.mjs";
import { CITESTREAM, KEY, broken, evidence, question, raised, report, slice, way } from "./report.mjs";

// region connect
const citestream = createOpenAICompatible({
  name: "citestream",
  baseURL: `${CITESTREAM}/v1`,
  apiKey: KEY,
  includeUsage: true,
  metadataExtractor: citestreamMetadata,
});
// endregion

async function streamed(model) {
  // region streamed
  const result = streamText({ model: citestream(model), prompt: question, providerOptions: { citestream: { evidence } } });
  for await (const text of result.textStream) process.stdout.write(text);
  const { references } = (await result.providerMetadata).citestream;
  console.log();
  for (const { number, title, file_name, snippet } of references) console.log(`[${number}] ${title ?? file_name}: ${snippet}`);
  // endregion
  return of(result);
}

async function whole(model) {
  return of(await generateText({ model: citestream(model), prompt: question, providerOptions: { citestream: { evidence } } }));
}

async function of(result) {
  const [text, usage, sources, metadata] = await Promise.all([result.text, result.usage, result.sources, result.providerMetadata]);
  const { references, grounding } = metadata.citestream;
  if (grounding.supported !== 2) throw new Error(`grounding says ${grounding.supported}`);
  return {
    text,
    usage: counts(usage),
    references: references.map((reference) => reference.url ?? reference.file_name),
    text_at_offsets: references.map(({ spans: [{ start, end }] }) => slice(text, start, end)),
    not_returned: { sources: sources[0] },
  };
}

const { pieces, calls, reasoning, retrieved, secondTurn, cancel, ask } = checks(
  (model) => ({ model: citestream(model), providerOptions: { citestream: { evidence } } }),
  "ai-sdk-openai-compatible",
);

await way("`streamText`", "`providerMetadata` by `metadataExtractor`", streamed, {
  reasoning,
  broken: () => broken(() => pieces("broken/any")),
  cancelled: cancel,
});
await way("`generateText`", "`providerMetadata` by `metadataExtractor`", whole, {
  calls,
  retrieved: async () => withoutUsage(await of(await retrieved(citestream("openai/gpt-4.1")))),
  second_turn: secondTurn,
  error: () => raised(() => ask("nobody/nothing")),
});
report("AI SDK @ai-sdk/openai-compatible", "@ai-sdk/openai-compatible");
