// openai-node: chat completions and responses; streamed, with the stream helper, and complete.

import OpenAI from "openai";
import { CITESTREAM, KEY, broken, evidence, providerClosed, question, raised, report, slice, way } from "./report.mjs";

// region connect
const client = new OpenAI({ baseURL: `${CITESTREAM}/v1`, apiKey: KEY });
// endregion
const messages = [{ role: "user", content: question }];
const parameters = { type: "object", properties: {} };

async function chatStreamed(model) {
  let text = "";
  let references, usage;
  // region chatStreamed
  const stream = await client.chat.completions.create({
    model,
    messages: [{ role: "user", content: question }],
    stream: true,
    stream_options: { include_usage: true },
    evidence,
  });
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta?.content ?? "";
    references ??= chunk.references;
    usage ??= chunk.usage;
  }
  console.log(text);
  for (const { number, title, file_name, snippet } of references) console.log(`[${number}] ${title ?? file_name}: ${snippet}`);
  // endregion
  return {
    text,
    usage: counts(usage),
    references: references.map((reference) => reference.url ?? reference.file_name),
    text_at_offsets: references.map(({ spans: [{ start, end }] }) => slice(text, start, end)),
  };
}

async function chatHelper(model) {
  // region chatHelper
  const stream = client.chat.completions.stream({
    model,
    messages: [{ role: "user", content: question }],
    stream_options: { include_usage: true },
    evidence,
  });
  stream.on("content", (delta) => process.stdout.write(delta));
  const completion = await stream.finalChatCompletion();
  console.log();
  for (const { url_citation } of completion.choices[0].message.annotations) console.log(url_citation.title, url_citation.url);
  // endregion
  return ofMessage(completion);
}

async function chatWhole(model) {
  // region chatWhole
  const completion = await client.chat.completions.create({
    model,
    messages: [{ role: "user", content: question }],
    evidence,
  });
  console.log(completion.choices[0].message.content);
  for (const { number, snippet } of completion.references) console.log(number, snippet);
  // endregion
  return ofMessage(completion);
}

async function responsesStreamed(model) {
  let text = "";
  let response;
  // region responsesStreamed
  const stream = await client.responses.create({ model, input: question, stream: true, evidence });
  for await (const event of stream) {
    if (event.type === "response.output_text.delta") {
      text += event.delta;
      process.stdout.write(event.delta);
    } else if (event.type === "response.output_text.annotation.added") {
      process.stdout.write(` <- ${event.annotation.title} `);
    } else if (event.type === "response.completed") {
      response = event.response;
    }
  }
  // endregion
  return ofResponse(response, text);
}

async function responsesHelper(model) {
  let text = "";
  const stream = client.responses.stream({ model, input: question, evidence });
  stream.on("response.output_text.delta", (event) => (text += event.delta));
  return ofResponse(await stream.finalResponse(), text);
}

async function responsesWhole(model) {
  // region responsesWhole
  const response = await client.responses.create({ model, input: question, evidence });
  console.log(response.output_text);
  for (const { number, snippet } of response.references) console.log(number, snippet);
  // endregion
  return ofResponse(response, response.output_text);
}

function ofMessage({ usage, choices: [{ message }] }) {
  const citations = message.annotations.map((annotation) => annotation.url_citation);
  return {
    text: message.content,
    usage: counts(usage),
    references: citations.map((citation) => citation.url),
    text_at_offsets: citations.map(({ start_index, end_index }) => slice(message.content, start_index, end_index)),
  };
}

function ofResponse({ output, usage }, text) {
  const part = output.at(-1).content[0];
  if (part.text !== text) throw new Error(`streamed ${text}, completed ${part.text}`);
  return {
    text,
    usage: {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cached: usage.input_tokens_details.cached_tokens,
      reasoning: usage.output_tokens_details.reasoning_tokens,
    },
    references: part.annotations.map((annotation) => annotation.url),
    text_at_offsets: part.annotations.map(({ start_index, end_index }) => slice(text, start_index, end_index)),
  };
}

function counts(usage) {
  return {
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  };
}

async function* pieces(model) {
  const stream = await client.chat.completions.create({ model, messages, evidence, stream: true });
  for await (const chunk of stream) yield chunk.choices[0]?.delta?.content ?? "";
}

async function* responsePieces(model) {
  for await (const event of await client.responses.create({ model, input: question, evidence, stream: true })) {
    if (event.type === "response.output_text.delta") yield event.delta;
  }
}

// The answer to the same question after the first answer, in the form in which the client keeps it.
async function conversed(first) {
  const history = [...messages, first, ...messages];
  const second = await client.chat.completions.create({ model: "strict/any", messages: history, evidence });
  return second.choices[0].message.content;
}

