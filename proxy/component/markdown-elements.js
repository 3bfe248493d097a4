// The elements of one block of Markdown.

import { nextBoundary, rangeAt } from "./claim-ranges.js";
import { codeBlock } from "./code-block.js";
import { EXTERNAL, answerUrl, el } from "./dom.js";
import { ENTITY, decoded } from "./entities.js";
import { renderFormula } from "./formulas.js";
import { parseInline } from "./markdown-inline.js";
import { markersIn, resemblesMarker } from "./markers.js";
import { t } from "./text.js";

const FORMATTING = new Set(["br", "sub", "sup", "kbd", "b", "i", "em", "strong", "u"]); // tags of HTML that models use; others are shown as text
const LONG_CELL = 24; // characters of a cell that needs a wide column
const MOST_MARKS = 20_000; // markers and parts of claims; an answer that was really verified has fewer
const FORMULA_COST = 15; // a formula takes the time of this many elements
const MOST_DEPTH = 100; // formatting inside formatting; browsers exhaust their stack when they lay out thousands of levels

/** A block has more elements than its builder may make. */
export class TooLargeError extends Error {}

/** Builds the elements of one block. Counts them, and markers and parts of claims separately. */
export class BlockBuilder {
  constructor(claims, marker, most) {
    Object.assign(this, { claims, marker, most, count: 0, marks: 0 });
  }

