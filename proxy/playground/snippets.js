// The request as a program that the user can copy.

import { el } from "../component/dom.js";

const EXTENSIONS = ["evidence", "retrieval", "citations"];

export function snippets(body, origin, needsKey) {
  const key = needsKey ? "YOUR_KEY" : "none";
  return [
    ["curl", curl(body, origin, needsKey)],
    ["Python", python(body, origin, key)],
    ["Node", node(body, origin, key)],
  ];
}

function curl(body, origin, needsKey) {
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  const header = needsKey ? " \\\n  -H 'Authorization: Bearer YOUR_KEY'" : "";
  return `curl -N ${origin}/v1/chat/completions \\\n  -H 'Content-Type: application/json'${header} \\\n  -d '${json}'`;
}

function python(body, origin, key) {
  const extensions = Object.fromEntries(Object.entries(body).filter(([name]) => EXTENSIONS.includes(name)));
  return `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="${key}")
stream = client.chat.completions.create(
    model=${literal(body.model)},
    messages=${indented(literal(body.messages))},
    stream=True,
    extra_body=${indented(literal(extensions))},
)
for chunk in stream:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="", flush=True)
        if choice.finish_reason:
            print("\\n", chunk.references)`;
}

/** Format a JSON value as a Python literal. */
function literal(value) {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null || value === undefined) return "None";
  if (Array.isArray(value))
    return value.length ? `[\n${value.map((one) => `    ${indented(literal(one))},\n`).join("")}]` : "[]";
  if (typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{\n${fields.map(([name, one]) => `    ${JSON.stringify(name)}: ${indented(literal(one))},\n`).join("")}}`;
}

function node(body, origin, key) {
  return `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${origin}/v1", apiKey: "${key}" });
const stream = await client.chat.completions.create(${JSON.stringify(body, null, 2)});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? "");
  if (chunk.references) console.log("\\n", chunk.references);
}`;
}

const indented = (text) => text.replaceAll("\n", "\n    ");

/** Return the snippets with a button to copy each of them. */
export function renderSnippets(list) {
  return list.map(([name, text]) =>
    el(
      "section",
      {},
      el(
        "div",
        { class: "row" },
        el("h3", { class: "grow" }, name),
        el(
          "button",
          {
            type: "button",
            class: "quiet",
            "aria-label": `Copy ${name}`,
            onclick: async (event) => {
              const button = event.currentTarget;
              await navigator.clipboard.writeText(text);
              button.textContent = "Copied";
            },
          },
          "Copy",
        ),
      ),
      el("pre", { class: "raw", tabindex: 0 }, text),
    ),
  );
}