async function chatRetrieved() {
  const call = { id: "call_1", type: "function", function: { name: "search", arguments: "{}" } };
  const history = [
    ...messages,
    { role: "assistant", tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: JSON.stringify(evidence) },
  ];
  const { usage, ...seen } = ofMessage(await client.chat.completions.create({ model: "openai/gpt-4.1", messages: history }));
  return seen;
}

async function responseRetrieved() {
  const call = { type: "function_call", call_id: "call_1", name: "search", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "call_1", output: JSON.stringify(evidence) };
  const response = await client.responses.create({ model: "openai/gpt-4.1", input: [...messages, call, output] });
  const { usage, ...seen } = ofResponse(response, response.output_text);
  return seen;
}

async function chatSecondTurn() {
  const first = await client.chat.completions.create({ model: "strict/any", messages, evidence });
  return conversed(first.choices[0].message);
}

async function helperSecondTurn() {
  return conversed(await client.chat.completions.stream({ model: "strict/any", messages, evidence }).finalMessage());
}

async function responseSecondTurn() {
  const first = await client.responses.create({ model: "strict/any", input: question, evidence });
  const second = await client.responses.create({ model: "strict/any", input: [...messages, ...first.output, ...messages], evidence });
  return second.output_text;
}

async function responseHelperSecondTurn() {
  const first = await client.responses.create({ model: "strict/any", input: question, evidence });
  const asked = { model: "strict/any", input: question, evidence, previous_response_id: first.id };
  return (await client.responses.stream(asked).finalResponse()).output_text;
}

async function calls() {
  const tools = [{ type: "function", function: { name: "weather", parameters } }];
  const completion = await client.chat.completions.stream({ model: "calling/any", messages, evidence, tools }).finalChatCompletion();
  return completion.choices[0].message.tool_calls.map((call) => call.function);
}

async function reasoning() {
  let thought = "";
  const stream = await client.chat.completions.create({ model: "reasoning/any", messages, evidence, stream: true });
  for await (const chunk of stream) thought += chunk.choices[0]?.delta?.reasoning ?? "";
  return thought;
}

async function cancel() {
  // region cancel
  const stream = await client.chat.completions.create({ model: "silent/node", messages, evidence, stream: true });
  for await (const chunk of stream) {
    if (chunk.choices[0]?.delta?.content) break; // enough; leaving the loop closes the stream
  }
  // endregion
  return providerClosed("node");
}

async function responseCalls() {
  const tools = [{ type: "function", name: "weather", parameters, strict: false }];
  const { output } = await client.responses.create({ model: "calling/any", input: question, evidence, tools });
  return output.filter((item) => item.type === "function_call").map((item) => ({ name: item.name, arguments: item.arguments }));
}

async function responseReasoning() {
  const { output } = await client.responses.create({ model: "reasoning/any", input: question, evidence });
  return output.filter((item) => item.type === "reasoning").flatMap((item) => item.content ?? item.summary).map((part) => part.text).join("");
}

async function responseReasoningStreamed() {
  let thought = "";
  for await (const event of await client.responses.create({ model: "reasoning/any", input: question, evidence, stream: true })) {
    if (event.type === "response.reasoning_summary_text.delta") thought += event.delta;
  }
  return thought;
}

async function responseCancel() {
  const stream = await client.responses.create({ model: "silent/node-responses", input: question, evidence, stream: true });
  for await (const event of stream) if (event.type === "response.output_text.delta") break;
  return providerClosed("node-responses");
}

await way("`chat.completions.create({stream: true})`", "`chunk.references` on the finish chunk", chatStreamed, {
  reasoning,
  error: () => raised(() => client.chat.completions.create({ model: "nobody/nothing", messages, stream: true })),
  broken: () => broken(() => pieces("broken/any")),
  cancelled: cancel,
});
await way("`chat.completions.stream()`", "`message.annotations`", chatHelper, { calls, second_turn: helperSecondTurn });
await way("`chat.completions.create()`", "`message.annotations`, `completion.references`", chatWhole, {
  retrieved: chatRetrieved,
  second_turn: chatSecondTurn,
  error: () => raised(() => client.chat.completions.create({ model: "nobody/nothing", messages })),
});
await way("`responses.create({stream: true})`", "`annotation.added` events", responsesStreamed, {
  reasoning: responseReasoningStreamed,
  broken: () => broken(() => responsePieces("broken/any")),
  cancelled: responseCancel,
});
await way("`responses.stream()`", "annotations of the output text", responsesHelper, { second_turn: responseHelperSecondTurn });
await way("`responses.create()`", "annotations of the output text, `response.references`", responsesWhole, {
  calls: responseCalls,
  retrieved: responseRetrieved,
  second_turn: responseSecondTurn,
  reasoning: responseReasoning,
  error: () => raised(() => client.responses.create({ model: "nobody/nothing", input: question })),
});
report("openai-node", "openai");
