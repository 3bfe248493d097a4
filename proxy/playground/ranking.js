// Choose the excerpts of the documents on the page that fit a question best. A prompt has no room for all of a book.

const MOST_EXCERPTS = 30; // about 9000 words; fewer are all sent
const K1 = 1.2,
  B = 0.75; // the usual parameters of BM25, https://en.wikipedia.org/wiki/Okapi_BM25

const words = (text) => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** Return at most `limit` excerpts, the best for a question, in the order of the documents. `items`: [{text, title?}]. */
export function bestExcerpts(items, question, limit) {
  const most = Math.min(limit, MOST_EXCERPTS);
  if (items.length <= most) return items;
  const terms = new Set(words(question));
  const counted = items.map((item) => count(words(`${item.title ?? ""} ${item.text}`), terms));
  const mean = counted.reduce((sum, { length }) => sum + length, 0) / items.length;
  const rarity = new Map(
    [...terms].map((term) => {
      const having = counted.filter(({ counts }) => counts.has(term)).length;
      return [term, Math.log(1 + (items.length - having + 0.5) / (having + 0.5))];
    }),
  );
  const scored = counted.map(({ counts, length }, index) => ({
    index,
    score: [...counts].reduce(
      (sum, [term, times]) =>
        sum + (rarity.get(term) * (times * (K1 + 1))) / (times + K1 * (1 - B + (B * length) / mean)),
      0,
    ),
  }));
  const best = scored.sort((one, other) => other.score - one.score || one.index - other.index).slice(0, most);
  return best
    .map(({ index }) => index)
    .sort((one, other) => one - other)
    .map((index) => items[index]);
}

function count(list, terms) {
  const counts = new Map();
  for (const word of list) if (terms.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: list.length };
}
