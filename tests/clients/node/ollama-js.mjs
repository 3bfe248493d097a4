// ollama-js: chat and generate. It returns every line unchanged, so the last line has the references.

import { Ollama } from "ollama";
import { CITESTREAM, KEY, broken, evidence, providerClosed, question, raised, report, slice, way } from "./report.mjs";

// region connect
const client = new Ollama({ host: CITESTREAM, headers: { Authorization: `Bearer ${KEY}` } });
// endregion
const messages = [{ role: "user", content: question }];

async function chatStreamed(model) {
  let text = "";
  let last;
  // region chatStreamed
  const stream = await client.chat({ model, messages: [{ role: "user", content: question }], evidence, stream: true });
  for await (const part of stream) {
    text += part.message.content;
    process.stdout.write(part.message.content);
    if (part.done) last = part;
  }
  console.log();
  for (const { number, title, file_name, snippet } of last.references) console.log(`[${number}] ${title ?? file_name}: ${snippet}`);
  // endregion
  return of(text, last);
}

async function chatWhole(model) {
  const answer = await client.chat({ model, messages, evidence });
  return of(answer.message.content, answer);
}

async function generated(model) {
  let text = "";
  let last;
  for await (const part of await client.generate({ model, prompt: question, evidence, stream: true })) {
    text += part.response;
    last = part;
  }
  return of(text, last);
}

function of(text, last) {
  return {
    text,
    usage: { input: last.prompt_eval_count, output: last.eval_count },
    references: last.references.map((reference) => reference.url ?? reference.file_name),
    text_at_offsets: last.references.map(({ spans: [{ start, end }] }) => slice(text, start, end)),
  };
}

async function* pieces(model) {
  for await (const part of await client.chat({ model, messages, evidence, stream: true })) yield part.message.content;
}

async function calls() {
  const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }];
  const { message } = await client.chat({ model: "calling/any", messages, evidence, tools });
  return message.tool_calls.map((call) => call.function).map(({ name, arguments: given }) => ({ name, arguments: given }));
}

async function reasoning() {
  let thought = "";
  const stream = await client.chat({ model: "reasoning/any", messages, evidence, think: true, stream: true });
  for await (const part of stream) thought += part.message.thinking ?? "";
  return thought;
}

async function secondTurn() {
  const { message } = await client.chat({ model: "strict/any", messages, evidence });
  const second = await client.chat({ model: "strict/any", messages: [...messages, message, ...messages], evidence });
  return second.message.content;
}

async function cancel() {
  const stream = await client.chat({ model: "silent/ollama-js", messages, evidence, stream: true });
  for await (const part of stream) {
    if (part.message.content) {
      stream.abort();
      break;
    }
  }
  return providerClosed("ollama-js");
}

await way("`chat({stream: true})`", "`references` of the last part", chatStreamed, {
  reasoning,
  error: () => raised(() => client.chat({ model: "nobody/nothing", messages, stream: true })),
  broken: () => broken(() => pieces("broken/any")),
  cancelled: cancel,
});
await way("`chat()`", "`references`", chatWhole, {
  calls,
  second_turn: secondTurn,
  error: () => raised(() => client.chat({ model: "nobody/nothing", messages })),
});
await way("`generate({stream: true})`", "`references` of the last part", generated);
report("ollama-js", "ollama");
