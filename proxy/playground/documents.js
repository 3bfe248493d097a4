// Documents on the page: dropped, chosen or pasted files, which the server reads as excerpts. A list of {name, file, entries, state}.

import { el } from "../component/dom.js";
import { readFile } from "./client.js";
import { showDocument } from "./document-view.js";
import { byId } from "./page.js";
import { bestExcerpts } from "./ranking.js";

const MANY_DOCUMENTS = 4; // their names fill more than a line
const documents = [];
let limits = { max_file_bytes: Infinity, max_evidence: 200, formats: [] };

/** Set the limits of the server, see `GET /v1/playground`. */
export function setLimits(settings) {
  limits = settings;
  byId("files").accept = settings.formats.join(",");
}

/** Return the excerpts to send with a question, and the number of all: {chosen: [{entry, document}], total}. */
export function evidenceFor(question) {
  const entries = documents.flatMap((one) =>
    one.entries.map((entry) => ({ entry, document: one, text: entry.text, title: entry.title })),
  );
  return { chosen: bestExcerpts(entries, question, limits.max_evidence), total: entries.length };
}

export const isEmpty = () => !documents.length;
export const isReading = () => documents.some((one) => one.state === "reading");

/** Leave room for the conversation: show many documents as one line, which opens the list. */
export function collapse() {
  byId("library").open = documents.length < MANY_DOCUMENTS;
}

/** Add a document whose excerpts are known. */
export function addEntries(name, entries) {
  documents.push({ name, file: null, entries, state: "ready" });
  show();
}

/** Let the server read files, and add them. `report(message)` is called for each that cannot be read. */
export async function addFiles(files, key, report) {
  await Promise.all(
    [...files].map(async (file) => {
      if (file.size > limits.max_file_bytes)
        return report(
          `${file.name} is larger than ${Math.floor(limits.max_file_bytes / 2 ** 20)} MB. Index its folder with \`citestream index\` instead.`,
        );
      const one = { name: file.name, file, entries: [], state: "reading" };
      documents.push(one);
      show();
      try {
        one.entries = await readFile(file, key);
        one.state = "ready";
      } catch (error) {
        remove(one);
        report(
          error.status === 401
            ? "This server requires a client key. Enter it in Options, and add the file again."
            : error.message,
        );
      }
      show();
    }),
  );
}

export function clear() {
  documents.length = 0;
  show();
}

function remove(one) {
  const index = documents.indexOf(one);
  if (index >= 0) documents.splice(index, 1);
  show();
}

function show() {
  const many = documents.length >= MANY_DOCUMENTS;
  byId("library").hidden = !documents.length;
  byId("library").classList.toggle("many", many);
  if (!many) byId("library").open = true;
  byId("library-summary").textContent = summary();
  byId("documents").replaceChildren(
    ...documents.map((one) =>
      el(
        "li",
        { "aria-busy": one.state === "reading" ? "true" : null },
        el(
          "button",
          { type: "button", class: "name", disabled: one.state === "reading", onclick: () => showDocument(one) },
          el("span", { dir: "auto" }, one.name),
          el("span", { class: "hint" }, one.state === "reading" ? "reading …" : excerptCount(one)),
        ),
        el(
          "button",
          {
            type: "button",
            class: "remove",
            "aria-label": `Remove ${one.name}`,
            onclick: () => {
              remove(one);
              byId("question").focus();
            },
          },
          "×",
        ),
      ),
    ),
  );
}

function summary() {
  const reading = documents.filter((one) => one.state === "reading").length;
  return `${documents.length} documents${reading ? `, reading ${reading} …` : ""}`;
}

function excerptCount({ entries }) {
  const pages = new Set(entries.map((entry) => entry.page_number).filter(Boolean)).size;
  if (pages) return `${pages} ${pages === 1 ? "page" : "pages"}`;
  return `${entries.length} ${entries.length === 1 ? "excerpt" : "excerpts"}`;
}
