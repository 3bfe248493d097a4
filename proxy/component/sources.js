// <citestream-sources>: the source panel. It shows all references of an answer, or those of the selected sentence.

import { citationView } from "./citation-view.js";
import { el } from "./dom.js";
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
      this.body.replaceChildren(el("p", { class: "note" }, this.#emptyText()));
      return;
    }
    if (!claim) {
      this.body.replaceChildren(
        el("p", { class: "note" }, "Select a sentence to see the words that support it."),
        referenceList(element),
      );
      return;
    }
    const sentence = element.textOf(claim);
    const entries = claim.supports.map((support) =>
      el(
        "li",
        {},
        citationView(support, {
          sentence,
          question: element.question,
          link: element.linkOf(support.reference),
          open: (detail) => element.open(detail),
        }),
      ),
    );
    this.body.replaceChildren(
      ...[
        el("p", { class: "selected", dir: "auto" }, sentence),
        entries.length
          ? el("ol", { class: "citations", "aria-label": "Sources of the selected sentence" }, entries)
          : el("p", { class: "none" }, "No source supports this sentence."),
        references.length
          ? el(
              "button",
              { type: "button", class: "all", onclick: () => element.select(null) },
              `Show all ${references.length} sources`,
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

/** Return the list of all references of an answer, each with its best quote. */
export function referenceList(element) {
  const { references } = element.answer;
  return el(
    "ol",
    { class: "citations", part: "references", "aria-label": "Sources" },
    references.map((reference) => {
      const span = (reference.spans ?? []).reduce(
        (best, one) => (one.support > best.support ? one : best),
        reference.spans?.[0] ?? { support: reference.support },
      );
      const claim = element.claims.find((one) => one.supports.some((support) => support.span === span));
      const sentence = claim ? element.textOf(claim) : "";
      return el(
        "li",
        {},
        citationView(
          { reference, span },
          {
            sentence,
            question: element.question,
            link: element.linkOf(reference),
            open: (detail) => element.open(detail),
          },
        ),
      );
    }),
  );
}
