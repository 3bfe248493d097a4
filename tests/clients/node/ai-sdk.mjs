// Functions of the scripts for providers of the Vercel AI SDK: the same checks with `streamText` and `generateText`.

import { generateText, jsonSchema, streamText, tool } from "ai";
import { evidence, providerClosed, question } from "./report.mjs";

const tools = { weather: tool({ inputSchema: jsonSchema({ type: "object", properties: {} }) }) };

export function counts(usage) {
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cached: usage.inputTokenDetails.cacheReadTokens,
    reasoning: usage.outputTokenDetails.reasoningTokens,
  };
}

export function withoutUsage({ usage, ...seen }) {
  return seen;
}

// `settings(model)`: options of streamText and generateText besides the prompt.
export function checks(settings, name) {
  async function* pieces(model) {
    for await (const part of streamText({ ...settings(model), prompt: question, onError: () => {} }).fullStream) {
      if (part.type === "text-delta") yield part.text;
      if (part.type === "error") throw part.error instanceof Error ? part.error : new Error(JSON.stringify(part.error));
    }
  }
  return {
    pieces,
    async calls() {
      const { toolCalls } = await generateText({ ...settings("calling/any"), tools, prompt: question });
      return toolCalls.map((call) => ({ name: call.toolName, arguments: call.input }));
    },
    async reasoning() {
      return await streamText({ ...settings("reasoning/any"), prompt: question }).reasoningText;
    },
    // The answer after a tool has found the evidence. The request itself contains none.
    async retrieved(model) {
      const call = { type: "tool-call", toolCallId: "call_1", toolName: "search", input: {} };
      const output = { type: "json", value: evidence };
      const messages = [
        { role: "user", content: question },
        { role: "assistant", content: [call] },
        { role: "tool", content: [{ type: "tool-result", toolCallId: "call_1", toolName: "search", output }] },
      ];
      return await generateText({ model, messages });
    },
    async secondTurn() {
      const asked = { role: "user", content: question };
      const first = await generateText({ ...settings("strict/any"), messages: [asked] });
      const messages = [asked, ...first.response.messages, asked];
      return (await generateText({ ...settings("strict/any"), messages })).text;
    },
    async cancel() {
      const leave = new AbortController();
      const { textStream } = streamText({ ...settings(`silent/${name}`), prompt: question, abortSignal: leave.signal });
      for await (const text of textStream) if (text) break;
      leave.abort();
      return providerClosed(name);
    },
    ask: (model) => generateText({ ...settings(model), prompt: question, maxRetries: 0 }),
  };
}
