// The inline syntax of Markdown: emphasis, code, links, formulas and line breaks. https://github.github.com/gfm/#inlines
//
// A node is {type, at, …}: `at` is its offset in the source. Text nodes have `text`, which is the source itself; strong, em,
// del and link have `children`. HTML is not interpreted: a tag is a node that the renderer shows as text, except for a few.

const ESCAPABLE = /[!-/:-@[-`{-~]/;
const CODE = /(`+)([^`]|[^`][^]*?[^`])\1(?!`)/y;
const MATH = [/\$(?![\s$])([^$\n]*[^\s$\\])\$(?!\d)/y, /\\\(([^\n]{1,1000}?)\\\)/y];
const TAG = /<(\/?)([A-Za-z]{1,10})\s*\/?>/y;
const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/y;
const URL = /https?:\/\/[^\s<>`]+/y;
const DESTINATION =
  /\(\s*(?:<([^<>\n]*)>|((?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))*))(?:\s+(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'))?\s*\)/y;
const SPECIAL = /[\\`$<![\]*_~\nh]/g; // characters at which the scan stops; `h` begins an address
const SPACE = /[\s\u00a0]|^$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const MOST_NODES = 500; // distance of the two ends of an emphasis; without a limit, thousands of asterisks take seconds

/** Parse the lines of one block: [{text, at}]. Return its nodes. */
export function parseInline(lines) {
  const text = lines.map((line) => line.text).join("\n");
  const starts = [];
  let from = 0;
  for (const line of lines) {
    starts.push({ from, at: line.at });
    from += line.text.length + 1;
  }
  const offset = (position) => {
    const line = starts.findLast((one) => one.from <= position);
    return line.at + position - line.from;
  };
  return new Scanner(text, offset).nodes();
}

class Scanner {
  constructor(text, offset) {
    Object.assign(this, { text, offset, list: [], brackets: [], position: 0 });
  }

  nodes() {
    while (this.position < this.text.length) {
      const taken = this.#special(this.text[this.position]);
      if (!taken) this.#plain();
    }
    return emphasis(this.list);
  }

  /** Take the syntax that begins here. Return false if there is none. */
  #special(character) {
    switch (character) {
      case "\\":
        return this.#math(1) || this.#escape();
      case "`":
        return this.#code();
      case "$":
        return this.#math(0);
      case "<":
        return this.#angle();
      case "!":
        return this.text[this.position + 1] === "[" && this.#bracket(2);
      case "[":
        return this.#bracket(1);
      case "]":
        return this.#close();
      case "*":
      case "_":
      case "~":
        return this.#delimiter(character);
      case "\n":
        return this.#lineBreak();
      case "h":
        return this.#address();
      default:
        return false;
    }
  }

  #match(pattern) {
    pattern.lastIndex = this.position;
    return pattern.exec(this.text);
  }

  #add(node, length) {
    this.list.push({ at: this.offset(this.position), ...node });
    this.position += length;
    return true;
  }

  /** Take text up to the next character that may begin something. */
  #plain() {
    SPECIAL.lastIndex = this.position + 1;
    const end = SPECIAL.exec(this.text)?.index ?? this.text.length;
    this.#text(this.text.slice(this.position, end));
  }

  #text(text) {
    const last = this.list.at(-1),
      at = this.offset(this.position);
    this.position += text.length;
    if (last?.type === "text" && last.at + last.text.length === at) last.text += text;
    else this.list.push({ type: "text", at, text });
    return true;
  }

  #escape() {
    const next = this.text[this.position + 1];
    if (next === "\n") return this.#add({ type: "br" }, 2);
    return Boolean(next) && ESCAPABLE.test(next) && this.#add({ type: "literal", text: next }, 2);
  }

  #math(kind) {
    const found = this.#match(MATH[kind]);
    return Boolean(found) && this.#add({ type: "math", tex: found[1], display: false }, found[0].length);
  }

  #code() {
    const found = this.#match(CODE);
    if (!found) return this.#text(/^`+/.exec(this.text.slice(this.position))[0]);
    const inner = found[2].replaceAll("\n", " ");
    const padded = /^ .*[^ ].* $|^ [^ ] $/.test(inner);
    return this.#add({ type: "code", text: padded ? inner.slice(1, -1) : inner }, found[0].length);
  }

  #angle() {
    const link = this.#match(AUTOLINK);
    if (link) {
      const children = [{ type: "text", at: this.offset(this.position + 1), text: link[1] }];
      return this.#add({ type: "link", href: link[1], children }, link[0].length);
    }
    const tag = this.#match(TAG);
    return (
      Boolean(tag) &&
      this.#add({ type: "tag", text: tag[0], name: tag[2].toLowerCase(), closing: Boolean(tag[1]) }, tag[0].length)
    );
  }

  #address() {
    const found = !/[\p{L}\p{N}]/u.test(this.text[this.position - 1] ?? "") && this.#match(URL);
    if (!found) return false;
    const href = withoutEnd(found[0]);
    return this.#add(
      { type: "link", href, children: [{ type: "text", at: this.offset(this.position), text: href }] },
      href.length,
    );
  }

  #bracket(length) {
    this.brackets.push(this.list.length);
    return this.#add(
      { type: "bracket", text: this.text.substr(this.position, length), inner: this.position + length },
      length,
    );
  }

  /** Take the end of a link or of an image. A bracket without an address is text: it may be a marker. */
  #close() {
    const index = this.brackets.pop();
    const opener = this.list[index];
    if (!opener) return this.#text("]");
    DESTINATION.lastIndex = this.position + 1;
    const found = DESTINATION.exec(this.text);
    if (!found) {
      opener.type = "text"; // merged with its neighbours, so that the renderer sees whole markers
      this.#text("]");
      mergeText(this.list, index);
      return true;
    }
    const label = this.text.slice(opener.inner, this.position);
    const children = emphasis(this.list.splice(index).slice(1));
    const target = (found[1] ?? found[2]).replace(/\\([!-/:-@[-`{-~])/g, "$1");
    this.position += 1 + found[0].length;
    if (opener.text === "![") this.list.push({ type: "image", at: opener.at, text: label });
    else {
      this.list.push({ type: "link", at: opener.at, href: target, title: found[3] ?? found[4], label, children });
      for (const outer of this.brackets.splice(0)) this.list[outer].type = "text"; // links do not contain links
    }
    return true;
  }

  #delimiter(character) {
    const run = this.#match(character === "*" ? /\*+/y : character === "_" ? /_+/y : /~+/y)[0];
    if (character === "~" && run.length > 2) return this.#text(run);
    const before = this.text[this.position - 1] ?? "",
      after = this.text[this.position + run.length] ?? "";
    const left = !SPACE.test(after) && (!PUNCTUATION.test(after) || SPACE.test(before) || PUNCTUATION.test(before));
    const right = !SPACE.test(before) && (!PUNCTUATION.test(before) || SPACE.test(after) || PUNCTUATION.test(after));
    const word = character === "_";
    return this.#add(
      {
        type: "delimiter",
        character,
        count: run.length,
        size: run.length,
        opens: left && (!word || !right || PUNCTUATION.test(before)),
        closes: right && (!word || !left || PUNCTUATION.test(after)),
      },
      run.length,
    );
  }

  #lineBreak() {
    const last = this.list.at(-1);
    const spaces = last?.type === "text" ? / *$/.exec(last.text)[0].length : 0;
    if (spaces) last.text = last.text.slice(0, -spaces);
    return this.#add(spaces >= 2 ? { type: "br" } : { type: "text", text: "\n" }, 1);
  }
}

/** Return an address without the punctuation of the sentence behind it, and without brackets that it does not open. */
function withoutEnd(address) {
  let surplus = address.split(")").length - address.split("(").length;
  let end = address.length;
  for (; end; end -= 1) {
    const last = address[end - 1];
    if (last === ")" && surplus > 0) surplus -= 1;
    else if (!/[?!.,:;*_~'"]/.test(last)) break;
  }
  return address.slice(0, end);
}

/** Join neighbouring texts from an index on. */
function mergeText(list, index) {
  for (const node of list.splice(Math.max(0, index - 1))) {
    const last = list.at(-1);
    if (last?.type === "text" && node.type === "text" && last.at + last.text.length === node.at) last.text += node.text;
    else list.push(node);
  }
}

/** Turn pairs of delimiters into em, strong and del. https://spec.commonmark.org/0.31.2/#phase-2-inline-structure */
function emphasis(list) {
  for (let index = 0; index < list.length; index += 1) {
    const closer = list[index];
    if (closer.type !== "delimiter" || !closer.closes) continue;
    const begin = openerOf(list, index);
    if (begin < 0) continue;
    const opener = list[begin];
    const used = closer.character === "~" ? closer.count : Math.min(2, closer.count, opener.count);
    const type = closer.character === "~" ? "del" : used === 2 ? "strong" : "em";
    opener.count -= used;
    closer.count -= used;
    closer.at += used;
    const children = list.slice(begin + 1, index).map(asText);
    const node = { type, at: opener.at + opener.count, children };
    list.splice(begin + 1, index - begin - 1, node);
    index = begin + 1;
    if (!closer.count) list.splice(index + 1, 1);
    if (!opener.count) (list.splice(begin, 1), (index -= 1));
  }
  const result = list.map(asText);
  mergeText(result, 0);
  return result;
}

function openerOf(list, index) {
  const closer = list[index];
  for (let begin = index - 1; begin >= Math.max(0, index - MOST_NODES); begin -= 1) {
    const opener = list[begin];
    if (opener.type !== "delimiter" || opener.character !== closer.character || !opener.opens) continue;
    if (closer.character === "~") {
      if (opener.count === closer.count) return begin;
      continue;
    }
    const both =
      (opener.closes || closer.opens) && (opener.size + closer.size) % 3 === 0 && (opener.size % 3 || closer.size % 3);
    if (!both) return begin;
  }
  return -1;
}

function asText(node) {
  if (node.type === "delimiter") return { type: "text", at: node.at, text: node.character.repeat(node.count) };
  return node.type === "bracket" ? { type: "text", at: node.at, text: node.text } : node;
}
