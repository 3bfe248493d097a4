// Evidence that the user enters on the page: pasted text, files, or the example. A list of {text, file_name, …}.

import { byId, el } from "./dom.js";

const EXCERPT_CHARACTERS = 1200; // a few paragraphs, in which a passage is easy to find
const MAX_FILE_BYTES = 5_000_000; // larger files should be indexed

// The example for users without documents at hand.
export const EXAMPLE_QUESTION = "How tall was the Saturn V, and which mission was struck by lightning?";

export const EXAMPLE = [
  { file_name: "moon-landings.md", page_number: 2, chunk_index: 2,
    text: "The Apollo programme used the Saturn V, a rocket of three stages that was 110.6 metres tall. It flew thirteen times between 1967 and 1973. The spacecraft had three parts: a command module for the crew of three, a service module with the main engine, and a lunar module for two." },
  { file_name: "moon-landings.md", page_number: 3, chunk_index: 3,
    text: "Apollo 12 was struck by lightning twice during the first minute of its flight and continued all the same. It landed within walking distance of the probe Surveyor 3, and the crew took parts of the probe home." },
  { file_name: "moon-landings.md", page_number: 4, chunk_index: 4,
    text: "Apollo 13 was launched on 11 April 1970. Two days later an oxygen tank in the service module exploded. The crew did not land on the Moon; they used the lunar module as a lifeboat." },
  { file_name: "apollo-profile.json", chunk_type: "artifact", is_generated_artifact: true, artifact_kind: "programme profile",
    text: "Apollo was the American programme that landed people on the Moon. Its rocket was the Saturn V; six missions landed between 1969 and 1972." },
];

const items = [];

export const nonEmpty = () => items.filter((item) => item.text.trim());

export function add(...more) {
  items.push(...more);
  show();
}

export function replace(...with_) {
  items.length = 0;
  add(...with_);
}

/** Split files into excerpts. Return the names of files that are not text or too large. */
export async function addFiles(files) {
  const rejected = [];
  for (const file of files) {
    const text = file.size <= MAX_FILE_BYTES ? await file.text() : "\0";
    if (text.includes("\0")) rejected.push(file.name);
    else add(...excerpts(file.name.endsWith(".html") || file.name.endsWith(".htm") ? textOf(text) : text, file.name));
  }
  return rejected;
}

/** Split a text into excerpts of whole paragraphs with at most EXCERPT_CHARACTERS. Longer paragraphs are split at spaces. */
export function excerpts(text, name) {
  const result = [];
  let buffer = "";
  const push = () => {
    if (buffer.trim()) result.push({ text: buffer.trim(), file_name: name, chunk_index: result.length });
    buffer = "";
  };
  for (let paragraph of text.replaceAll("\r\n", "\n").split(/\n{2,}/)) {
    if (buffer && buffer.length + paragraph.length > EXCERPT_CHARACTERS) push();
    while (paragraph.length > 2 * EXCERPT_CHARACTERS) {
      const at = paragraph.lastIndexOf(" ", EXCERPT_CHARACTERS);
      buffer = paragraph.slice(0, at > 0 ? at : EXCERPT_CHARACTERS);
      push();
      paragraph = paragraph.slice(at > 0 ? at : EXCERPT_CHARACTERS);
    }
    buffer += (buffer ? "\n\n" : "") + paragraph;
  }
  push();
  return result;
}

function textOf(html) {
  const page = new DOMParser().parseFromString(purify(html), "text/html");
  for (const block of page.querySelectorAll("p, li, h1, h2, h3, h4, tr, div, section")) block.append("\n\n");
  return page.body.textContent;
}

const purify = (html) => globalThis.DOMPurify.sanitize(html, { RETURN_TRUSTED_TYPE: true });

function show() {
  byId("no-excerpts").hidden = items.length > 0;
  byId("excerpts").replaceChildren(
    ...items.map((item, index) =>
      el("li", {},
        el("div", { class: "row" },
          el("b", {}, `${index + 1}`),
          el("input", { "aria-label": `Name of excerpt ${index + 1}`, placeholder: "file or title", dir: "auto",
            oninput: (event) => { item.file_name = event.target.value || undefined; } }),
          el("button", { type: "button", class: "quiet", "aria-label": `Remove excerpt ${index + 1}`,
            onclick: () => { items.splice(index, 1); show(); } }, "Remove")),
        item.artifact_kind ? el("p", { class: "hint" }, `generated: ${item.artifact_kind}`) : null,
        el("textarea", { rows: 3, dir: "auto", "aria-label": `Text of excerpt ${index + 1}`,
          oninput: (event) => { item.text = event.target.value; } }))),
  );
  byId("excerpts").querySelectorAll("li").forEach((entry, index) => {
    entry.querySelector("input").value = items[index].file_name ?? "";
    entry.querySelector("textarea").value = items[index].text;
  });
}
