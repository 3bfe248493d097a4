// Questions that the page suggests: after documents were added, and after an answer. They are made without a model, from headings,
// rows of tables and names in the documents, so that a source can answer them.

import { FUNCTION_WORDS } from "../component/function-words.js";
import { t } from "../component/text.js";

const COUNT = 3;
const MAX_HEADING = 60; // characters; longer headings are sentences
const TABLE_ROW = /^\|(.+)\|\s*$/;
const QUANTITY = /^[\p{Sc}\s]*\d/u; // a number or a price, not an article number
const RULE = /^[\s|:-]+$/;
const NAME = /\p{Lu}[\p{L}\p{N}-]+(?: \p{Lu}[\p{L}\p{N}-]*)*/gu; // words with capital letters
const INSIDE = /\p{Ll}[,;]? $/u; // the text before a name that does not begin a sentence
const NUMBERED = /^[\d.\s]+/; // the number of a heading

/** Return at most three questions about excerpts: [{text, title?, file_name?}]. `asked`: questions that are not repeated. */
export function suggestions(entries, asked = []) {
  const candidates = [tableQuestions(entries), headingQuestions(entries), nameQuestions(entries)];
  const known = new Set(asked);
  const chosen = [];
  while (chosen.length < COUNT && candidates.some((list) => list.length)) {
    for (const list of candidates) {
      const question = list.shift();
      if (!question || known.has(question) || chosen.length === COUNT) continue;
      known.add(question);
      chosen.push(question);
    }
  }
  return chosen;
}

/** Ask for a value of a row, the first cell of which names it. */
function tableQuestions(entries) {
  return entries.flatMap(({ text }) => {
    const rows = text
      .split("\n")
      .map((line) => TABLE_ROW.exec(line)?.[1].split(/(?<!\\)\|/).map((cell) => cell.trim()))
      .filter(Boolean);
    const [header, rule, first] = rows;
    if (!first || !RULE.test(rule.join("|")) || header.length < 2) return [];
    const name = first.findIndex((cell) => /\p{L}{3}/u.test(cell) && !/\d/.test(cell)); // not an article number
    const value = first.findIndex((cell, index) => index !== name && QUANTITY.test(cell) && isName(header[index]));
    if (name < 0 || value < 0 || !isName(first[name])) return [];
    return [t("{row}: {column}?", { column: header[value].replaceAll("_", " "), row: first[name] })];
  });
}

/** Ask about a heading: the last of `Handbook › Leave`. */
function headingQuestions(entries) {
  const headings = entries
    .filter(({ title }) => title?.includes("›"))
    .map(({ title }) => title.split("›").at(-1).replace(NUMBERED, "").trim());
  return spread([...new Set(headings)].filter(isName)).map((heading) => t("What do the documents say about “{topic}”?", { topic: heading }));
}

/** Ask about the names that occur most often. */
function nameQuestions(entries) {
  const counts = new Map();
  for (const { text } of entries) {
    if (text.startsWith("|")) continue;
    for (const { 0: match, index } of text.matchAll(NAME)) {
      const words = match.split(" ");
      const isInside = words.length > 1 || INSIDE.test(text.slice(0, index));
      if (FUNCTION_WORDS.has(words[0].toLowerCase())) words.shift(); // "The Harlan"
      const name = words.join(" ");
      if (name && isInside) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const names = [...counts].filter(([name]) => isName(name)).sort((one, other) => other[1] - one[1] || other[0].length - one[0].length);
  return names.map(([name]) => t("What do the documents say about “{topic}”?", { topic: name }));
}

const isName = (text) => Boolean(text) && text.length > 2 && text.length <= MAX_HEADING;

/** Return a list in an order that begins with entries far apart from each other. */
function spread(list) {
  const step = Math.max(1, Math.floor(list.length / COUNT));
  const first = list.filter((_, index) => index % step === 0);
  return [...first, ...list.filter((_, index) => index % step !== 0)];
}
