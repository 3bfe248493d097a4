// The sources of an answer as text and as HTML, for copies and exports: file names, places and quotations.

import { el } from "../component/dom.js";
import { withoutTables } from "../component/citation-view.js";
import { t } from "../component/text.js";

/** Return the file of a reference, its title and its place: `handbook.pdf, Leave, page 3`. */
export function describe({ file_name: fileName, title, url, id, page_number: page, row }) {
  const parts = [fileName, title && title !== fileName ? title : null];
  if (page) parts.push(t("page {number}", { number: page }));
  if (row) parts.push(t("row {number}", { number: row }));
  return parts.filter(Boolean).join(", ") || url || id;
}

/** Return the distinct quotations of a reference, in the order of its sentences, each on one line. */
export function quotations({ spans, snippet }) {
  const quotes = spans.map((one) => one.quote).filter(Boolean);
  const distinct = [...new Set(quotes.length ? quotes : [snippet])].filter(Boolean);
  return distinct.map((quote) => withoutTables(quote).replace(/\s+/g, " ").trim());
}

const quoted = (words) => t("“{words}”", { words });

/** Return an answer with its sources as Markdown. */
export function answerAsMarkdown(answer) {
  const sources = answer.references.map((one) => {
    const address = one.url ? ` <${one.url}>` : "";
    const quotes = quotations(one).map(quoted).join(" … ");
    return `[${one.number}] ${describe(one)}${address}${quotes ? `: ${quotes}` : ""}`;
  });
  return [answer.text.trim(), sources.join("\n")].filter(Boolean).join("\n\n");
}

/** Return the sources of an answer as a list. */
export function sourceList(answer) {
  return el(
    "ol",
    { class: "source-list" },
    answer.references.map((one) =>
      el(
        "li",
        { value: one.number },
        el("strong", { dir: "auto" }, describe(one)),
        one.url && /^https?:/.test(one.url) ? [" ", el("a", { href: one.url }, one.url)] : null,
        quotations(one).map((quote) => el("blockquote", { dir: "auto" }, quote)),
      ),
    ),
  );
}

/** Return the shown answer of a `<citestream-answer>` as plain elements, without its buttons. */
export function answerElements(view) {
  const copy = view.textElement.cloneNode(true);
  for (const button of copy.querySelectorAll("button")) button.remove();
  for (const marker of copy.querySelectorAll(".marker")) marker.replaceWith(el("sup", {}, `[${marker.textContent}]`));
  for (const claim of copy.querySelectorAll(".claim")) {
    if (claim.classList.contains("contradicted")) claim.replaceWith(el("u", {}, ...claim.childNodes));
    else claim.replaceWith(...claim.childNodes);
  }
  for (const one of copy.querySelectorAll("*")) {
    for (const name of ["class", "part", "tabindex", "role", "data-language"]) one.removeAttribute(name);
  }
  return [...copy.childNodes];
}

/** Copy an answer with its sources as rich text, and as Markdown for programs without it. */
export async function copyAnswer(view) {
  const box = el("div", {}, answerElements(view), view.answer.references.length ? sourceList(view.answer) : null);
  const kinds = { "text/html": box.outerHTML, "text/plain": answerAsMarkdown(view.answer) };
  if (globalThis.ClipboardItem && navigator.clipboard) {
    const blobs = Object.entries(kinds).map(([type, text]) => [type, new Blob([text], { type })]);
    return navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]);
  }
  const put = (event) => {
    event.preventDefault();
    for (const [type, text] of Object.entries(kinds)) event.clipboardData.setData(type, text);
  };
  document.addEventListener("copy", put, { once: true });
  document.execCommand("copy"); // the only way of a page without HTTPS
  document.removeEventListener("copy", put);
}
