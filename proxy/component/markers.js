// Markers in text: numbers in square brackets, `[1]`, that follow a word or another marker.

const NUMBER = /\[(\d{1,5})\]/g; // the citations of a long report
const MOST_PENDING = 999; // a larger number, such as a year, is a marker only if there is such a reference
const SPACES = " \u00a0";
const OF_CODE = /[A-Za-z0-9_)]/; // `x[1]` is an array element

/**
 * Yield the markers of a text: {number, from, to}. The space before a marker belongs to it, because a marker must not wrap to
 * the next line alone.
 */
export function* markersIn(text) {
  let end = 0; // the end of the last number in brackets
  for (const { 0: match, 1: number, index } of text.matchAll(NUMBER)) {
    let from = index;
    while (from > end && SPACES.includes(text[from - 1])) from -= 1;
    const follows = from === end && end > 0; // another marker
    const before = text[from - 1] ?? "";
    end = index + match.length;
    if (from === index && !follows && (before === "]" || OF_CODE.test(before))) continue;
    if (from < index && !follows && before === "]") from += 1;
    yield { number: Number(number), from, to: end };
  }
}

/** Return whether a number in brackets may be a marker while the references have not arrived. */
export const mayBeMarker = (number) => number > 0 && number <= MOST_PENDING;

const LETTERS = /\p{L}/gu;
const LIKE_DIGITS = /^[ilo]*$/i; // `l` and `O` look like digits

/** Return whether the text of a link could be taken for a marker: it has no letters, or only some that look like digits. */
export function resemblesMarker(text) {
  const letters = (text.match(LETTERS) ?? []).join("");
  return letters.length < 2 || LIKE_DIGITS.test(letters);
}
