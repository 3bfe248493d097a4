// Render Markdown of a model, which is untrusted input, as elements. No HTML of the model is ever interpreted. Every piece of text
// knows its offset in the source, so that sentences can be wrapped at the end of a stream without changing any other element.

import { codeBlock } from "./code-block.js";
import { EXTERNAL, el, safeUrl } from "./dom.js";
import { renderFormula } from "./formulas.js";
import { parseBlocks } from "./markdown-blocks.js";
import { parseInline } from "./markdown-inline.js";

const FORMATTING = new Set(["br", "sub", "sup", "kbd", "b", "i", "em", "strong", "u"]); // tags of HTML that models use; others are shown as text
const LONG_CELL = 24; // characters of a cell that needs a wide column
const ENTITY = /(&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});)/i;
const ENTITIES = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
  reg: "®",
  trade: "™",
  euro: "€",
  times: "×",
  deg: "°",
  plusmn: "±",
  middot: "·",
  bull: "•",
  rarr: "→",
  larr: "←",
  le: "≤",
  ge: "≥",
  ne: "≠",
  minus: "−",
  shy: "\u00ad",
};
// A marker, with the space before it: a marker must not wrap to the next line alone. `x[1]` is an array element.
const MARKER =
  /(?<![A-Za-z0-9_)\]])[ \u00a0]*\[(\d{1,3})\]|(?<=\[\d{1,3}\])[ \u00a0]*\[(\d{1,3})\]|(?<=[A-Za-z0-9_)])[ \u00a0]+\[(\d{1,3})\]/g;

/**
 * A rendered text that can grow. `marker(number, offset)` returns the element for a marker, or null if it is plain text.
 * Elements of blocks that did not change are kept, so that focus, selection and scroll positions survive.
 */
export class MarkdownView {
  constructor(root, marker) {
    Object.assign(this, { root, marker, keys: [] });
  }

  /** Show `text`. `claims`: [{start, end}] in order; each is wrapped in `<span class="claim" data-claim=index>`. */
  update(text, claims = [], version = "") {
    const source = text.replaceAll("\r\n", " \n").replaceAll("\r", "\n"); // the offsets stay the same
    const numbered = claims.map(({ start, end }, index) => ({ start, end, index }));
    const keys = parseBlocks(source).map((block, index) => {
      const inside = numbered.filter(({ start, end }) => end > block.at && start < block.end);
      const raw = source.slice(block.at, block.end);
      const key = JSON.stringify([
        raw,
        block.type,
        inside.map((claim) => [claim.start - block.at, claim.end - block.at, claim.index]),
        raw.includes("[") ? version : "",
      ]);
      if (this.keys[index] !== key) this.#place(new Builder(inside, this.marker).block(block), index);
      return key;
    });
    while (this.root.children.length > keys.length) this.root.lastElementChild.remove();
    this.keys = keys;
  }

  #place(element, index) {
    const old = this.root.children[index];
    if (old) old.replaceWith(element);
    else this.root.append(element);
  }
}

/** Builds the elements of one block. */
class Builder {
  constructor(claims, marker) {
    Object.assign(this, { claims, marker });
  }

  /** Return the element of a block. */
  block(block) {
    switch (block.type) {
      case "heading":
        return this.#inline(el(`h${Math.min(block.level + 2, 6)}`), block.lines); // h1 and h2 belong to the page
      case "list":
        return this.#list(block);
      case "table":
        return this.#table(block);
      case "blockquote":
        return el(
          "blockquote",
          {},
          block.blocks.map((one) => this.block(one)),
        );
      case "code":
        return codeBlock(block.text, block.language);
      case "hr":
        return el("hr");
      case "math":
        return formula(block, el("p", { class: "math block" }));
      default:
        return this.#inline(el("p"), block.lines);
    }
  }

