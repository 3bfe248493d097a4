// Helpers to create elements. Foreign text is always inserted as text, never as HTML.

/** Create an element with properties (`class`, `data-…`, `aria-…`, `onclick`, …) and children: elements, strings, or null. */
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

/** Split a text into code points, which offsets of the API count: `characters(text).slice(start, end)`. */
export const characters = (text) => Array.from(text);
