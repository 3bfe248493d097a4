// The block syntax of Markdown: paragraphs, headings, lists, quotes, tables, code and formulas. https://github.github.com/gfm/#blocks
//
// A line is {text, at}: its text without the markers of the quotes and lists around it, and its offset in the source.
// Link definitions and blocks of HTML are paragraphs: an answer needs neither.

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*(\S*)/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?=[ \t]|$)/;
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*[ \t]*\|?$/; // the line has no spaces at its end
const UNDERLINE = /^ {0,3}(?:(=)+|-+)[ \t]*$/;
const MATH = [
  [/^ {0,3}\$\$/, "$$"],
  [/^ {0,3}\\\[/, "\\]"],
];
const TASK = /^\[([ xX])\][ \t]+(?=\S)/;
const MOST_BLOCKS = 4_000; // blocks in a text; more take seconds to lay out
const MOST_NESTING = 20; // quotes and lists inside each other; deeper ones are paragraphs

const isBlank = (line) => !line.text.trim();
const startsBlock = (text) => FENCE.test(text) || HEADING.test(text) || RULE.test(text) || QUOTE.test(text);
/** A paragraph is only interrupted by items with content, and by ordered lists that begin with 1. */
const interrupts = (text) => startsBlock(text) || /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/.test(text);

/** The text has too many blocks. */
class TooManyError extends Error {}

/** Return the blocks of a text in order. `end` of a block is the offset behind it. The rest behind too many blocks is `plain`. */
export function parseBlocks(source) {
  const lines = [];
  let at = 0;
  for (const text of source.split("\n")) {
    lines.push({ text, at });
    at += text.length + 1;
  }
  const budget = { left: MOST_BLOCKS };
  const found = [];
  try {
    read(lines, 0, budget, found);
  } catch (error) {
    if (!(error instanceof TooManyError)) throw error;
    found.push({ type: "plain", at: found.length ? found.at(-1).end + 1 : 0, end: source.length });
  }
  return found;
}

function blocks(lines, depth, budget) {
  const found = [];
  read(lines, depth, budget, found);
  return found;
}

function read(lines, depth, budget, found) {
  let index = 0,
    blank = false;
  while (index < lines.length) {
    if (isBlank(lines[index])) {
      blank = true;
      index += 1;
      continue;
    }
    if ((budget.left -= 1) < 0) throw new TooManyError();
    const { block, next } = blockAt(lines, index, depth, budget);
    const last = lines[next - 1];
    found.push({ ...block, at: lines[index].at, end: last.at + last.text.length, blankBefore: blank });
    blank = isBlank(last); // a list contains the blank lines behind it
    index = next;
  }
}

function blockAt(lines, index, depth, budget) {
  const { text } = lines[index];
  const nested = depth < MOST_NESTING;
  return (
    (/^(?: {4}|\t)/.test(text) && indentedCode(lines, index)) ||
    (FENCE.test(text) && fencedCode(lines, index)) ||
    (HEADING.test(text) && heading(lines[index], index)) ||
    (RULE.test(text) && { block: { type: "hr" }, next: index + 1 }) ||
    (nested && QUOTE.test(text) && quote(lines, index, depth, budget)) ||
    (nested && ITEM.test(text) && list(lines, index, depth, budget)) ||
    formula(lines, index) ||
    (isTable(lines, index) && table(lines, index)) ||
    paragraph(lines, index)
  );
}

function indentedCode(lines, index) {
  let next = index;
  while (next < lines.length && (isBlank(lines[next]) || /^(?: {4}|\t)/.test(lines[next].text))) next += 1;
  while (isBlank(lines[next - 1])) next -= 1;
  const code = lines
    .slice(index, next)
    .map(({ text }) => text.replace(/^(?: {1,4}|\t)/, ""))
    .join("\n");
  return { block: { type: "code", text: code }, next };
}

function fencedCode(lines, index) {
  const [opening, fence, language] = FENCE.exec(lines[index].text);
  const indent = opening.length - opening.trimStart().length;
  const closing = new RegExp(`^ {0,3}\\${fence[0]}{${fence.length},}[ \\t]*$`);
  let end = index + 1;
  while (end < lines.length && !closing.test(lines[end].text)) end += 1;
  const code = lines
    .slice(index + 1, end)
    .map(({ text }) => text.replace(new RegExp(`^ {0,${indent}}`), ""))
    .join("\n");
  return { block: { type: "code", text: code, language }, next: Math.min(end + 1, lines.length) };
}

function heading({ text, at }, index) {
  const [marks, level] = HEADING.exec(text);
  const inner = withoutClosing(text.slice(marks.length).trimEnd());
  return {
    block: { type: "heading", level: level.length, lines: [trimmed({ text: inner, at: at + marks.length })] },
    next: index + 1,
  };
}

/** Return the text of a heading without the `#` at its end. */
function withoutClosing(text) {
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  return end === 0 || /[ \t]/.test(text[end - 1]) ? text.slice(0, end) : text;
}

function quote(lines, index, depth, budget) {
  const inner = [];
  let next = index;
  for (; next < lines.length; next += 1) {
    const { text, at } = lines[next];
    const marker = QUOTE.exec(text)?.[0].length;
    if (
      marker === undefined &&
      (isBlank(lines[next]) || interrupts(text) || isBlank(inner.at(-1)) || startsBlock(inner.at(-1).text))
    )
      break;
    inner.push({ text: text.slice(marker ?? 0), at: at + (marker ?? 0) });
  }
  return { block: { type: "blockquote", blocks: blocks(inner, depth + 1, budget) }, next };
}

/** Return the number of characters of the indentation, at most `columns` wide. A tab ends at a multiple of four. */
function indentation(text, columns) {
  let width = 0,
    length = 0;
  while (length < text.length && width < columns && /[ \t]/.test(text[length])) {
    width += text[length] === "\t" ? 4 - (width % 4) : 1;
    length += 1;
  }
  return { width, length };
}

function list(lines, index, depth, budget) {
  const kind = (text) => !RULE.test(text) && ITEM.exec(text)?.[2].at(-1);
  const first = kind(lines[index].text);
  const items = [];
  let next = index;
  while (next < lines.length && kind(lines[next].text) === first) {
    const item = itemAt(lines, next, depth, budget);
    items.push(item);
    next = item.next;
  }
  const loose = items.some(
    (item, number) =>
      (number < items.length - 1 && item.blankAfter) || item.blocks.slice(1).some((block) => block.blankBefore),
  );
  const start = Number.parseInt(ITEM.exec(lines[index].text)[2], 10);
  return { block: { type: "list", ordered: !Number.isNaN(start), start, items, loose }, next };
}

function itemAt(lines, index, depth, budget) {
  const { text, at } = lines[index];
  const [, indent, mark] = ITEM.exec(text);
  const after = indent.length + mark.length;
  const space = indentation(text.slice(after), 5);
  const content = text.slice(after).trim() && space.width < 5 ? after + space.length : Math.min(text.length, after + 1);
  const columns = text.slice(after).trim() && space.width < 5 ? after + space.width : after + 1;
  const inner = [{ text: text.slice(content), at: at + content }];
  let next = index + 1;
  for (; next < lines.length; next += 1) {
    const line = lines[next];
    if (isBlank(line)) {
      if (inner.length === 1 && isBlank(inner[0])) break; // an item begins with at most one blank line
      inner.push({ text: "", at: line.at + line.text.length });
      continue;
    }
    const { width, length } = indentation(line.text, columns);
    if (width >= columns) inner.push({ text: line.text.slice(length), at: line.at + length });
    else if (!isBlank(inner.at(-1)) && !interrupts(line.text) && !ITEM.test(line.text))
      inner.push({ text: line.text.trimStart(), at: line.at + line.text.length - line.text.trimStart().length });
    else break;
  }
  const task = TASK.exec(inner[0].text);
  if (task) inner[0] = { text: inner[0].text.slice(task[0].length), at: inner[0].at + task[0].length };
  const found = blocks(inner, depth + 1, budget);
  // As in cmark, a blank line after a rule does not make the list loose
  const blankAfter = inner.length > 1 && isBlank(inner.at(-1)) && found.at(-1)?.type !== "hr";
  return { blocks: found, checked: task ? task[1] !== " " : null, blankAfter, next };
}

/** Formulas between `$$` or between `\[` and `\]`. Without an end, they are paragraphs. */
function formula(lines, index) {
  for (const [opening, closing] of MATH) {
    const begin = opening.exec(lines[index].text)?.[0].length;
    if (begin === undefined) continue;
    const first = lines[index].text.slice(begin);
    const end = first.includes(closing) ? index : lineWith(lines, closing, index + 1);
    if (end >= lines.length) continue;
    const [last, rest] = (end === index ? first : lines[end].text).split(closing);
    if (rest === undefined || rest.trim()) continue; // a blank line ends the search
    const between = lines.slice(index + 1, end).map(({ text }) => text);
    const tex = end === index ? last : [first, ...between, last].join("\n");
    if (tex.trim()) return { block: { type: "math", tex, display: true }, next: end + 1 };
  }
  return null;
}

/** Return the index of the next line that contains a text or is blank. It is kept, so that lines are searched once. */
function lineWith(lines, text, from) {
  const known = (lines.found ??= {})[text];
  if (known && known.from <= from && from <= known.index) return known.index;
  let index = from;
  while (index < lines.length && !isBlank(lines[index]) && !lines[index].text.includes(text)) index += 1;
  lines.found[text] = { from, index };
  return index;
}

function isTable(lines, index) {
  const below = lines[index + 1]?.text;
  return (
    below !== undefined &&
    lines[index].text.includes("|") &&
    /[|:]/.test(below) &&
    DELIMITERS.test(below.trimEnd()) &&
    cells(lines[index]).length === cells(lines[index + 1]).length
  );
}

function table(lines, index) {
  const head = cells(lines[index]);
  const align = cells(lines[index + 1]).map(({ text }) =>
    text.endsWith(":") ? (text.startsWith(":") ? "center" : "right") : text.startsWith(":") ? "left" : null,
  );
  const rows = [];
  let next = index + 2;
  for (; next < lines.length && !isBlank(lines[next]) && !interrupts(lines[next].text); next += 1) {
    rows.push(cells(lines[next]).slice(0, head.length)); // missing cells are added with the elements, which are limited
  }
  return { block: { type: "table", head, align, rows }, next };
}

/** Return the cells of a row as lines. A `|` after a backslash does not end a cell. */
function cells({ text, at }) {
  const row = text.trimEnd().replace(/(?<!\\)\|$/, "");
  const begin = /^\s*\|?/.exec(row)[0].length;
  const found = [];
  let from = begin;
  for (const { index } of row.slice(begin).matchAll(/(?<!\\)\|/g)) {
    found.push(trimmed({ text: row.slice(from, begin + index), at: at + from }));
    from = begin + index + 1;
  }
  return [...found, trimmed({ text: row.slice(from), at: at + from })];
}

function trimmed({ text, at }) {
  return { text: text.trim(), at: at + text.length - text.trimStart().length };
}

function paragraph(lines, index) {
  let next = index + 1;
  while (next < lines.length && !isBlank(lines[next])) {
    const underline = UNDERLINE.exec(lines[next].text);
    if (underline)
      return {
        block: { type: "heading", level: underline[1] ? 1 : 2, lines: textLines(lines.slice(index, next)) },
        next: next + 1,
      };
    if (interrupts(lines[next].text) || isTable(lines, next) || formula(lines, next)) break;
    next += 1;
  }
  return { block: { type: "paragraph", lines: textLines(lines.slice(index, next)) }, next };
}

/** Return lines without indentation; spaces at the end are kept, because two of them are a line break. */
function textLines(lines) {
  return lines.map(({ text, at }, index) => {
    const inner = text.trimStart();
    return { text: index === lines.length - 1 ? inner.trimEnd() : inner, at: at + text.length - inner.length };
  });
}
