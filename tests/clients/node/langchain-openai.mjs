// LangChain's ChatOpenAI for JavaScript: with the Responses API, it keeps annotations.

import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { CITESTREAM, KEY, broken, evidence, providerClosed, question, raised, report, slice, way } from "./report.mjs";

function chat(model) {
  // region connect
  const llm = new ChatOpenAI({
    model,
    apiKey: KEY,
    configuration: { baseURL: `${CITESTREAM}/v1` },
    useResponsesApi: true,
    modelKwargs: { evidence },
    maxRetries: 0,
  });
  // endregion
  return llm;
}

async function streamed(model) {
  const llm = chat(model);
  let answer;
  // region streamed
  for await (const chunk of await llm.stream(question)) {
    process.stdout.write(chunk.text);
    answer = answer ? answer.concat(chunk) : chunk;
  }
  console.log();
  for (const { title, url } of answer.content.flatMap((part) => part.annotations ?? [])) console.log(title, url);
  // endregion
  return of(answer);
}

async function whole(model) {
  return of(await chat(model).invoke(question));
}

function of({ text, content, usage_metadata: usage }) {
  const annotations = content.flatMap((part) => part.annotations ?? []);
  return {
    text,
    usage: {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cached: usage.input_token_details?.cache_read,
      reasoning: usage.output_token_details?.reasoning,
    },
    references: annotations.map((annotation) => annotation.url),
    text_at_offsets: annotations.map(({ startIndex, endIndex }) => slice(text, startIndex, endIndex)),
  };
}

async function* pieces(model) {
  for await (const chunk of await chat(model).stream(question)) yield chunk.text;
}

async function calls() {
  const weather = { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } };
  const { tool_calls } = await chat("calling/any").bindTools([weather]).invoke(question);
  return tool_calls.map((call) => ({ name: call.name, arguments: call.args }));
}

async function secondTurn() {
  const llm = chat("strict/any");
  const asked = new HumanMessage(question);
  return (await llm.invoke([asked, await llm.invoke(question), asked])).text;
}

async function cancel() {
  for await (const chunk of await chat("silent/langchain-js").stream(question)) if (chunk.text) break;
  return providerClosed("langchain-js");
}

await way("`ChatOpenAI({useResponsesApi: true}).stream`", "annotations of the content", streamed, {
  broken: () => broken(() => pieces("broken/any")),
  cancelled: cancel,
});
await way("`ChatOpenAI({useResponsesApi: true}).invoke`", "annotations of the content", whole, {
  calls,
  second_turn: secondTurn,
  error: () => raised(() => chat("nobody/nothing").invoke(question)),
});
report("@langchain/openai", "@langchain/openai");
