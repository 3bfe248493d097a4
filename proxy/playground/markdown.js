// Markdown of a model, which is hostile input: marked makes HTML of it, DOMPurify takes out what could act, and only
// then it becomes part of the page. Sentences and markers are found again in the finished elements.

import { marked } from "./vendor/marked.esm.js";
import "./vendor/purify.min.js";
import { characters, el } from "./dom.js";

const CLEAN = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["style", "form", "input", "button", "img", "audio", "video", "picture", "source", "svg", "iframe"],
  FORBID_ATTR: ["style", "id", "name", "class"],
  ADD_ATTR: ["data-math", "data-display"],
  RETURN_DOM_FRAGMENT: true,
};
const CELLS = /^((?:\|\s*)?)([^]*?)((?:\s*\|)?)$/; // of a table's row the outer bars have to stay outside
const HARMLESS = /^<\/?(br|sub|sup|kbd|b|i|em|strong|u)\s*\/?>$/i; // tags that models write for their looks; others are shown as text
const BETWEEN_CELLS = /^(TABLE|THEAD|TBODY|TR)$/;
const MARKER = /\[(\d{1,3})\]/g;
const QUIET = "code, pre, a, .math, button"; // where a number in brackets is no marker of ours
const [OPEN, CLOSE] = ["\u2e28", "\u2e29"]; // brackets nobody writes; being punctuation they leave Markdown's emphasis alone

marked.use({
  gfm: true,
  renderer: {
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    html: ({ text }) => (HARMLESS.test(text) ? text : escaped(text)),
    image: ({ text }) => escaped(`[image${text ? `: ${text}` : ""}]`), // its address would tell somebody that it was shown
    heading({ tokens, depth }) {
      const level = Math.min(depth + 2, 6); // the page has its own first and second
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
  },
  extensions: [math("block", /^\$\$([^$]+)\$\$/, true), math("inline", /^\$(?![\s$])([^$\n]*[^\s$\\])\$(?!\d)/, false),
  math("inline", /^\\\(([^\n]+?)\\\)/, false), math("block", /^\\\[([\s\S]+?)\\\]/, true)],
});

/**
 * The elements of a text. `sentences`: [{start, end, …}] in code points, in order; their words come back in
 * `<span class="claim" data-claim=index>`. `chip(number)` makes the element that stands for a marker.
 */
export function render(text, sentences, chip) {
  const marking = sentences.length > 0 && !text.includes(OPEN) && !text.includes(CLOSE);
  const fragment = globalThis.DOMPurify.sanitize(marked.parse(marking ? marked_(text, sentences) : text), CLEAN);
  if (marking) unmark(fragment);
  for (const link of fragment.querySelectorAll("a[href]")) Object.assign(link, { target: "_blank", rel: "noopener noreferrer nofollow" });
  for (const table of fragment.querySelectorAll("pre, table")) table.tabIndex = 0; // so that the keyboard can scroll it
  formulas(fragment);
  chips(fragment, chip);
  return fragment;
}

const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

function marked_(text, sentences) {
  const letters = characters(text);
  let at = 0, out = "";
  for (const { start, end } of sentences) {
    if (start < at || end <= start) continue;
    const [, before, words, after] = CELLS.exec(letters.slice(start, end).join(""));
    out += letters.slice(at, start).join("") + before + OPEN + words + CLOSE + after;
    at = end;
  }
  return out + letters.slice(at).join("");
}

/** Put what stands between the brackets into spans, and take the brackets out, in attributes too. */
function unmark(fragment) {
  let claim = -1, inside = false;
  for (const node of textNodes(fragment)) {
    const pieces = node.data.split(/([\u2e28\u2e29])/);
    const parent = node.parentNode.nodeName;
    if (pieces.length === 1 && !inside) continue;
    node.replaceWith(...pieces.flatMap((piece) => {
      if (piece === OPEN || piece === CLOSE) {
        inside = piece === OPEN;
        claim += inside ? 1 : 0;
        return [];
      }
      if (!piece) return [];
      if (BETWEEN_CELLS.test(parent)) return [piece]; // a span there would be a cell of its own
      return inside ? [el("span", { class: "claim", "data-claim": claim }, piece)] : [piece];
    }));
  }
  for (const link of fragment.querySelectorAll("a[href]")) link.href = link.getAttribute("href").replace(/%E2%B8%A[89]/gi, "");
}

function chips(fragment, chip) {
  for (const node of textNodes(fragment)) {
    if (!node.data.includes("[") || node.parentElement?.closest(QUIET)) continue;
    const pieces = node.data.split(MARKER);
    if (pieces.length === 1) continue;
    node.replaceWith(...pieces.map((piece, index) => (index % 2 ? chip(Number(piece)) : piece)));
  }
}

function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
}

// Formulas: TeX stays text until the sanitiser is through; then Temml, loaded at the first formula, makes MathML of it.

function math(level, pattern, display) {
  const name = `math-${level}-${display}-${pattern.source.length}`;
  return {
    name, level,
    start: (source) => source.search(level === "block" ? /\n(?:\$\$|\\\[)/ : /\$|\\\(/),
    tokenizer(source) {
      const match = pattern.exec(source);
      return match ? { type: name, raw: match[0], tex: match[1] } : undefined;
    },
    renderer: ({ tex }) => `<span data-math="${encodeURIComponent(tex)}"${display ? ' data-display="1"' : ""}></span>`,
  };
}

let loading = null;

function formulas(fragment) {
  for (const place of fragment.querySelectorAll("[data-math]")) {
    const tex = decodeURIComponent(place.dataset.math).replace(/[\u2e28\u2e29]/g, "");
    place.classList.add("math");
    place.textContent = tex;
    loading ??= load();
    loading.then(() => {
      const made = globalThis.temml.renderToString(tex, { displayMode: Boolean(place.dataset.display), throwOnError: false });
      place.replaceChildren(globalThis.DOMPurify.sanitize(made, { USE_PROFILES: { mathMl: true }, FORBID_ATTR: ["style"], RETURN_DOM_FRAGMENT: true }));
    }, () => {});
  }
}

function load() {
  const url = new URL("vendor/temml.min.js", import.meta.url).href;
  const policy = globalThis.trustedTypes?.createPolicy("citestream", { createScriptURL: () => url });
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = policy ? policy.createScriptURL("") : url;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
}
