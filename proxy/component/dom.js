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

const ABSOLUTE = /^(?:https?:\/\/[^\s/\\?#]|mailto:[^\s])/i;

/** Return an address of a source if it is safe to link to, else null. It may be relative to the page; `javascript:` is not safe. */
export function safeUrl(url) {
  if (!url || typeof url !== "string") return null;
  try {
    const { protocol } = new URL(url, document.baseURI);
    return ["http:", "https:", "mailto:"].includes(protocol) ? url : null;
  } catch {
    return null;
  }
}

/** Return an address in an answer if it is safe, else null. A relative one would be an action of the page, such as `/logout`. */
export const answerUrl = (url) => (ABSOLUTE.test(url) && URL.canParse(url) ? url : null);

/** Attributes of links to other pages. */
export const EXTERNAL = { target: "_blank", rel: "noopener noreferrer nofollow" };
