// cohere-ai: chatStream and chat; the references are Cohere's citation objects.

import { CohereClientV2 } from "cohere-ai";
import { CITESTREAM, KEY, evidence, providerClosed, question, raised, report, slice, way } from "./report.mjs";

const messages = [{ role: "user", content: question }];

// region connect
const client = new CohereClientV2({ token: KEY, environment: CITESTREAM });
const documents = evidence.map(({ id, ...data }) => ({ id, data }));
// endregion

async function streamed(model) {
  let text = "";
  let end;
  const citations = [];
  // region streamed
  const stream = await client.chatStream({ model, messages, documents });
  for await (const event of stream) {
    if (event.type === "content-delta") {
      text += event.delta.message.content.text;
      process.stdout.write(event.delta.message.content.text);
    } else if (event.type === "citation-start") {
      citations.push(event.delta.message.citations);
    } else if (event.type === "message-end") {
      end = event;
    }
  }
  console.log();
  for (const { start, end, text, sources } of citations) console.log(`${start}-${end}: ${text}`, sources[0].id);
  // endregion
  return of(text, citations, end.delta.usage);
}

async function whole(model) {
  const { message, usage } = await client.chat({ model, messages, documents });
  return of(message.content[0].text, message.citations, usage);
}

// The text has no markers, so they are added here after each cited sentence, from its citation.
function of(text, citations, usage) {
  const sources = [...new Set(citations.flatMap((citation) => citation.sources.map((source) => source.id)))];
  return {
    text: marked(text, citations, sources),
    usage: { input: usage.tokens.inputTokens, output: usage.tokens.outputTokens, cached: usage.cachedTokens },
    references: sources.map((id) => ({ moon: "moon.md", apollo: "Apollo 12" })[id]),
    text_at_offsets: citations.map(({ start, end }) => slice(text, start, end)),
  };
}

function marked(text, citations, sources) {
  const characters = Array.from(text); // offsets count code points
  for (const { end, sources: cited } of [...citations].reverse())
    characters.splice(end, 0, ` ${cited.map((source) => `[${sources.indexOf(source.id) + 1}]`).join("")}`);
  return characters.join("");
}

async function calls() {
  const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }];
  const { message } = await client.chat({ model: "calling/any", messages, documents, tools });
  return message.toolCalls.map((call) => call.function);
}

async function reasoning() {
  const { message } = await client.chat({ model: "reasoning/any", messages, documents });
  return message.content.map((block) => block.thinking ?? "").join("");
}

async function secondTurn() {
  const { message: first } = await client.chat({ model: "strict/any", messages, documents });
  const { message } = await client.chat({ model: "strict/any", messages: [...messages, first, ...messages], documents });
  return marked(message.content[0].text, message.citations, ["moon", "apollo"]);
}

// An interrupted stream ends with the reason ERROR, as in Cohere's API.
async function broken() {
  let text = "";
  const citations = [];
  for await (const event of await client.chatStream({ model: "broken/any", messages, documents })) {
    if (event.type === "content-delta") text += event.delta.message.content.text;
    if (event.type === "citation-start") citations.push(event.delta.message.citations);
    if (event.type === "message-end" && event.delta.finishReason === "ERROR")
      return { text: marked(text, citations, ["moon"]), type: "ERROR", message: event.delta.error };
  }
  throw new Error("no error");
}

async function cancel() {
  const stream = await client.chatStream({ model: "silent/cohere-node", messages, documents });
  for await (const event of stream) if (event.type === "content-delta") break;
  return providerClosed("cohere-node");
}

const nobody = { model: "nobody/nothing", messages };
await way("`chatStream()`", "`citation-start` events", streamed, {
  error: () => raised(() => client.chatStream(nobody)),
  broken,
  cancelled: cancel,
});
await way("`chat()`", "`message.citations`", whole, {
  calls,
  reasoning,
  second_turn: secondTurn,
  error: () => raised(() => client.chat(nobody)),
});
report("cohere-ai", "cohere-ai");
