// Helpers to create elements. Text of others is always inserted as text, never as HTML.

/** Create an element with properties (`class`, `data-…`, `aria-…`, `onclick`, …) and children: nodes, strings, or null. */
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

/** Return a constructed style sheet. Unlike a style element, a strict content security policy allows it. */
export function styleSheet(css) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

/** Return an address if it is safe to link to, else null. Relative addresses are safe; `javascript:` is not. */
export function safeUrl(url) {
  if (!url) return null;
  try {
    const { protocol } = new URL(url, document.baseURI);
    return ["http:", "https:", "mailto:"].includes(protocol) ? url : null;
  } catch {
    return null;
  }
}

/** Attributes of links to other pages. */
export const EXTERNAL = { target: "_blank", rel: "noopener noreferrer nofollow" };
