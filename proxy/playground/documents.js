// Documents on the page: dropped, chosen or pasted files, which the server reads as excerpts. A list of {id, name, file, entries, state}.

import { el } from "../component/dom.js";
import { plural, t } from "../component/text.js";
import { readFile } from "./client.js";
import { newId } from "./database.js";
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

/** Return the documents that can be saved. */
export const saved = () => documents.filter((one) => one.state === "ready").map(savedDocument);

const savedDocument = ({ id, name, file, entries }) => ({ id, name, file, entries });

/** Show saved documents instead of the present ones. */
export function show(list) {
  documents.splice(0, documents.length, ...list.map((one) => ({ ...one, state: "ready" })));
  collapse();
  render();
}

/** Return an excerpt as it is saved: the id of its document, and its index. */
export const placeOf = (one) => one && { id: one.document.id, index: one.document.entries.indexOf(one.entry) };

/** Return a saved excerpt, {document, entry}, or null if its document was removed. */
export function excerptOf(place) {
  const document = documents.find((one) => one.id === place?.id);
  const entry = document?.entries[place.index];
  return entry ? { document, entry } : null;
}

export const isEmpty = () => documents.every((one) => one.state === "failed");
/** Return all excerpts. */
export const allEntries = () => documents.flatMap((one) => one.entries);

export const isReading = () => documents.some((one) => one.state === "reading");

/** Leave room for the conversation: show many documents as one line, which opens the list. */
export function collapse() {
  byId("library").open = documents.length < MANY_DOCUMENTS;
}

/** Add a document whose excerpts are known. */
export function addEntries(name, entries) {
  documents.push({ id: newId(), name, file: null, entries, state: "ready" });
  render();
}

/** Let the server read files, and add them. Return whether all could be read. The others stay in the list, with the reason. */
export async function addFiles(files, key) {
  const added = [...files].map((file) => ({ id: newId(), name: file.name, file, entries: [], state: "reading" }));
  documents.push(...added);
  render();
  await Promise.all(
    added.map(async (one) => {
      try {
        one.reason = refusal(one.file);
        if (!one.reason) one.entries = await readFile(one.file, key);
      } catch (error) {
        one.reason = refusal(one.file) || failure(error, one.name); // the limits may have arrived meanwhile
      }
      one.state = one.reason ? "failed" : "ready";
      render();
    }),
  );
  return added.every((one) => one.state === "ready");
}

/** Return why a file is not sent to the server, "" if it is. */
function refusal(file) {
  if (!file.size) return t("The file is empty.");
  if (file.size > limits.max_file_bytes)
    return t("Larger than {size} MB. Index it with “citestream index” instead.", {
      size: Math.floor(limits.max_file_bytes / 2 ** 20),
    });
  const suffix = /\.[^.]+$/.exec(file.name)?.[0].toLowerCase();
  if (suffix && limits.formats.length && !limits.formats.includes(suffix))
    return t("{suffix} files cannot be read. PDF, Word, Excel, PowerPoint, HTML and text files can.", { suffix });
  return "";
}

/** Return why the server did not read a file, as a sentence without its name. */
function failure(error, name) {
  if (error.status === 401) return t("This server requires an access key. Enter it in Options, and add the file again.");
  if (!error.status) return t("The server cannot be reached.");
  const reason = error.message.startsWith(`${name} `) ? `The file ${error.message.slice(name.length + 1)}` : error.message;
  return reason.endsWith(".") ? reason : `${reason}.`;
}

export function clear() {
  documents.length = 0;
  render();
}

function remove(one) {
  const index = documents.indexOf(one);
  if (index >= 0) documents.splice(index, 1);
  render();
  byId("documents").dispatchEvent(new Event("removed"));
}

function render() {
  byId("documents").dispatchEvent(new Event("changed"));
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
            "aria-label": t("Remove {name}", { name: one.name }),
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
  const parts = [plural(documents.length, "{count} document", "{count} documents")];
  if (count("reading")) parts.push(t("reading {count} …", { count: count("reading") }));
  if (count("failed")) parts.push(plural(count("failed"), "{count} could not be read", "{count} could not be read"));
  return parts.join(", ");
}

function stateOf(one) {
  if (one.state === "reading") return t("reading …");
  return one.state === "failed" ? one.reason : excerptCount(one);
}

function excerptCount({ entries }) {
  const pages = new Set(entries.map((entry) => entry.page_number).filter(Boolean)).size;
  if (pages) return plural(pages, "{count} page", "{count} pages");
  return plural(entries.length, "{count} excerpt", "{count} excerpts");
}
