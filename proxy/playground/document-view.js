// The document view: the text of a document, page by page, with the cited passage marked.

import { el } from "../component/dom.js";
import { decidingWords } from "../component/highlight.js";
import { MarkdownView } from "../component/markdown.js";
import { toUnits } from "../component/offsets.js";
import { t } from "../component/text.js";
import { byId, openDialog } from "./page.js";

// The readers return Markdown for web pages and documents of office programs, and tables as Markdown for all other formats
const MARKDOWN = /\.(?:md|markdown|html?|docx|pptx|xls[xm]|[ct]sv|jsonl?|ndjson)$/i;
const TABLE = /^\|.*\n\|(?: ?:?-+:? ?\|)+$/m; // the header of a table and its rule

/**
 * Show a document. `passage`: {entry, span, sentence, question}, the excerpt and the span of a citation in it; null shows
 * the document from its beginning.
 */
export function showDocument(shown, passage = null) {
  byId("document-title").textContent = shown.name;
  const facts = passage?.sentence ? el("p", { class: "hint" }, t("The marked passage supports the selected sentence.")) : null;
  const sections = shown.entries.map((entry, index) =>
    section(entry, shown.entries[index - 1], passage?.entry === entry ? passage : null),
  );
  byId("document-body").replaceChildren(...[original(shown, passage), facts, ...sections].filter(Boolean));
  openDialog("document");
  const marked = byId("document-body").querySelector("mark.passage");
  if (marked) marked.scrollIntoView({ block: "center" });
  else byId("document").scrollTop = 0;
}

/**
 * Return a link to the original file at the page of the passage. Only PDF files: other files could run scripts. `load` of
 * a document returns the file of an indexed folder, which is fetched when it is opened.
 */
function original(shown, passage) {
  const page = passage?.entry.page_number;
  const label = page ? t("Open the PDF at page {number}", { number: page }) : t("Open the PDF");
  const address = (file) => {
    shown.url ??= URL.createObjectURL(new Blob([file], { type: "application/pdf" }));
    return page ? `${shown.url}#page=${page}` : shown.url;
  };
  if (shown.file?.name.toLowerCase().endsWith(".pdf"))
    return el("p", {}, el("a", { href: address(shown.file), target: "_blank", rel: "noopener" }, label));
  if (!shown.load) return null;
  const open = async () => {
    const tab = window.open("", "_blank"); // before the file arrives: a browser allows it only at the click
    try {
      tab.location = address(await shown.load());
    } catch (error) {
      tab?.close();
      button.replaceWith(el("span", { class: "bad", role: "alert" }, t("The PDF cannot be opened: {reason}", { reason: error.message })));
    }
  };
  const button = el("button", { type: "button", class: "quiet", onclick: open }, label);
  return el("p", {}, button);
}

function section(entry, before, passage) {
  const headings = [];
  if (entry.page_number && entry.page_number !== before?.page_number)
    headings.push(el("h3", { class: "page" }, t("Page {number}", { number: entry.page_number })));
  if (entry.title && entry.title !== before?.title) headings.push(el("h4", { dir: "auto" }, entry.title));
  return el(
    "section",
    { class: "excerpt" },
    headings,
    MARKDOWN.test(entry.file_name ?? "") || TABLE.test(entry.text) ? markdown(entry.text, passage) : plain(entry.text, passage),
  );
}

function plain(text, passage) {
  if (!passage) return el("p", { dir: "auto" }, text);
  const { start, end } = rangeOf(text, passage);
  return el("p", { dir: "auto" }, text.slice(0, start), mark(text.slice(start, end), passage), text.slice(end));
}

/** Return the text as Markdown. The passage is marked in several places if it has lists, tables or bold words. */
function markdown(text, passage) {
  const root = el("div", { class: "markdown", dir: "auto" });
  new MarkdownView(root, () => null).update(text, passage ? [rangeOf(text, passage)] : []);
  for (const part of root.querySelectorAll(".claim")) {
    const isText = [...part.childNodes].every((node) => node.nodeType === Node.TEXT_NODE);
    part.replaceWith(
      isText ? mark(part.textContent, passage) : el("mark", { class: "passage" }, ...part.childNodes),
    );
  }
  return root;
}

const BEGINS_INSIDE = /[\p{L}\p{M}\p{N}]+$/u;
const ENDS_INSIDE = /^[\p{L}\p{M}\p{N}]+/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;

/** Return the range of the passage. It begins and ends at words. */
function rangeOf(text, { span }) {
  const unit = toUnits(text);
  let start = unit(span.quote_start ?? 0);
  let end = unit(span.quote_end ?? 0);
  if (end <= start || !/\s/.test(text)) return { start, end }; // a script without spaces
  if (LETTER.test(text[start])) start -= BEGINS_INSIDE.exec(text.slice(0, start))?.[0].length ?? 0;
  if (LETTER.test(text[end - 1])) end += ENDS_INSIDE.exec(text.slice(end))?.[0].length ?? 0;
  return { start, end };
}

function mark(text, { sentence, question }) {
  const words = decidingWords(text, sentence, question).map((piece) =>
    piece.decides ? el("b", {}, piece.text) : piece.text,
  );
  return el("mark", { class: "passage" }, words);
}
