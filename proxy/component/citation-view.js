// The content of a citation: title, location, quote with the deciding words, support, and a link to open the document.
// The source panel shows it, or the citation card where no panel is visible.

import { locationOf, nameOf } from "./answer-state.js";
import { EXTERNAL, el, safeUrl } from "./dom.js";
import { decidingWords } from "./highlight.js";
import { serverText, t } from "./text.js";

/** Return who cited a passage, or null. */
function statusOf(status) {
  if (status === "verified") return t("cited by the model");
  return status === "added" ? t("added by Citestream") : null;
}

/**
 * Return the content for one citation. `span` is that of the selected sentence. `link` opens the document; `open` is called first.
 * `partly`: the passage supports only a part of the sentence.
 */
export function citationView({ reference, span }, { sentence, question, link, open, partly = false }) {
  const status = statusOf(span.status);
  return [
    sourceLine(reference),
    quoteView(span.quote ?? reference.snippet ?? "", sentence, question),
    el(
      "p",
      { class: "support", part: "support" },
      el(
        "span",
        {},
        supportMeter(span.support),
        [` ${t("Support {percent}", { percent: percent(span.support) })}`, status].filter(Boolean).join(" · "),
      ),
      openLink({ reference, span }, span?.link ?? link, open),
    ),
    partly ? el("p", { class: "where" }, t("The sources support only a part of this sentence.")) : null,
  ].filter(Boolean);
}

/** Return the content about a passage that says otherwise. `item`: the evidence, or a reference to it. */
export function conflictView(conflict, item, { sentence, question, link, open }) {
  const reference = { ...item, number: null, evidence_number: conflict.evidence_number };
  return [
    el("p", { class: "contradiction" }, el("strong", {}, t("A source says otherwise"))),
    sourceLine(reference),
    quoteView(conflict.quote, sentence, question),
    el(
      "p",
      { class: "support" },
      serverText(conflict.detail) ? el("span", {}, `${conflict.detail}.`) : null,
      openLink({ reference, span: conflict }, link, open),
    ),
  ];
}

/** Return the content about a sentence that no source supports. */
export const unsupportedView = () => [
  el("p", { class: "source" }, el("strong", {}, t("No source supports this sentence"))),
  el("p", { class: "where" }, t("None of the passages that were read states it. Check it before you rely on it.")),
];

/** Return the line with the number of a reference, its name and its place. */
export function sourceLine(reference) {
  const where = locationOf(reference);
  return el(
    "p",
    { class: "source", part: "source" },
    reference.number ? el("span", { class: "number", "aria-hidden": "true" }, `${reference.number}`) : null,
    el(
      "span",
      { class: "name" },
      el("strong", { dir: "auto" }, nameOf(reference)),
      where ? el("span", { class: "where", dir: "auto" }, where) : null,
      reference.is_generated_artifact ? el("span", { class: "label", dir: "auto" }, reference.label) : null,
    ),
  );
}

/** Return a quote in which only the words that decide are marked. Rows of a table are shown without the syntax of Markdown. */
export function quoteView(quote, sentence, question) {
  const pieces = decidingWords(withoutTables(quote), sentence, question).map(({ text, decides }) =>
    decides ? el("mark", {}, text) : text,
  );
  return el("blockquote", { dir: "auto", part: "quote" }, pieces);
}

/** Return a text whose tables have no syntax of Markdown. */
export const withoutTables = (text) =>
  text
    .split("\n")
    .filter((line) => !RULE.test(line))
    .map(withoutPipes)
    .join("\n");

const RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/; // the line below the header of a table

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
  const name = t("Open {name}", { name: nameOf(reference) });
  const handle = (event) => {
    if (!open({ reference, span, link: url })) event.preventDefault();
  };
  if (url)
    return el("a", { class: "open", href: url, "aria-label": name, ...EXTERNAL, onclick: handle }, t("Open document"));
  return el("button", { type: "button", class: "open", "aria-label": name, onclick: handle }, t("Open document"));
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
