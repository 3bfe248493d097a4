// @modelcontextprotocol/sdk, connected to the address or the command in its arguments. Prints what it received as JSON.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [target, ...args] = process.argv.slice(2);
const requestInit = { headers: { Authorization: `Bearer ${process.env.CITESTREAM_KEY}` } };
const transport = target.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(`${target}/mcp`), { requestInit })
  : new StdioClientTransport({ command: target, args });
const client = new Client({ name: "test", version: "1.0.0" });
await client.connect(transport);
const { tools } = await client.listTools();
const evidence = ["The Harlan bridge carries two lanes."];
const text = "The Harlan bridge does not carry two lanes.";
const verified = await client.callTool({ name: "verify_citations", arguments: { text, evidence } });
const failed = await client.callTool({ name: "cite", arguments: { text: "" } });
await client.close();
const [sentence] = verified.structuredContent.sentences;
console.log(
  JSON.stringify({
    tools: tools.map(({ name }) => name),
    verdict: sentence.verdict,
    quote: sentence.conflict.quote,
    failed: failed.isError,
  }),
);
