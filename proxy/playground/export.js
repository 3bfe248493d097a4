// A conversation as a file: Markdown or HTML with sources and quotations, and printed or as PDF by the browser.

import { el } from "../component/dom.js";
import { t } from "../component/text.js";
import { answerAsMarkdown, answerElements, sourceList } from "./sources-text.js";

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1.1rem; margin-top: 2.5rem; }
table { border-collapse: collapse; } th, td { border: 1px solid #8888; padding: .3rem .6rem; text-align: start; }
pre { overflow-x: auto; background: #8881; padding: .7rem; }
blockquote { margin: .2rem 0 .6rem; padding-inline-start: .7rem; border-inline-start: 3px solid #8886; }
.source-list { font-size: .9rem; }
sup { font-size: .75em; }
`;

/** Return the conversation as Markdown. `turns`: with `question` and `view`. */
export function toMarkdown(title, turns) {
  const parts = turns.map(({ question, view }) => `## ${question.replace(/\s+/g, " ")}\n\n${answerAsMarkdown(view.answer)}`);
  return `# ${title}\n\n${parts.join("\n\n")}\n`;
}

/** Return the conversation as a page without scripts. */
export function toHtml(title, turns) {
  const parts = turns.map(({ question, view }) =>
    el(
      "section",
      {},
      el("h2", { dir: "auto" }, question),
      el("div", { dir: "auto" }, answerElements(view)),
      view.answer.references.length ? sourceList(view.answer) : null,
    ),
  );
  const head = [
    '<meta charset="utf-8">',
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    el("title", {}, title).outerHTML,
    `<style>${STYLE}</style>`,
  ];
  const body = el("main", {}, el("h1", { dir: "auto" }, title), parts);
  return `<!doctype html>\n<html lang="${document.documentElement.lang}">\n<head>\n${head.join("\n")}\n</head>\n<body>\n${body.outerHTML}\n</body>\n</html>\n`;
}

/** Let the browser save a text as a file. */
export function download(title, suffix, type, text) {
  const name = title.replace(/[^\p{L}\p{M}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || t("chat");
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: `${name}${suffix}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000); // after the browser has begun to save it
}

/** Add the sources to each answer while the page is printed. On the screen they are in the panel. */
export function addSourcesForPrint(turns) {
  for (const { view } of turns) if (view.answer.references.length) view.after(el("div", { class: "printed" }, sourceList(view.answer)));
}

export function removeSourcesForPrint() {
  for (const one of document.querySelectorAll(".printed")) one.remove();
}
