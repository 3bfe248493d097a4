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

export const isEmpty = () => documents.every((one) => one.state === "failed");
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

/** Let the server read files, and add them. Return whether all could be read. The others stay in the list, with the reason. */
export async function addFiles(files, key) {
  const added = [...files].map((file) => ({ name: file.name, file, entries: [], state: "reading" }));
  documents.push(...added);
  show();
  await Promise.all(
    added.map(async (one) => {
      try {
        one.reason = refusal(one.file);
        if (!one.reason) one.entries = await readFile(one.file, key);
      } catch (error) {
        one.reason = refusal(one.file) || failure(error, one.name); // the limits may have arrived meanwhile
      }
      one.state = one.reason ? "failed" : "ready";
      show();
    }),
  );
  return added.every((one) => one.state === "ready");
}

/** Return why a file is not sent to the server, "" if it is. */
function refusal(file) {
  if (!file.size) return "The file is empty.";
  if (file.size > limits.max_file_bytes)
    return `Larger than ${Math.floor(limits.max_file_bytes / 2 ** 20)} MB. Index it with \`citestream index\` instead.`;
  const suffix = /\.[^.]+$/.exec(file.name)?.[0].toLowerCase();
  if (suffix && limits.formats.length && !limits.formats.includes(suffix))
    return `${suffix} files cannot be read. PDF, Word, Excel, PowerPoint, HTML and text files can.`;
  return "";
}

/** Return why the server did not read a file, as a sentence without its name. */
function failure(error, name) {
  if (error.status === 401) return "This server requires a client key. Enter it in Options, and add the file again.";
  if (!error.status) return "The server cannot be reached.";
  const reason = error.message.startsWith(`${name} `) ? `The file ${error.message.slice(name.length + 1)}` : error.message;
  return reason.endsWith(".") ? reason : `${reason}.`;
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
        { "aria-busy": one.state === "reading" ? "true" : null, class: one.state === "failed" ? "failed" : null },
        el(
          "button",
          { type: "button", class: "name", disabled: one.state !== "ready", onclick: () => showDocument(one) },
          el("span", { dir: "auto" }, one.name),
          el("span", { class: "hint", role: one.state === "failed" ? "alert" : null }, stateOf(one)),
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
  const count = (state) => documents.filter((one) => one.state === state).length;
  const reading = count("reading") ? `, reading ${count("reading")} …` : "";
  const failed = count("failed") ? `, ${count("failed")} could not be read` : "";
  return `${documents.length} documents${reading}${failed}`;
}

function stateOf(one) {
  if (one.state === "reading") return "reading …";
  return one.state === "failed" ? one.reason : excerptCount(one);
}

function excerptCount({ entries }) {
  const pages = new Set(entries.map((entry) => entry.page_number).filter(Boolean)).size;
  if (pages) return `${pages} ${pages === 1 ? "page" : "pages"}`;
  return `${entries.length} ${entries.length === 1 ? "excerpt" : "excerpts"}`;
}