  /** Return the element of a block. */
  block(block) {
    switch (block.type) {
      case "heading":
        return this.#inline(this.#element(`h${Math.min(block.level + 2, 6)}`), block.lines); // h1 and h2 belong to the page
      case "list":
        return this.#list(block);
      case "table":
        return this.#table(block);
      case "blockquote":
        return this.#element(
          "blockquote",
          {},
          block.blocks.map((one) => this.block(one)),
        );
      case "code":
        this.count += 3; // with the elements inside
        return this.#counted(codeBlock(block.text, block.language));
      case "hr":
        return this.#element("hr");
      case "math":
        return this.#formula(block, "p", "math block");
      case "plain":
        return this.#plain(block);
      case "rest":
        return el("p", { class: "plain" }, block.text);
      default:
        return this.#inline(this.#element("p"), block.lines);
    }
  }

  #counted(node) {
    this.count += 1;
    if (this.count > this.most) throw new TooLargeError();
    return node;
  }

  #element(tag, properties, ...children) {
    return this.#counted(el(tag, properties, ...children));
  }

  /** Text without formatting, with its line breaks. It may have markers and claims. */
  #plain({ text, at }) {
    const element = el("p", { class: "plain" });
    this.#text(element, { text, at });
    return element;
  }

  #list({ ordered, start, items, loose }) {
    return this.#element(
      ordered ? "ol" : "ul",
      { start: ordered && start !== 1 ? `${start}` : null },
      items.map((item) => this.#item(item, loose)),
    );
  }

  #item({ checked, blocks }, loose) {
    const box = checked === null ? null : checked ? "☑ " : "☐ ";
    const entry = this.#element("li", { class: checked === null ? null : "task" }, box);
    for (const block of blocks) {
      if (block.type === "paragraph" && !loose) this.#inline(entry, block.lines);
      else entry.append(this.block(block));
    }
    return entry;
  }

  #table({ head, align, rows }) {
    const row = (cells, tag) =>
      this.#element(
        "tr",
        {},
        head.map((_, column) => this.#cell(cells[column], tag, align[column])),
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
      { class: "table", tabindex: 0, role: "group", "aria-label": t("Table") }, // focusable, because it scrolls
      el("table", {}, el("thead", {}, row(head, "th")), body),
    );
  }

  #cell(cell, tag, align) {
    const names = [align && `align-${align}`, tag === "td" && cell?.text.length > LONG_CELL && "long"].filter(Boolean);
    const element = this.#element(tag, { class: names.join(" ") || null, scope: tag === "th" ? "col" : null });
    return cell ? this.#inline(element, [cell]) : element;
  }

  #inline(parent, lines) {
    return this.#nodes(parent, parseInline(lines));
  }

  /** Add inline nodes. The beginning and the end of emphasis and of a formatting tag are two nodes. */
  #nodes(parent, nodes, linked = false) {
    const open = [{ element: parent }];
    for (const node of nodes) {
      const inner = open.at(-1);
      const isTag = node.type === "tag" && FORMATTING.has(node.name) && node.name !== "br";
      if (node.type === "open" || (isTag && !node.closing))
        open.push({ element: this.#inside(inner, node, open), tag: isTag && node.name });
      else if (node.type === "close") {
        while (open.pop().tag); // tags that were not closed end with the emphasis around them
      } else if (!isTag) this.#node(inner.element, node, linked);
      else if (inner.tag === node.name) open.pop();
    }
    return parent;
  }

  /** Add an element for formatting. Too deep inside others, the text remains in the outer one. */
  #inside({ element }, { name }, open) {
    if (open.length > MOST_DEPTH) return element;
    const made = this.#element(name);
    element.append(made);
    return made;
  }

  #node(parent, node, linked) {
    switch (node.type) {
      case "link":
        return this.#link(parent, node);
      case "br":
        return this.#place(parent, this.#element("br"), node.at);
      case "tag":
        return node.name === "br"
          ? this.#place(parent, this.#element("br"), node.at)
          : this.#text(parent, node, linked);
      case "code":
        return this.#place(parent, this.#element("code", {}, node.text), node.at);
      case "math":
        return this.#place(parent, this.#formula(node, "span", "math"), node.at);
      case "literal":
        return this.#place(parent, document.createTextNode(node.text), node.at);
      // Loading an image would tell its server that the answer is being read.
      case "image":
        return this.#place(parent, document.createTextNode(`[image${node.text ? `: ${node.text}` : ""}]`), node.at);
      default:
        return this.#text(parent, node, linked);
    }
  }

  /** Add a link, or the marker that it is: `[[1]](address of the reference)`, the marker style `link`. */
  #link(parent, { at, href, title, label, children }) {
    const number = /^\[(\d{1,5})\]$/.exec(label ?? "");
    const marker = number ? this.marker(Number(number[1]), at, href) : null;
    if (marker && !marker.hasAttribute("data-pending")) return parent.append(marker);
    const url = answerUrl(href);
    const link = this.#nodes(url ? this.#element("a", { href: url, title, ...EXTERNAL }) : el("span"), children, true);
    parent.append(link);
    // A reader must not take it for a marker, which belongs to a verified source.
    if (resemblesMarker(link.textContent)) link.append(url ? ` (${hostOf(url)})` : " (no source)");
  }

  #formula({ tex, display }, tag, name) {
    this.count += FORMULA_COST;
    const place = this.#element(tag, { class: name });
    renderFormula(place, tex, display);
    return place;
  }

  /** Add text with its markers. */
  #text(parent, { text, at }, linked = false) {
    let from = 0;
    for (const { number, from: begin, to } of linked ? [] : markersIn(text)) {
      const marker = this.marks < MOST_MARKS ? this.marker(number, at + begin) : null;
      if (!marker) continue;
      this.marks += 1;
      this.#words(parent, text.slice(from, begin), at + from);
      parent.append(marker);
      from = to;
    }
    this.#words(parent, text.slice(from), at + from);
  }

  /** Add text without markers, cut where claims begin and end. */
  #words(parent, text, at) {
    for (const piece of text.split(ENTITY)) {
      for (let from = 0; from < piece.length;) {
        const to = ENTITY.test(piece)
          ? piece.length
          : Math.min(piece.length, nextBoundary(this.claims, at + from) - at);
        this.#place(parent, document.createTextNode(decoded(piece.slice(from, to))), at + from);
        from = to;
      }
      at += piece.length;
    }
  }

  /** Append a node; within a claim, to the span of the claim. */
  #place(parent, node, at) {
    const claim = rangeAt(this.claims, at);
    if (!claim || this.marks >= MOST_MARKS) parent.append(node);
    else if (parent.lastChild?.dataset?.claim === `${claim.index}`) parent.lastChild.append(node);
    else {
      this.marks += 1;
      parent.append(el("span", { class: "claim", "data-claim": claim.index }, node));
    }
  }
}

/** Return the part of an address that says whose page it is. */
function hostOf(url) {
  const { host, pathname } = new URL(url);
  return host || pathname;
}
