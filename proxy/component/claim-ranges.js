// The ranges of claims in a text. A range is {start, end, index}: offsets, and the place in the list of claims.

/** Return the ranges of claims, which are in order, without overlaps: text in two claims belongs to the first. */
export function disjointRanges(claims) {
  const ranges = [];
  let from = 0;
  claims.forEach(({ start, end }, index) => {
    if (end > Math.max(from, start)) ranges.push({ start: Math.max(from, start), end, index });
    from = Math.max(from, end);
  });
  return ranges;
}

/** Return the index of the first range that ends behind an offset. */
function firstBehind(ranges, offset) {
  let low = 0,
    high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle].end > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Return the ranges that touch a part of the text. */
export function rangesWithin(ranges, start, end) {
  const first = firstBehind(ranges, start);
  let next = first;
  while (next < ranges.length && ranges[next].start < end) next += 1;
  return ranges.slice(first, next);
}

/** Return the range that contains an offset, or undefined. */
export function rangeAt(ranges, offset) {
  const range = ranges[firstBehind(ranges, offset)];
  return range && range.start <= offset ? range : undefined;
}

/** Return the next offset at which a range begins or ends. */
export function nextBoundary(ranges, offset) {
  const range = ranges[firstBehind(ranges, offset)];
  if (!range) return Infinity;
  return range.start > offset ? range.start : range.end;
}
