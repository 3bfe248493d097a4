// The content of a citation: title, location, quote with the deciding words, support, and a link to open the document.
// The citation card and the source panel show the same content.

import { locationOf, nameOf } from "./answer-state.js";
import { EXTERNAL, el, safeUrl } from "./dom.js";
import { decidingWords } from "./highlight.js";

const STATUS = { verified: "cited by the model", added: "added by Citestream" };

/** Return the content for one citation. `span` is that of the selected sentence. `link` opens the document; `open` is called first. */
export function citationView({ reference, span }, { sentence, question, link, open }) {
  const where = locationOf(reference);
  return [
    el(
      "p",
      { class: "source", part: "source" },
      el("span", { class: "number", "aria-hidden": "true" }, `${reference.number}`),
      el("strong", { dir: "auto" }, nameOf(reference)),
      where && el("span", { class: "where", dir: "auto" }, where),
      reference.is_generated_artifact ? el("span", { class: "label", dir: "auto" }, reference.label) : null,
    ),
    quoteView(span.quote ?? reference.snippet ?? "", sentence, question),
    el(
      "p",
      { class: "support", part: "support" },
      el(
        "span",
        {},
        supportMeter(span.support),
        ` Support ${percent(span.support)}${Object.hasOwn(STATUS, span.status) ? ` · ${STATUS[span.status]}` : ""}`,
      ),
      openLink({ reference, span }, link, open),
    ),
  ];
}

/** Return a quote in which only the words that decide are marked. Rows of a table are shown without the syntax of Markdown. */
export function quoteView(quote, sentence, question) {
  const pieces = decidingWords(quote.split("\n").map(withoutPipes).join("\n"), sentence, question).map(
    ({ text, decides }) => (decides ? el("mark", {}, text) : text),
  );
  return el("blockquote", { dir: "auto", part: "quote" }, pieces);
}

const withoutPipes = (line) =>
  /^\s*\|.*\|\s*$/.test(line)
    ? line
        .trim()
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("\\|", "|"))
        .join(" · ")
    : line;

/** Return the link or the button that opens the document of a reference. */
export function openLink({ reference, span }, link, open) {
  const url = safeUrl(link);
  const name = `Open ${nameOf(reference)}`;
  const handle = (event) => {
    if (!open({ reference, span, link: url })) event.preventDefault();
  };
  if (url)
    return el("a", { class: "open", href: url, "aria-label": name, ...EXTERNAL, onclick: handle }, "Open document");
  return el("button", { type: "button", class: "open", "aria-label": name, onclick: handle }, "Open document");
}

const percent = (support) => `${Math.round(support * 100)} %`;

/** Return a bar of five steps; the number follows as text. */
function supportMeter(support) {
  const full = Math.max(1, Math.round(support * 5));
  return el(
    "span",
    { class: "meter", "aria-hidden": "true" },
    [1, 2, 3, 4, 5].map((step) => el("i", { class: step <= full ? "full" : null })),
  );
}
