// Render Markdown of a model, which is untrusted input: marked converts it to HTML, and DOMPurify sanitizes the HTML before
// it becomes part of the page. Sentences and markers are then located in the sanitized elements.

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
const CELLS = /^((?:\|\s*)?)([^]*?)((?:\s*\|)?)$/; // the outer bars of a table row must stay outside of the brackets
const HARMLESS = /^<\/?(br|sub|sup|kbd|b|i|em|strong|u)\s*\/?>$/i; // formatting tags of models; other tags are shown as text
const BETWEEN_CELLS = /^(TABLE|THEAD|TBODY|TR)$/;
const MARKER = /\[(\d{1,3})\]/g;
const QUIET = "code, pre, a, .math, button"; // elements in which a number in brackets is not a marker
const [OPEN, CLOSE] = ["\u2e28", "\u2e29"]; // unused brackets; as punctuation they do not affect Markdown emphasis

marked.use({
  gfm: true,
  renderer: {
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    html: ({ text }) => (HARMLESS.test(text) ? text : escaped(text)),
    image: ({ text }) => escaped(`[image${text ? `: ${text}` : ""}]`), // loading an image would tell its server that the answer is being read
    heading({ tokens, depth }) {
      const level = Math.min(depth + 2, 6); // h1 and h2 are headings of the page
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
  },
  extensions: [math("block", /^\$\$([^$]+)\$\$/, true), math("inline", /^\$(?![\s$])([^$\n]*[^\s$\\])\$(?!\d)/, false),
  math("inline", /^\\\(([^\n]+?)\\\)/, false), math("block", /^\\\[([\s\S]+?)\\\]/, true)],
});

/**
 * Render a text as a fragment. `sentences` are [{start, end, …}] in code points, in order. Each is wrapped in
 * `<span class="claim" data-claim=index>`. `chip(number)` creates the element for a marker.
 */
export function render(text, sentences, chip) {
  const marking = sentences.length > 0 && !text.includes(OPEN) && !text.includes(CLOSE);
  const fragment = globalThis.DOMPurify.sanitize(marked.parse(marking ? insertBrackets(text, sentences) : text), CLEAN);
  if (marking) createClaimSpans(fragment);
  for (const link of fragment.querySelectorAll("a[href]")) Object.assign(link, { target: "_blank", rel: "noopener noreferrer nofollow" });
  for (const table of fragment.querySelectorAll("pre, table")) table.tabIndex = 0; // allows scrolling with the keyboard
  formulas(fragment);
  chips(fragment, chip);
  return fragment;
}

const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

function insertBrackets(text, sentences) {
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

/** Wrap the text between brackets in spans and remove the brackets, also in attributes. */
function createClaimSpans(fragment) {
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
      if (BETWEEN_CELLS.test(parent)) return [piece]; // a span would become an additional cell
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

// Formulas: TeX is kept as text during sanitizing. Temml, which is loaded at the first formula, then renders MathML.

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
