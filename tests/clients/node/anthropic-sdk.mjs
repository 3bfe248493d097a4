// @anthropic-ai/sdk: messages.stream() and messages.create(); the references are the citations of its text blocks.

import Anthropic from "@anthropic-ai/sdk";
import { CITESTREAM, KEY, broken, evidence, providerClosed, question, raised, report, storedReferences, way } from "./report.mjs";

// region connect
const client = new Anthropic({ baseURL: CITESTREAM, apiKey: KEY });
const results = evidence.map((item) => ({
  type: "search_result",
  source: item.url ?? item.file_name,
  title: item.title ?? item.file_name,
  content: [{ type: "text", text: item.text }],
  citations: { enabled: true },
}));
const messages = [{ role: "user", content: [...results, { type: "text", text: question }] }];
// endregion

const asked = (model) => ({ model, max_tokens: 1024, messages });

async function streamed(model) {
  // region streamed
  const stream = client.messages.stream({ model, max_tokens: 1024, messages });
  stream.on("text", (text) => process.stdout.write(text));
  const message = await stream.finalMessage();
  console.log();
  for (const { text, citations } of message.content) {
    for (const { title, cited_text } of citations ?? []) console.log(text, "|", title, "|", cited_text);
  }
  // endregion
  return of(message);
}

async function whole(model) {
  return of(await client.messages.create(asked(model)));
}

async function of(message) {
  const references = await storedReferences(message.id);
  if (references.length !== 2) throw new Error(`the endpoint of references has ${references.length}`);
  const cited = message.content.filter((block) => block.citations?.length);
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens, output_tokens_details } = message.usage;
  return {
    text: marked(message.content),
    usage: {
      input: input_tokens + cache_creation_input_tokens + cache_read_input_tokens,
      output: output_tokens,
      cached: cache_read_input_tokens,
      reasoning: output_tokens_details?.thinking_tokens,
    },
    references: [...new Set(cited.flatMap((block) => block.citations.map((one) => one.source)))],
    text_at_offsets: cited.map((block) => block.text.trim()),
  };
}

// The text with a number after each cited block, as a page would show it.
function marked(content) {
  const sources = [];
  const number = (source) => (sources.includes(source) ? 0 : sources.push(source), sources.indexOf(source) + 1);
  const texts = content.filter((block) => block.type === "text").map(({ text, citations }) => {
    const sentence = text.trimEnd();
    return sentence + (citations ?? []).map((one) => ` [${number(one.source)}]`).join("") + text.slice(sentence.length);
  });
  return texts.join("");
}

async function reasoning() {
  const message = await client.messages.stream(asked("reasoning/any")).finalMessage();
  return message.content.filter((block) => block.type === "thinking").map((block) => block.thinking).join("");
}

async function calls() {
  const tools = [{ name: "weather", input_schema: { type: "object", properties: {} } }];
  const message = await client.messages.stream({ ...asked("calling/any"), tools }).finalMessage();
  return message.content.filter((block) => block.type === "tool_use").map(({ name, input }) => ({ name, arguments: input }));
}

async function retrieved() {
  const history = [
    { role: "user", content: question },
    { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "search", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: results }] },
  ];
  const { text, references } = await of(await client.messages.create({ ...asked("openai/gpt-4.1"), messages: history }));
  return { text, references };
}

async function secondTurn() {
  const first = await client.messages.create(asked("strict/any"));
  const history = [...messages, { role: "assistant", content: first.content }, { role: "user", content: question }];
  return marked((await client.messages.create({ ...asked("strict/any"), messages: history })).content);
}

async function breaking() {
  const { text, ...error } = await broken(async function* () {
    for await (const event of await client.messages.create({ ...asked("broken/any"), stream: true })) yield event.delta?.text ?? "";
  });
  return error; // the text has no numbers here
}

async function cancel() {
  const stream = await client.messages.create({ ...asked("silent/anthropic-node"), stream: true });
  for await (const event of stream) if (event.delta?.text) break;
  return providerClosed("anthropic-node");
}

await way("`messages.stream()`", "`citations` of the text blocks", streamed, { reasoning, calls });
await way("`messages.create()`", "`citations` of the text blocks", whole, {
  retrieved,
  second_turn: secondTurn,
  error: () => raised(() => client.messages.create(asked("nobody/nothing"))),
  broken: breaking,
  cancelled: cancel,
});
report("@anthropic-ai/sdk", "@anthropic-ai/sdk");
