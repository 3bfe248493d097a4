// Find the words of a quote that decide whether it supports a sentence: numbers and names first, then rare words.

import { FUNCTION_WORDS } from "./function-words.js";

const MAX_WORDS = 4; // numbers and names; more marks would hide the ones that matter
const MAX_OTHER_WORDS = 2;
const SHORT_UNIT = /\p{Lu}|^(?:[kcmdnµ]?[mgls]|[htw]|ha|mw|kw)$/u; // TB, km, kWh; not "1 of"
const MAX_JOINED = 40; // characters of a word before or after one of its parts
const MIN_LETTERS = 3; // shorter words without digits rarely decide anything in languages with an alphabet

/**
 * Split a quote into pieces [{text, decides}]. A word decides if it also occurs in the sentence and is not already in
 * the question: it is what the sentence adds. Numbers (with their unit) and names decide; other words only if there are
 * neither.
 */
export function decidingWords(quote, sentence, question = "") {
  const said = new Set(words(sentence).map(({ key }) => key));
  const asked = new Set(words(question).map(({ key }) => key));
  const listed = words(quote);
  const shared = listed.filter(({ key }) => said.has(key) && weight(key));
  const added = shared.filter(({ key }) => !asked.has(key));
  const candidates = added.length ? added : shared;
  const specific = candidates.filter((word) => isNumber(word.key) || isName(word, quote));
  const chosen = new Set(
    specific.length ? ranked(specific).slice(0, MAX_WORDS) : ranked(candidates).slice(0, MAX_OTHER_WORDS),
  );
  const decisive = listed.filter(
    (word, index) =>
      said.has(word.key) &&
      (chosen.has(word.key) ||
        (index > 0 && chosen.has(listed[index - 1].key) && continues(word, listed[index - 1], quote)) ||
        (chosen.has(listed[index + 1]?.key) && names(word, listed[index + 1], quote))),
  );
  return split(quote, decisive);
}

/** Return the distinct words, the most decisive first. */
function ranked(list) {
  const keys = [...new Set(list.map(({ key }) => key))];
  return keys.sort((one, other) => weight(other) - weight(one) || other.length - one.length);
}

/** Return whether a word belongs to the number or name before it: the unit in `110 metres` or `1 TB`, or the numeral in `Saturn V`. */
const continues = ({ text, key, start }, before, quote) =>
  isNumber(before.key)
    ? (weight(key) > 0 || SHORT_UNIT.test(text)) && !/[,;:.!?]/.test(quote.slice(before.start + before.text.length, start))
    : /^\p{Lu}/u.test(before.text) && /^\p{Lu}/u.test(text);

/** Return whether a word is the name that a number belongs to: `Apollo 12`. */
const names = ({ text, key, start }, next, quote) =>
  isNumber(next.key) &&
  /^\p{Lu}/u.test(text) &&
  weight(key) > 0 &&
  !quote.slice(start + text.length, next.start).trim();

const isNumber = (key) => /\p{N}/u.test(key);

/** Return whether a word has a capital letter that is not that of the beginning of a sentence or of a cell. */
const isName = ({ text, start }, quote) =>
  /^\p{Lu}/u.test(text) && !/(?:^|[.!?:;|]["”’)]?\s)$/u.test(quote.slice(0, start).slice(-3)) && start > 0;

/** Return 0 for words that never decide, and 2 for numbers. */
function weight(key) {
  if (isNumber(key)) return 2;
  if (FUNCTION_WORDS.has(key)) return 0;
  const alphabetic = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}]+$/u.test(key);
  return alphabetic && key.length < MIN_LETTERS ? 0 : 1;
}

const segmenter = globalThis.Intl?.Segmenter ? new Intl.Segmenter(undefined, { granularity: "word" }) : null;

/** Return the words of a text: {text, key: in lower case, start}. Works for languages without spaces. */
function words(text) {
  const found = segmenter
    ? [...segmenter.segment(text)]
        .filter((one) => one.isWordLike)
        .map((one) => ({ text: one.segment, start: one.index }))
    : [...text.matchAll(/[\p{L}\p{M}\p{N}]+(?:[.,][\p{N}]+)*/gu)].map((one) => ({ text: one[0], start: one.index }));
  return found.map((one) => ({ ...one, key: one.text.toLowerCase() }));
}

const SIGN_BEFORE = /(?:\p{Sc}|(?<!\S)[-−±~≈<>≤≥])\s?$/u;
const SIGN_AFTER = /^\s?[\p{Sc}%‰°]/u;

// Parts of a word that a hyphen, slash or underscore joins: `BW-410`
const JOINED_BEFORE = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_/-]*[_/-]$/u;
const JOINED_AFTER = /^[_/-][\p{L}\p{M}\p{N}_/-]*[\p{L}\p{M}\p{N}]/u;

/**
 * Return where a word begins and ends, or the word that it is a part of, as `410` in `BW-410`. A number includes its sign:
 * `79 €`, `-3`, `40 %`.
 */
function rangeOf({ start, text, key }, quote) {
  const before = JOINED_BEFORE.exec(quote.slice(Math.max(0, start - MAX_JOINED), start))?.[0].length ?? 0;
  const after = JOINED_AFTER.exec(quote.slice(start + text.length, start + text.length + MAX_JOINED))?.[0].length ?? 0;
  return withSign({ start: start - before, end: start + text.length + after }, key, quote);
}

function withSign({ start, end }, key, quote) {
  if (!isNumber(key)) return { start, end };
  const before = SIGN_BEFORE.exec(quote.slice(Math.max(0, start - 3), start))?.[0].length ?? 0;
  const after = SIGN_AFTER.exec(quote.slice(end, end + 2))?.[0].length ?? 0;
  return { start: start - before, end: end + after };
}

/** Split a text at words. Words with nothing but a space between them form one piece. */
function split(text, decisive) {
  const ranges = [];
  for (const word of decisive) {
    const range = rangeOf(word, text);
    const last = ranges.at(-1);
    if (last && !text.slice(last.end, range.start).trim()) last.end = Math.max(last.end, range.end);
    else ranges.push(range);
  }
  const pieces = [];
  let at = 0;
  for (const { start, end } of ranges) {
    pieces.push({ text: text.slice(at, start), decides: false }, { text: text.slice(start, end), decides: true });
    at = end;
  }
  return [...pieces, { text: text.slice(at), decides: false }].filter((piece) => piece.text);
}
