// @google/genai: generateContent and generateContentStream; the references are its groundingMetadata.

import { GoogleGenAI } from "@google/genai";
import { CITESTREAM, KEY, broken, evidence, providerClosed, question, raised, report, way } from "./report.mjs";

// region connect
const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: CITESTREAM } });
const withEvidence = { httpOptions: { extraBody: { evidence } } };
// endregion

async function streamed(model) {
  let text = "";
  let last;
  // region streamed
  const stream = await client.models.generateContentStream({ model, contents: question, config: withEvidence });
  for await (const chunk of stream) {
    text += chunk.text ?? "";
    process.stdout.write(chunk.text ?? "");
    last = chunk;
  }
  console.log();
  const { groundingChunks, groundingSupports } = last.candidates[0].groundingMetadata;
  for (const { retrievedContext } of groundingChunks) console.log(retrievedContext.title, retrievedContext.uri);
  for (const { groundingChunkIndices, segment } of groundingSupports) console.log(groundingChunkIndices, segment.text);
  // endregion
  return of(text, last);
}

async function whole(model) {
  const response = await client.models.generateContent({ model, contents: question, config: withEvidence });
  return of(response.text, response);
}

function of(text, { candidates, usageMetadata: usage }) {
  const { groundingChunks, groundingSupports } = candidates[0].groundingMetadata;
  const bytes = Buffer.from(text); // its offsets count UTF-8 bytes
  return {
    text,
    usage: {
      input: usage.promptTokenCount,
      output: usage.candidatesTokenCount + (usage.thoughtsTokenCount ?? 0), // counted apart
      cached: usage.cachedContentTokenCount,
      reasoning: usage.thoughtsTokenCount,
    },
    references: groundingChunks.map((chunk) => chunk.retrievedContext.uri),
    text_at_offsets: groundingSupports.map(({ segment }) => bytes.subarray(segment.startIndex ?? 0, segment.endIndex).toString()),
  };
}

async function* pieces(model) {
  const stream = await client.models.generateContentStream({ model, contents: question, config: withEvidence });
  for await (const chunk of stream) yield chunk.text ?? "";
}

async function calls() {
  const tools = [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: { type: "object", properties: {} } }] }];
  const config = { ...withEvidence, tools };
  const response = await client.models.generateContent({ model: "calling/any", contents: question, config });
  return response.functionCalls.map((call) => ({ name: call.name, arguments: call.args }));
}

async function reasoning() {
  let thought = "";
  const stream = await client.models.generateContentStream({ model: "reasoning/any", contents: question, config: withEvidence });
  for await (const chunk of stream) {
    for (const part of chunk.candidates[0].content?.parts ?? []) if (part.thought) thought += part.text;
  }
  return thought;
}

async function secondTurn() {
  const chat = client.chats.create({ model: "strict/any", config: withEvidence });
  await chat.sendMessage({ message: question });
  return (await chat.sendMessage({ message: question })).text;
}

async function cancel() {
  const leave = new AbortController();
  const config = { ...withEvidence, abortSignal: leave.signal };
  const stream = await client.models.generateContentStream({ model: "silent/genai-js", contents: question, config });
  for await (const chunk of stream) if (chunk.text) break;
  leave.abort();
  return providerClosed("genai-js");
}

await way("`generateContentStream()`", "`groundingMetadata` of the last chunk", streamed, {
  reasoning,
  error: () => raised(() => client.models.generateContentStream({ model: "nobody/nothing", contents: question })),
  broken: () => broken(() => pieces("broken/any")),
  cancelled: cancel,
});
await way("`generateContent()`", "`groundingMetadata`", whole, {
  calls,
  second_turn: secondTurn,
  error: () => raised(() => client.models.generateContent({ model: "nobody/nothing", contents: question })),
});
report("@google/genai", "@google/genai");
