// <citestream-answer>: renders a streamed or finished answer with markers, citation cards and references.

import { addChunk, claimsOf, emptyAnswer, finishedAnswer, nameOf } from "./answer-state.js";
import { Card, citationContent } from "./card.js";
import { el } from "./dom.js";
import { MarkdownView } from "./markdown.js";
import { mayBeMarker } from "./markers.js";
import { answerNotes } from "./notes.js";
import { StreamError, readChunks } from "./stream.js";
import { ANSWER_STYLE, SHARED_STYLE } from "./styles.js";

// Attributes of an unsupported sentence, which opens a card.
const UNSUPPORTED = {
  role: "button",
  tabindex: "0",
  "aria-haspopup": "dialog",
  "aria-expanded": "false",
  "aria-description": "No source supports this sentence",
};

/**
 * Attributes: `references="none"` hides the list of references, `summary="none"` the line about the claims.
 * Events: `citestream-change` (after each rendering), `citestream-select` ({claim}), `citestream-open` ({reference, span}; cancelable),
 * `citestream-done` and `citestream-error` ({answer}).
 */
export class CitestreamAnswer extends HTMLElement {
  #answer = emptyAnswer();
  #claims = [];
  #selected = null;
  #scheduled = false;
  #question = "";
  #numbered = { list: null, byNumber: null }; // the references by their numbers

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [SHARED_STYLE, ANSWER_STYLE];
    this.textElement = el("div", { class: "text", part: "text", dir: "auto", onclick: (event) => this.#click(event) });
    this.notes = el("div", { class: "notes", part: "notes" });
    root.append(this.textElement, this.notes);
    this.card = new Card(root, (trigger) => this.#cardContent(trigger));
    this.view = new MarkdownView(this.textElement, (...place) => this.#marker(...place));
  }

  connectedCallback() {
    const data = this.querySelector(':scope > script[type="application/json"]');
    if (!data || this.#answer.text) return;
    try {
      this.show(JSON.parse(data.textContent));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.show({ text: "" });
      this.#answer.error = { message: "The answer in the page is not JSON.", code: "not_json" };
      this.#render();
    }
  }

  disconnectedCallback() {
    this.card.close();
  }

  /** The answer so far: {text, references, grounding, explained, model, done, stopped, error}. */
  get answer() {
    return this.#answer;
  }

  /** The claims of the answer, see `claimsOf`. */
  get claims() {
    return this.#claims;
  }

  /** The selected claim, or null. */
  get selected() {
    return this.#selected;
  }

  /** The question. Its words are not marked in quotes, because they do not decide. */
  get question() {
    return this.#question;
  }

  set question(text) {
    this.#question = typeof text === "string" ? text : "";
  }

  /** Show a finished answer: a response of `POST /v1/chat/completions` or `POST /v1/cite`, or {text, references, grounding}. */
  show(response) {
    this.#answer = finishedAnswer(response);
    this.#selected = null;
    this.#render();
  }

  /**
   * Show an answer while it arrives. `source`: the Response of a streamed request, a stream of bytes, or an (async) iterable of chunks.
   * Return the answer. Errors do not throw: they are in `answer.error`. Aborting the request sets `answer.stopped`.
   */
  async stream(source) {
    const answer = (this.#answer = emptyAnswer());
    this.#selected = null;
    this.setAttribute("aria-busy", "true");
    this.#render();
    try {
      for await (const chunk of readChunks(await source)) {
        if (answer !== this.#answer) return answer; // another answer has replaced it
        if (chunk?.complete) Object.assign(answer, finishedAnswer(chunk.complete));
        else addChunk(answer, chunk);
        this.#schedule();
      }
    } catch (error) {
      if (error?.name === "AbortError") answer.stopped = true;
      else answer.error = errorOf(error);
    }
    if (answer !== this.#answer) return answer;
    answer.done = true;
    this.setAttribute("aria-busy", "false");
    this.#render();
    this.#emit(answer.error ? "citestream-error" : "citestream-done", { answer });
    return answer;
  }

  /** Select a claim, and tell the source panel. Null selects nothing. */
  select(claim) {
    if (claim === this.#selected) return;
    this.#selected = claim;
    this.#showSelection();
    this.#emit("citestream-select", { claim });
  }

  /** Return the text of a claim as it is shown, without markers. */
  textOf(claim) {
    const index = this.#indexOf(claim);
    const parts = [...this.textElement.querySelectorAll(`.claim[data-claim="${index}"]`)];
    return parts
      .map(
        (part, at) =>
          (at && part.closest("td, th") !== parts[at - 1].closest("td, th") ? " · " : "") + part.textContent,
      )
      .join("")
      .trim();
  }

  #indexOf(claim) {
    return this.#claims.findIndex((one) => one.start === claim?.start && one.end === claim?.end);
  }

  /** Return the address that shows the document of a reference, or null. */
  linkOf(reference) {
    return reference.url ?? this.#answer.links[reference.number] ?? null;
  }

  #referenceWith(number) {
    if (this.#numbered.list !== this.#answer.references) {
      const list = this.#answer.references;
      this.#numbered = { list, byNumber: new Map(list.map((one) => [one.number, one])) };
    }
    return this.#numbered.byNumber.get(number);
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      this.#render();
    });
  }

  #render() {
    const answer = this.#answer;
    this.#claims = claimsOf(answer);
    const focused = this.#markers().indexOf(this.shadowRoot.activeElement);
    this.view.update(answer.text, this.#claims, `${answer.done}${answer.references.length}`);
    if (focused >= 0 && !this.shadowRoot.activeElement) this.#markers()[focused]?.focus({ preventScroll: true });
    this.#markUnsupported();
    this.#showSelection();
    this.notes.replaceChildren(...answerNotes(this));
    this.#emit("citestream-change", { answer });
  }

  #markers() {
    return [...this.textElement.querySelectorAll(".marker")];
  }

  /**
   * Return the element for a marker, or null if an answer that is complete has no such reference. A link is a marker if its
   * address is that of the reference: models write links that look like markers.
   */
  #marker(number, offset, address) {
    const reference = this.#referenceWith(number);
    if (!reference && (this.#answer.done || !mayBeMarker(number))) return null;
    if (address !== undefined && !isSameAddress(address, reference && this.linkOf(reference))) return null;
    const marker = el(
      "span",
      {
        class: "marker",
        part: "marker",
        role: "button",
        tabindex: 0,
        "aria-haspopup": "dialog",
        "aria-expanded": "false",
        "aria-label": reference ? `Citation ${number}: ${nameOf(reference)}` : `Citation ${number}`,
        "data-number": number,
        "data-offset": offset,
        "data-pending": !reference,
      },
      `${number}`,
    );
    marker.addEventListener("focus", () => this.select(this.#claimOf(marker)));
    return this.card.attach(marker);
  }

  /** Return the claim that a marker belongs to: the last one before it that has its reference. */
  #claimOf(marker) {
    const number = Number(marker.dataset.number);
    const offset = Number(marker.dataset.offset);
    return (
      this.#claims.findLast(
        (claim) => claim.start <= offset && claim.supports.some(({ reference }) => reference.number === number),
      ) ?? null
    );
  }

  /** Unsupported sentences open a card as well, which says so. Only the first part of each can be focused. */
  #markUnsupported() {
    const seen = new Set();
    for (const span of this.textElement.querySelectorAll(".claim")) {
      const claim = this.#claims[span.dataset.claim];
      if (!claim?.unsupported || claim.supports.length) continue;
      const isFirst = !seen.has(claim);
      seen.add(claim);
      if (span.classList.contains("unsupported")) continue;
      span.classList.add("unsupported");
      if (claim.conflict) span.classList.add("contradicted");
      if (!isFirst || span.closest("a")) continue;
      for (const [name, value] of Object.entries(UNSUPPORTED)) span.setAttribute(name, value);
      if (claim.conflict) span.setAttribute("aria-description", "A source says otherwise");
      span.addEventListener("focus", () => this.select(claim));
      this.card.attach(span);
    }
  }

  #cardContent(trigger) {
    const open = (detail) => this.open(detail);
    const conflict = trigger.dataset.number ? null : this.#claims[trigger.dataset.claim]?.conflict;
    if (conflict) {
      return {
        label: "Contradicted sentence",
        nodes: [
          el("p", { class: "source" }, el("strong", {}, "A source says otherwise")),
          el("blockquote", {}, conflict.quote),
          el("p", { class: "where" }, `Excerpt ${conflict.evidence_number}: ${conflict.detail}.`),
        ],
      };
    }
    if (!trigger.dataset.number) {
      return {
        label: "Unsupported sentence",
        nodes: [
          el("p", { class: "source" }, el("strong", {}, "No source supports this sentence")),
          el(
            "p",
            { class: "where" },
            "Citestream found no passage among the sources that states it. Check it before you rely on it.",
          ),
        ],
      };
    }
    const claim = this.#claimOf(trigger);
    const number = Number(trigger.dataset.number);
    const reference = this.#referenceWith(number);
    if (!reference) return null; // the references have not arrived yet
    const support = claim?.supports.find((one) => one.reference === reference) ?? {
      reference,
      span: reference.spans[0] ?? { support: reference.support },
    };
    return citationContent(support, {
      sentence: claim ? this.textOf(claim) : "",
      question: this.question,
      link: this.linkOf(reference),
      open,
    });
  }

  /** Ask the page to open a document. Return whether the page left it to the default action, which is to follow the link. */
  open(detail) {
    return this.dispatchEvent(
      new CustomEvent("citestream-open", { detail, bubbles: true, composed: true, cancelable: true }),
    );
  }

  #click(event) {
    const span = event.target.closest(".claim");
    if (span) this.select(this.#claims[span.dataset.claim]);
    else if (!event.target.closest(".marker, a") && getSelection().isCollapsed) this.select(null);
  }

  #showSelection() {
    const index = `${this.#indexOf(this.#selected)}`;
    for (const span of this.textElement.querySelectorAll(".claim"))
      span.classList.toggle("selected", span.dataset.claim === index);
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

/** Return whether two addresses are the same. The server escapes brackets in the address of a marker. */
function isSameAddress(one, other) {
  if (typeof other !== "string" || !URL.canParse(one) || !URL.canParse(other)) return false;
  return decodedPath(one) === decodedPath(other);
}

function decodedPath(address) {
  const { href } = new URL(address);
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

function errorOf(error) {
  if (error instanceof StreamError)
    return { message: error.message, code: error.code, status: error.status, retryAfter: error.retryAfter };
  // The message of a TypeError is that of the browser: "Failed to fetch", "network error", "Load failed".
  const reason = error instanceof TypeError ? "." : `: ${error?.message ?? "unknown error"}`;
  return { message: `The connection to the server failed${reason}`, code: "connection", status: 0 };
}
