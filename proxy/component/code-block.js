// A block of code with a button that copies it.

import { el } from "./dom.js";

/**
 * Return the element of a block. The label of the button is in the style sheet, so that it is no part of the text that a
 * reader selects.
 */
export function codeBlock(text, language) {
  const code = el("code", {}, `${text}\n`);
  const button = el("button", { type: "button", class: "copy-code", part: "copy", "aria-label": "Copy the code" });
  button.addEventListener("click", () => copy(button, code, text));
  return el(
    "div",
    { class: "code" },
    el("pre", { tabindex: 0, "data-language": language || null }, code),
    button,
  );
}

/** Copy the text. Where a page may not, for example without HTTPS, select the code instead. */
async function copy(button, code, text) {
  try {
    await navigator.clipboard.writeText(text);
    report(button, "copied");
  } catch {
    getSelection().selectAllChildren(code);
    report(button, "selected");
  }
}

function report(button, state) {
  button.dataset.state = state;
  button.setAttribute("aria-label", `Code ${state}`);
}