  #list({ ordered, start, items, loose }) {
    return el(
      ordered ? "ol" : "ul",
      { start: ordered && start !== 1 ? `${start}` : null },
      items.map((item) => {
        const entry = el(
          "li",
          { class: item.checked === null ? null : "task" },
          item.checked === null ? null : item.checked ? "☑ " : "☐ ",
        );
        for (const block of item.blocks) {
          if (block.type === "paragraph" && !loose) this.#inline(entry, block.lines);
          else entry.append(this.block(block));
        }
        return entry;
      }),
    );
  }

  #table({ head, align, rows }) {
    const row = (cells, tag) =>
      el(
        "tr",
        {},
        cells.map((cell, column) =>
          this.#inline(
            el(tag, { class: cellClass(cell, align[column], tag), scope: tag === "th" ? "col" : null }),
            [cell],
          ),
        ),
      );
    const body = rows.length
      ? el(
          "tbody",
          {},
          rows.map((cells) => row(cells, "td")),
        )
      : null;
    return el(
      "div",
      { class: "table", tabindex: 0, role: "group", "aria-label": "Table" }, // focusable, because it scrolls
      el("table", {}, el("thead", {}, row(head, "th")), body),
    );
  }

  #inline(parent, lines) {
    return this.#nodes(parent, parseInline(lines));
  }

  /** Add inline nodes. The beginning and the end of a formatting tag are two nodes. */
  #nodes(parent, nodes) {
    const open = [parent];
    for (const node of nodes) {
      if (node.type !== "tag" || !FORMATTING.has(node.name)) this.#node(open.at(-1), node);
      else if (node.name === "br") this.#place(open.at(-1), el("br"), node.at);
      else if (!node.closing) {
        open.push(el(node.name));
        open.at(-2).append(open.at(-1));
      } else if (open.length > 1 && open.at(-1).localName === node.name) open.pop();
    }
    return parent;
  }

  #node(parent, node) {
    switch (node.type) {
      case "strong":
      case "em":
      case "del":
        return parent.append(this.#nodes(el(node.type), node.children));
      case "link":
        return this.#link(parent, node);
      case "br":
        return this.#place(parent, el("br"), node.at);
      case "code":
        return this.#place(parent, el("code", {}, node.text), node.at);
      case "math":
        return this.#place(parent, formula(node, el("span", { class: "math" })), node.at);
      case "literal":
        return this.#place(parent, document.createTextNode(node.text), node.at);
      // Loading an image would tell its server that the answer is being read.
      case "image":
        return this.#place(parent, document.createTextNode(`[image${node.text ? `: ${node.text}` : ""}]`), node.at);
      default:
        return this.#text(parent, node);
    }
  }

  #link(parent, { at, href, title, label, children }) {
    const number = /^\[?(\d{1,3})\]?$/.exec(label ?? "");
    const marker = number ? this.marker(Number(number[1]), at) : null;
    if (marker && !marker.hasAttribute("data-pending")) return parent.append(marker); // [[1]](url), the marker style `link`
    const url = safeUrl(href);
    return parent.append(this.#nodes(url ? el("a", { href: url, title, ...EXTERNAL }) : el("span"), children));
  }

  /** Add text with its markers. */
  #text(parent, { text, at }) {
    let from = 0;
    for (const match of parent.closest("a") ? [] : text.matchAll(MARKER)) {
      const marker = this.marker(Number(match[1] ?? match[2] ?? match[3]), at + match.index);
      if (!marker) continue;
      this.#words(parent, text.slice(from, match.index), at + from);
      parent.append(marker);
      from = match.index + match[0].length;
    }
    this.#words(parent, text.slice(from), at + from);
  }

  /** Add text without markers, cut where claims begin and end. */
  #words(parent, text, at) {
    for (const piece of text.split(ENTITY)) {
      for (let from = 0; from < piece.length;) {
        const to = ENTITY.test(piece) ? piece.length : Math.min(piece.length, this.#boundary(at + from) - at);
        this.#place(parent, document.createTextNode(decoded(piece.slice(from, to))), at + from);
        from = to;
      }
      at += piece.length;
    }
  }

  /** Return the next offset at which a claim begins or ends. */
  #boundary(at) {
    return Math.min(...this.claims.flatMap(({ start, end }) => [start, end]).filter((offset) => offset > at), Infinity);
  }

  /** Append a node; within a claim, to the span of the claim. */
  #place(parent, node, at) {
    const claim = this.claims.find(({ start, end }) => start <= at && at < end);
    if (!claim) parent.append(node);
    else if (parent.lastChild?.dataset?.claim === `${claim.index}`) parent.lastChild.append(node);
    else parent.append(el("span", { class: "claim", "data-claim": claim.index }, node));
  }
}

function cellClass({ text }, align, tag) {
  const names = [align && `align-${align}`, tag === "td" && text.length > LONG_CELL && "long"].filter(Boolean);
  return names.length ? names.join(" ") : null;
}

function formula({ tex, display }, place) {
  renderFormula(place, tex, display);
  return place;
}

function decoded(text) {
  const name = ENTITY.test(text) && text.slice(1, -1);
  if (!name) return text;
  if (name[0] !== "#") return ENTITIES[name] ?? text;
  const code = name[1].toLowerCase() === "x" ? parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : text;
}
