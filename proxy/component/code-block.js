// A block of code with a button that copies it.

import { el } from "./dom.js";
import { t } from "./text.js";

/**
 * Return the element of a block. The style sheet shows the label of the button, so that it is no part of the text that a
 * reader selects.
 */
export function codeBlock(text, language) {
  const code = el("code", {}, `${text}\n`);
  const button = el("button", { type: "button", class: "copy-code", part: "copy", "aria-label": t("Copy the code") });
  button.dataset.label = t("Copy");
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
    report(button, t("Copied"), t("Code copied"));
  } catch {
    getSelection().selectAllChildren(code);
    report(button, t("Selected"), t("Code selected"));
  }
}

function report(button, label, spoken) {
  button.dataset.label = label;
  button.setAttribute("aria-label", spoken);
}
