// Offsets. The API counts code points; JavaScript strings count UTF-16 code units. They differ after an emoji.

/** Return a function that converts an offset in code points of `text` to an offset of the JavaScript string. */
export function toUnits(text) {
  if (!/[\ud800-\udbff]/.test(text)) return (offset) => offset;
  const starts = [];
  let unit = 0;
  for (const character of text) {
    starts.push(unit);
    unit += character.length;
  }
  return (offset) => starts[offset] ?? unit;
}
