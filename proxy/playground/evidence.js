// Evidence that is given on the page: pasted, dropped, or the example. A list of {text, file_name, …}.

import { byId, el } from "./dom.js";

const EXCERPT = 1200; // characters: some paragraphs, short enough that a passage in it is found at a glance
const LARGEST = 5_000_000; // bytes of a file; more than that belongs into an index

const items = [];

export const given = () => items.filter((item) => item.text.trim());

export function add(...more) {
  items.push(...more);
  show();
}

export function replace(...with_) {
  items.length = 0;
  add(...with_);
}

/** Cut files into excerpts. Returns the names of those that are no text. */
export async function addFiles(files) {
  const refused = [];
  for (const file of files) {
    const text = file.size <= LARGEST ? await file.text() : "\0";
    if (text.includes("\0")) refused.push(file.name);
    else add(...excerpts(file.name.endsWith(".html") || file.name.endsWith(".htm") ? textOf(text) : text, file.name));
  }
  return refused;
}

/** Whole paragraphs, up to EXCERPT characters together; a longer one is cut at a space. */
export function excerpts(text, name) {
  const found = [];
  let held = "";
  const push = () => {
    if (held.trim()) found.push({ text: held.trim(), file_name: name, chunk_index: found.length });
    held = "";
  };
  for (let paragraph of text.replaceAll("\r\n", "\n").split(/\n{2,}/)) {
    if (held && held.length + paragraph.length > EXCERPT) push();
    while (paragraph.length > 2 * EXCERPT) {
      const at = paragraph.lastIndexOf(" ", EXCERPT);
      held = paragraph.slice(0, at > 0 ? at : EXCERPT);
      push();
      paragraph = paragraph.slice(at > 0 ? at : EXCERPT);
    }
    held += (held ? "\n\n" : "") + paragraph;
  }
  push();
  return found;
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
