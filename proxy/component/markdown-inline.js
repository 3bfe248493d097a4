// The inline syntax of Markdown: emphasis, code, links, formulas and line breaks. https://github.github.com/gfm/#inlines
//
// A node is {type, at, …}: `at` is its offset in the source. Text nodes have `text`, which is the source itself; a link has
// `children`. Emphasis is a pair of nodes, `open` with the `name` strong, em or del, and `close`: nested lists of 50,000 levels
// would exhaust the stack. HTML is not interpreted: a tag is a node that the renderer shows as text, except for a few.
//
// The time is proportional to the length of the text, because an answer is untrusted.

const ESCAPABLE = /[!-/:-@[-`{-~]/;
const MATH = /\$(?![\s$])([^$\n]*[^\s$\\])\$(?!\d)/y;
const MOST_TEX = 1_000; // characters between \( and \)
const TAG = /<(\/?)([A-Za-z]{1,10})\s*\/?>/y;
const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/y;
const URL = /https?:\/\/[^\s<>`]+/y;
const DESTINATION =
  /\(\s*(?:<([^<>\n]*)>|((?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))*))(?:\s+(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'))?\s*\)/y;
const SPECIAL = /[\\`$<![\]*_~\nh]/g; // characters at which the scan stops; `h` begins an address
const SPACE = /[\s\u00a0]|^$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;

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
    const line = starts[lastAtMost(starts, position)];
    return line.at + position - line.from;
  };
  return new Scanner(text, offset).nodes();
}

/** Return the index of the last line that begins at a position or before it. */
function lastAtMost(starts, position) {
  let low = 0,
    high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle].from <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

class Scanner {
  constructor(text, offset) {
    Object.assign(this, { text, offset, list: [], brackets: [], position: 0, runs: null, mathEnd: -1 });
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
        return this.#bracketedMath() || this.#escape();
      case "`":
        return this.#code();
      case "$":
        return this.#math();
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

  #math() {
    const found = this.#match(MATH);
    return Boolean(found) && this.#add({ type: "math", tex: found[1], display: false }, found[0].length);
  }

  /** Take a formula between `\(` and `\)`. */
  #bracketedMath() {
    if (this.text[this.position + 1] !== "(") return false;
    const begin = this.position + 2;
    if (this.mathEnd <= begin) this.mathEnd = this.text.indexOf("\\)", begin + 1);
    if (this.mathEnd < 0) this.mathEnd = Infinity;
    if (this.mathEnd - begin > MOST_TEX) return false;
    const tex = this.text.slice(begin, this.mathEnd);
    return !tex.includes("\n") && this.#add({ type: "math", tex, display: false }, tex.length + 4);
  }

  #code() {
    const { length } = this.#match(/`+/y)[0];
    const begin = this.position + length;
    const end = this.#nextRun(length, begin);
    if (end === undefined) return this.#text("`".repeat(length));
    const inner = this.text.slice(begin, end).replaceAll("\n", " ");
    const padded = inner.startsWith(" ") && inner.endsWith(" ") && inner.trim();
    return this.#add({ type: "code", text: padded ? inner.slice(1, -1) : inner }, end + length - this.position);
  }

  /** Return where the next run of backticks with this length begins, at a position or behind it. */
  #nextRun(length, position) {
    if (!this.runs) {
      this.runs = new Map(); // the last run of each length first
      for (const { 0: run, index } of [...this.text.matchAll(/`+/g)].reverse()) {
        if (!this.runs.has(run.length)) this.runs.set(run.length, []);
        this.runs.get(run.length).push(index);
      }
    }
    const places = this.runs.get(length) ?? [];
    while (places.length && places.at(-1) < position) places.pop(); // the scan does not go back
    return places.at(-1);
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
      opener.type = "text"; // joined with its neighbours at the end, so that the renderer sees whole markers
      return this.#text("]");
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
    let spaces = 0;
    while (last?.type === "text" && last.text.at(-1 - spaces) === " ") spaces += 1;
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

/** Turn pairs of delimiters into the nodes `open` and `close`. https://spec.commonmark.org/0.31.2/#phase-2-inline-structure */
function emphasis(list) {
  const openers = [];
  const bottoms = new Map(); // for each kind of closer, the first delimiter that it was not compared with in vain
  const delimiters = list.filter(({ type }) => type === "delimiter");
  delimiters.forEach((closer, order) => {
    Object.assign(closer, { order, opened: [], closed: [] });
    while (closer.closes && closer.count) {
      const index = openerOf(openers, closer, bottoms);
      if (index < 0) break;
      openers.length = index + 1; // the delimiters between the two are text
      pair(openers[index], closer);
      if (!openers[index].count) openers.pop();
    }
    if (closer.opens && closer.count) openers.push(closer);
  });
  const result = [];
  for (const node of list.flatMap((one) => (one.type === "delimiter" ? parts(one) : [asText(one)]))) {
    const last = result.at(-1);
    if (last?.type === "text" && node.type === "text" && last.at + last.text.length === node.at) last.text += node.text;
    else result.push(node);
  }
  return result;
}

/** Return the index of the delimiter that a closer closes, or -1. No opener is compared twice with the same kind of closer. */
function openerOf(openers, closer, bottoms) {
  const strike = closer.character === "~";
  const kind = `${closer.character}${strike ? closer.count : `${closer.opens}${closer.size % 3}`}`;
  const bottom = bottoms.get(kind) ?? 0;
  for (let index = openers.length - 1; index >= 0 && openers[index].order >= bottom; index -= 1) {
    const opener = openers[index];
    if (opener.character !== closer.character) continue;
    if (strike ? opener.count === closer.count : !isOddPair(opener, closer)) return index;
  }
  bottoms.set(kind, closer.order);
  return -1;
}

/** Return whether the lengths do not fit: `*a**b*` is not `<em>a</em>*b*`. */
const isOddPair = (opener, closer) =>
  (opener.closes || closer.opens) && (opener.size + closer.size) % 3 === 0 && (opener.size % 3 || closer.size % 3);

/** Let two delimiters enclose the text between them. */
function pair(opener, closer) {
  const used = closer.character === "~" ? closer.count : Math.min(2, closer.count, opener.count);
  opener.opened.push(closer.character === "~" ? "del" : used === 2 ? "strong" : "em");
  opener.count -= used;
  closer.closed.push(used);
  closer.count -= used;
  closer.at += used;
}

/** Return the nodes of a delimiter: the ends of emphasis, the characters that are left, and the beginnings, the outer first. */
function parts({ at, character, count, opened, closed }) {
  return [
    ...closed.map(() => ({ type: "close", at })),
    ...(count ? [{ type: "text", at, text: character.repeat(count) }] : []),
    ...opened.reverse().map((name) => ({ type: "open", name, at: at + count })),
  ];
}

const asText = (node) => (node.type === "bracket" ? { type: "text", at: node.at, text: node.text } : node);
