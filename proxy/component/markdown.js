// Render Markdown of a model, which is untrusted input, as elements. No HTML of the model is ever interpreted. Every piece of text
// knows its offset in the source, so that sentences can be wrapped at the end of a stream without changing any other element.
// The npm package markdown-it does not report these offsets, so it cannot replace the parser.

import { disjointRanges, rangesWithin } from "./claim-ranges.js";
import { parseBlocks } from "./markdown-blocks.js";
import { BlockBuilder, TooLargeError } from "./markdown-elements.js";

// Limits, because an answer is untrusted: what exceeds them is shown as plain text. The longest block and the whole answer
// are built within a fraction of a second.
export const MOST_CHARACTERS = 200_000; // about 70 pages
export const MOST_BLOCK_ELEMENTS = 5_000; // a block is built again whenever it grows
export const MOST_ELEMENTS = 30_000; // in an answer
const PLAIN_CHARACTERS = 20_000; // in one block of plain text

/**
 * A rendered text that can grow. `marker(number, offset, address)` returns the element for a marker, or null if it is plain
 * text; `address` is that of a marker that is a link. Elements of blocks that did not change are kept, so that focus,
 * selection and scroll positions survive.
 */
export class MarkdownView {
  constructor(root, marker) {
    Object.assign(this, { root, marker, keys: [], counts: [] });
  }

  /** Show `text`. `claims`: [{start, end}] in order; each is wrapped in `<span class="claim" data-claim=index>`. */
  update(text, claims = [], version = "") {
    const source = text.replaceAll("\r\n", " \n").replaceAll("\r", "\n"); // the offsets stay the same
    const ranges = disjointRanges(claims);
    const blocks = blocksOf(source);
    const keys = [];
    for (let index = 0, elements = 0; index < blocks.length; index += 1) {
      if (elements >= MOST_ELEMENTS && blocks[index].type !== "rest")
        blocks.splice(index, Infinity, ...plainBlocks(source, blocks[index].at, "rest"));
      const block = blocks[index];
      const inside = block.type === "rest" ? [] : rangesWithin(ranges, block.at, block.end);
      keys.push(keyOf(block, source.slice(block.at, block.end), inside, version));
      if (this.keys[index] !== keys[index]) this.#build(block, index, inside, source);
      elements += this.counts[index];
    }
    while (this.root.children.length > keys.length) this.root.lastElementChild.remove();
    this.keys = keys;
  }

  /** Build a block, as plain text if it has too many elements, and place it. */
  #build(block, index, ranges, source) {
    const { element, count } = this.#built(block, ranges) ?? this.#built(plainBlock(source, block), ranges);
    this.counts[index] = count;
    const old = this.root.children[index];
    if (old) old.replaceWith(element);
    else this.root.append(element);
  }

  /** Return the element of a block, and how many it contains; null if they are too many. */
  #built(block, ranges) {
    const builder = new BlockBuilder(ranges, this.marker, MOST_BLOCK_ELEMENTS);
    try {
      const element = builder.block(block);
      return { element, count: builder.count + builder.marks + 1 };
    } catch (error) {
      if (error instanceof TooLargeError) return null;
      throw error;
    }
  }
}

/** Return a string that changes if and only if the elements of a block change. */
function keyOf(block, raw, ranges, version) {
  return JSON.stringify([
    raw,
    block.type,
    ranges.map(({ start, end, index }) => [start - block.at, end - block.at, index]),
    raw.includes("[") ? version : "",
  ]);
}

/** Return the blocks of a text. Text behind the longest Markdown is plain. */
function blocksOf(source) {
  const limit =
    source.length > MOST_CHARACTERS ? Math.max(0, source.lastIndexOf("\n", MOST_CHARACTERS)) : source.length;
  const found = parseBlocks(source.slice(0, limit));
  const from = found.at(-1)?.type === "plain" ? found.pop().at : limit;
  return from < source.length ? [...found, ...plainBlocks(source, from, "plain")] : found;
}

/** Return blocks of plain text from an offset on. They end behind a line or a word, if it is short. "rest" has no markers. */
function plainBlocks(source, from, type) {
  const found = [];
  for (let at = from, end; at < source.length; at = end) {
    const last = at + PLAIN_CHARACTERS;
    const cut = ["\n", " "].map((space) => source.lastIndexOf(space, last - 1) + 1).find((place) => place > at);
    end = last >= source.length ? source.length : (cut ?? last);
    found.push({ ...plainBlock(source, { at, end }), type });
  }
  return found;
}

const plainBlock = (source, { at, end }) => ({ type: "plain", at, end, text: source.slice(at, end) });
