// The character references of HTML that models use in Markdown.

export const ENTITY = /(&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});)/i;
const ENTITIES = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
  reg: "®",
  trade: "™",
  euro: "€",
  times: "×",
  deg: "°",
  plusmn: "±",
  middot: "·",
  bull: "•",
  rarr: "→",
  larr: "←",
  le: "≤",
  ge: "≥",
  ne: "≠",
  minus: "−",
  shy: "\u00ad",
};

/** Return the characters of a reference. Other texts are returned unchanged. */
export function decoded(text) {
  const name = ENTITY.test(text) && text.slice(1, -1);
  if (!name) return text;
  if (name[0] !== "#") return Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : text;
  const code = name[1].toLowerCase() === "x" ? parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : text;
}
