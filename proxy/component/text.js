// The texts of the components and of the page that shows them. As in gettext, the English text is the key of its translation.

let catalogue = {};
let rules = new Intl.PluralRules("en");
let isEnglish = true;

/**
 * Translate all texts that are made from now on. `texts`: the translations by their English text; those that depend on a number
 * are objects with a text for each category of `Intl.PluralRules`.
 */
export function setTranslations(language, texts) {
  catalogue = texts;
  rules = new Intl.PluralRules(language);
  isEnglish = language.startsWith("en");
}

/** Return a text of the server, which is English, if the page is; else null. */
export const serverText = (text) => (isEnglish && text ? text : null);

/** Return a text in the language of the page. `values` replace the names in braces. */
export function t(english, values = {}) {
  const text = Object.hasOwn(catalogue, english) ? catalogue[english] : english;
  return filled(text, values);
}

/** Return a text that depends on a number, `{count}`. The text for several is the key of its translation. */
export function plural(count, one, several, values = {}) {
  const translated = Object.hasOwn(catalogue, several) ? catalogue[several] : { one, other: several };
  return filled(translated[rules.select(count)] ?? translated.other, { count, ...values });
}

const filled = (text, values) =>
  text.replace(/\{(\w+)\}/g, (name, key) => (Object.hasOwn(values, key) ? `${values[key]}` : name));
