// Elements without a framework: everything that is not ours gets in as text, never as markup.

/** An element with properties (`class`, `data-…`, `aria-…`, `onclick`, …) and children: elements, strings, or null. */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Offsets on the wire count code points, strings here count UTF-16 units: `characters(text).slice(start, end)`. */
export const characters = (text) => Array.from(text);
