// Lists that a hostile or very long answer makes long. They show their first entries, and more of them on demand.

import { el } from "./dom.js";
import { t } from "./text.js";

const SHOWN = 50; // entries at once; an answer with 5,000 sources stays usable

/** Return a list of entries, which `make(item)` returns, with a button for the next ones. */
export function longList(tag, properties, items, make) {
  const list = el(tag, properties);
  let shown = 0;
  const button = el("button", { type: "button", class: "all", onclick: () => more(true) });
  const more = (focus) => {
    const entries = items.slice(shown, shown + SHOWN).map((item) => el("li", {}, make(item)));
    shown += entries.length;
    list.append(...entries);
    const left = items.length - shown;
    button.textContent = t("Show {count} more of {total}", { count: Math.min(left, SHOWN), total: items.length });
    button.parentElement?.remove();
    if (left > 0) list.append(el("li", { class: "more" }, button));
    if (!focus) return;
    entries[0].tabIndex = -1;
    entries[0].focus();
  };
  more(false);
  return list;
}
