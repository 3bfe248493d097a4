// <citestream-sources>: the source panel. It shows all references of an answer, or those of the selected sentence.

import {
  citationView,
  conflictView,
  openLink,
  sourceLine,
  unsupportedView,
  withoutTables,
} from "./citation-view.js";
import { el } from "./dom.js";
import { longList } from "./long-list.js";
import { PANEL_STYLE, SHARED_STYLE } from "./styles.js";
import { plural, t } from "./text.js";

/** Follows the answer in its property `answer`, or the element whose id is in its attribute `for`. */
export class CitestreamSources extends HTMLElement {
  #answer = null;
  #returnTo = null; // the element that gets the focus back
  #update = () => this.#render();

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [SHARED_STYLE, PANEL_STYLE];
    const onkeydown = (event) => this.#keydown(event);
    this.body = root.appendChild(el("div", { class: "panel", part: "panel", tabindex: -1, onkeydown }));
  }

  connectedCallback() {
    const id = this.getAttribute("for");
    if (id && !this.#answer) this.answer = document.getElementById(id);
    this.#render();
  }

  disconnectedCallback() {
    this.answer = null;
  }

  get answer() {
    return this.#answer;
  }

  /** The `<citestream-answer>` to follow, or null. */
  set answer(element) {
    for (const name of ["citestream-change", "citestream-select"]) {
      this.#answer?.removeEventListener(name, this.#update);
      element?.addEventListener(name, this.#update);
    }
    this.#answer?.panels.delete(this);
    element?.panels.add(this);
    this.#answer = element;
    this.#render();
  }

  /** Move the focus into the panel. Escape returns it to `trigger`. */
  enter(trigger) {
    this.#returnTo = trigger;
    this.body.focus();
  }

  #keydown(event) {
    if (event.key !== "Escape" || !this.#returnTo?.isConnected) return;
    event.stopPropagation();
    this.#returnTo.focus();
    this.#returnTo = null;
  }

  #render() {
    const element = this.#answer;
    const references = element?.answer.references ?? [];
    const claim = element?.selected;
    if (!element || (!references.length && !claim)) {
      this.body.replaceChildren(
        el("p", { class: "note" }, this.#emptyText()),
        ...[element && uncitedList(element, { open: true })].filter(Boolean),
      );
      return;
    }
    if (!claim) {
      this.body.replaceChildren(
        ...[
          element.claims.length ? el("p", { class: "note" }, t("Select a sentence to see its sources.")) : null,
          referenceList(element),
          uncitedList(element),
        ].filter(Boolean),
      );
      return;
    }
    this.body.replaceChildren(
      ...[
        el("div", { class: "selection" }, selectionView(element, claim)),
        references.length
          ? el(
              "button",
              { type: "button", class: "all", onclick: () => element.select(null) },
              plural(references.length, "Show the source of the answer", "Show all {count} sources"),
            )
          : null,
      ].filter(Boolean),
    );
  }

  #emptyText() {
    if (!this.#answer?.answer.done) return t("The sources of the answer will be listed here.");
    return t("This answer cites no source.");
  }
}

/** Return the passages about the selected sentence: those that support it, the one that says otherwise, or a remark that there is none. */
function selectionView(element, claim) {
  if (claim.supports.length) {
    const properties = { class: "citations", "aria-label": t("Sources of the selected sentence") };
    const entry = (support) => citationView(support, element.viewOptions(claim, support.reference));
    return longList("ol", properties, claim.supports, entry);
  }
  if (!claim.conflict) return el("div", { class: "none" }, unsupportedView());
  const item = element.evidenceWith(claim.conflict.evidence_number);
  return el("div", { class: "conflict" }, conflictView(claim.conflict, item, element.viewOptions(claim, item)));
}

/** Return the passages that the model has read and the answer does not cite, if the server explained its decisions. */
function uncitedList(element, { open = false } = {}) {
  const { done, explained, references } = element.answer;
  const cited = new Set(references.map((one) => one.evidence_number));
  const uncited = (done && explained?.evidence ? explained.evidence : []).filter(({ number }) => !cited.has(number));
  if (!uncited.length) return null;
  const title = plural(uncited.length, "{count} passage read and not cited", "{count} passages read and not cited");
  return el(
    "details",
    { class: "uncited", part: "uncited", open },
    el("summary", {}, title),
    longList("ol", { class: "citations", "aria-label": t("Passages that are not cited") }, uncited, (item) =>
      uncitedView(element, item),
    ),
  );
}

function uncitedView(element, item) {
  const reference = { ...item, number: null, evidence_number: item.number };
  const span = { quote: item.text, quote_start: 0, quote_end: [...item.text].length };
  return [
    sourceLine(reference),
    el("p", { class: "beginning", dir: "auto" }, withoutTables(item.text)),
    el(
      "p",
      { class: "support" },
      openLink({ reference, span }, item.url, (detail) => element.open(detail)),
    ),
  ];
}

/** Return the list of all references of an answer, each with its best quote. */
export function referenceList(element) {
  const properties = { class: "citations", part: "references", "aria-label": t("Sources") };
  return longList("ol", properties, element.answer.references, (reference) => {
    const span = reference.spans.reduce(
      (best, one) => (one.support > best.support ? one : best),
      reference.spans[0] ?? { support: reference.support },
    );
    const claim = element.claims.find((one) => one.supports.some((support) => support.span === span));
    return citationView({ reference, span }, element.viewOptions(claim, reference));
  });
}
