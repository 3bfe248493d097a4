// The language of the page: the first of the browser's languages that it has. The English texts are in the code, and the keys of
// the catalogues in the folder `languages`.

import { setTranslations } from "../component/text.js";

const CATALOGUES = ["de", "es", "fr", "zh"];
const ATTRIBUTES = ["placeholder", "aria-label", "data-drop"];

/** Show the page in the first of the languages, such as `["fr-CA", "en"]`, that it has. */
async function useLanguage(wanted) {
  const language = wanted.map((tag) => tag.split("-")[0]).find((tag) => tag === "en" || CATALOGUES.includes(tag)) ?? "en";
  if (language === "en") return;
  const response = await fetch(`playground/languages/${language}.json`);
  if (!response.ok) return;
  const texts = await response.json();
  setTranslations(language, texts);
  document.documentElement.lang = language;
  translate(document.body, texts);
}

/** Translate the texts and attributes of the page that are keys of the catalogue. */
function translate(root, texts) {
  const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) {
    const { data } = nodes.currentNode;
    const text = data.trim().replace(/\s+/g, " ");
    if (Object.hasOwn(texts, text)) nodes.currentNode.data = data.replace(data.trim(), () => texts[text]);
  }
  for (const name of ATTRIBUTES) {
    for (const element of [root, ...root.querySelectorAll(`[${name}]`)]) {
      const text = element.getAttribute(name);
      if (Object.hasOwn(texts, text ?? "")) element.setAttribute(name, texts[text]);
    }
  }
}

/** Resolves when the page has its language. Texts that are made earlier are English. */
export const ready = useLanguage(navigator.languages).catch(() => {}); // the page is usable in English
