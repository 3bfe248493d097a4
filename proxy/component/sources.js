// <citestream-sources>: the source panel. It shows all references of an answer, or those of the selected sentence.

import { locationOf, nameOf } from "./answer-state.js";
import { citationView, openLink } from "./citation-view.js";
import { el } from "./dom.js";
import { longList } from "./long-list.js";
import { PANEL_STYLE, SHARED_STYLE } from "./styles.js";

/** Follows the answer in its property `answer`, or the element whose id is in its attribute `for`. */
export class CitestreamSources extends HTMLElement {
  #answer = null;
  #update = () => this.#render();

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [SHARED_STYLE, PANEL_STYLE];
    this.body = root.appendChild(el("div", { class: "panel", part: "panel" }));
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
    this.#answer = element;
    this.#render();
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
        el("p", { class: "note" }, "Select a sentence to see its sources."),
        referenceList(element),
        ...[uncitedList(element)].filter(Boolean),
      );
      return;
    }
    const sentence = element.textOf(claim);
    const properties = { class: "citations", "aria-label": "Sources of the selected sentence" };
    const entry = (support) =>
      citationView(support, {
        sentence,
        question: element.question,
        link: element.linkOf(support.reference),
        open: (detail) => element.open(detail),
      });
    this.body.replaceChildren(
      ...[
        el("p", { class: "selected", dir: "auto" }, sentence),
        claim.supports.length
          ? longList("ol", properties, claim.supports, entry)
          : el("p", { class: "none" }, "No source supports this sentence."),
        references.length
          ? el(
              "button",
              { type: "button", class: "all", onclick: () => element.select(null) },
              references.length === 1 ? "Show the source of the answer" : `Show all ${references.length} sources`,
            )
          : null,
      ].filter(Boolean),
    );
  }

  #emptyText() {
    if (!this.#answer?.answer.done) return "The sources of the answer will be listed here.";
    return "This answer cites no source.";
  }
}

/** Return the passages that the model has read and the answer does not cite, if the server explained its decisions. */
function uncitedList(element, { open = false } = {}) {
  const { done, explained, references } = element.answer;
  const cited = new Set(references.map((one) => one.evidence_number));
  const uncited = (done && explained?.evidence ? explained.evidence : []).filter(({ number }) => !cited.has(number));
  if (!uncited.length) return null;
  const title = `${uncited.length} ${uncited.length === 1 ? "passage" : "passages"} read and not cited`;
  return el(
    "details",
    { class: "uncited", part: "uncited", open },
    el("summary", {}, title),
    longList("ol", { class: "citations", "aria-label": "Passages that are not cited" }, uncited, (item) =>
      uncitedView(element, item),
    ),
  );
}

function uncitedView(element, item) {
  const reference = { ...item, number: null, evidence_number: item.number };
  const span = { quote: item.text, quote_start: 0, quote_end: [...item.text].length };
  const where = locationOf(item);
  return [
    el(
      "p",
      { class: "source" },
      el("strong", { dir: "auto" }, nameOf(item)),
      where ? el("span", { class: "where" }, where) : null,
    ),
    el("p", { class: "beginning", dir: "auto" }, item.text),
    el(
      "p",
      { class: "support" },
      openLink({ reference, span }, item.url, (detail) => element.open(detail)),
    ),
  ];
}

/** Return the list of all references of an answer, each with its best quote. */
export function referenceList(element) {
  const properties = { class: "citations", part: "references", "aria-label": "Sources" };
  return longList("ol", properties, element.answer.references, (reference) => {
    const span = reference.spans.reduce(
      (best, one) => (one.support > best.support ? one : best),
      reference.spans[0] ?? { support: reference.support },
    );
    const claim = element.claims.find((one) => one.supports.some((support) => support.span === span));
    return citationView(
      { reference, span },
      {
        sentence: claim ? element.textOf(claim) : "",
        question: element.question,
        link: element.linkOf(reference),
        open: (detail) => element.open(detail),
      },
    );
  });
}
