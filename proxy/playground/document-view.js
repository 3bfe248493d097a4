// The document view: the text of a document, page by page, with the cited passage marked.

import { el } from "../component/dom.js";
import { decidingWords } from "../component/highlight.js";
import { toUnits } from "../component/offsets.js";
import { byId, openDialog } from "./page.js";

/**
 * Show a document. `passage`: {entry, span, sentence, question}, the excerpt and the span of a citation in it; null shows
 * the document from its beginning.
 */
export function showDocument(shown, passage = null) {
  byId("document-title").textContent = shown.name;
  const facts = passage ? el("p", { class: "hint" }, "The marked passage supports the selected sentence.") : null;
  const sections = shown.entries.map((entry, index) =>
    section(entry, shown.entries[index - 1], passage?.entry === entry ? passage : null),
  );
  byId("document-body").replaceChildren(...[original(shown, passage), facts, ...sections].filter(Boolean));
  openDialog("document");
  const mark = byId("document-body").querySelector("mark.passage");
  if (mark) mark.scrollIntoView({ block: "center" });
  else byId("document").scrollTop = 0;
}

/** Return a link to the original file at the page of the passage. Only PDF files: other files could run scripts. */
function original(shown, passage) {
  if (!shown.file?.name.toLowerCase().endsWith(".pdf")) return null;
  shown.url ??= URL.createObjectURL(new Blob([shown.file], { type: "application/pdf" }));
  const page = passage?.entry.page_number;
  return el(
    "p",
    {},
    el(
      "a",
      { href: page ? `${shown.url}#page=${page}` : shown.url, target: "_blank", rel: "noopener" },
      page ? `Open the PDF at page ${page}` : "Open the PDF",
    ),
  );
}

function section(entry, before, passage) {
  const headings = [];
  if (entry.page_number && entry.page_number !== before?.page_number)
    headings.push(el("h3", { class: "page" }, `Page ${entry.page_number}`));
  if (entry.title && entry.title !== before?.title) headings.push(el("h4", { dir: "auto" }, entry.title));
  return el(
    "section",
    { class: "excerpt" },
    headings,
    el("p", { dir: "auto" }, passage ? marked(entry.text, passage) : entry.text),
  );
}

function marked(text, { span, sentence, question }) {
  const unit = toUnits(text);
  const start = unit(span.quote_start ?? 0),
    end = unit(span.quote_end ?? 0);
  const words = decidingWords(text.slice(start, end), sentence, question).map((piece) =>
    piece.decides ? el("b", {}, piece.text) : piece.text,
  );
  return [text.slice(0, start), el("mark", { class: "passage" }, words), text.slice(end)];
}
