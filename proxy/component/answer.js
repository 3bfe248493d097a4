// <citestream-answer>: renders a streamed or finished answer with markers, citation cards and references.

import { addChunk, claimsOf, emptyAnswer, finishedAnswer, nameOf } from "./answer-state.js";
import { Card } from "./card.js";
import { citationView, conflictView, unsupportedView } from "./citation-view.js";
import { el } from "./dom.js";
import { MarkdownView } from "./markdown.js";
import { mayBeMarker } from "./markers.js";
import { answerNotes } from "./notes.js";
import { StreamError, readChunks } from "./stream.js";
import { ANSWER_STYLE, SHARED_STYLE } from "./styles.js";
import { t } from "./text.js";

// Attributes of a sentence that opens a card, because no source supports it.
const BUTTON = { role: "button", tabindex: "0", "aria-haspopup": "dialog", "aria-expanded": "false" };

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
    this.panels = new Set(); // the source panels that follow this answer
    this.card = new Card(
      root,
      (trigger) => this.#cardContent(trigger),
      (trigger, cause) => this.#showInPanel(trigger, cause),
    );
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
      this.#answer.error = { message: t("The answer in the page is not JSON."), code: "not_json" };
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
    this.#markVerdicts();
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
        "aria-label": reference
          ? t("Citation {number}: {name}", { number, name: nameOf(reference) })
          : t("Citation {number}", { number }),
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

  /** Sentences without a source, and those that a source contradicts, open a card as well. Only the first part of each can be focused. */
  #markVerdicts() {
    const seen = new Set();
    for (const span of this.textElement.querySelectorAll(".claim")) {
      const claim = this.#claims[span.dataset.claim];
      if (claim?.supports.length) span.classList.toggle("partly", claim.partly);
      if (!claim?.unsupported || claim.supports.length) continue;
      const isFirst = !seen.has(claim);
      const kind = claim.conflict ? "contradicted" : "unsupported";
      seen.add(claim);
      if (span.classList.contains(kind)) continue;
      span.classList.add(kind);
      if (!isFirst || span.closest("a")) continue;
      for (const [name, value] of Object.entries(BUTTON)) span.setAttribute(name, value);
      span.setAttribute(
        "aria-description",
        claim.conflict ? t("A source says otherwise") : t("No source supports this sentence"),
      );
      span.addEventListener("focus", () => this.select(claim));
      this.card.attach(span);
    }
  }

  /**
   * Show the passage of a marker or of a sentence in a visible source panel, which must not repeat it in a card. Return whether there
   * is one. The pointer alone selects markers only: it passes over many sentences.
   */
  #showInPanel(trigger, cause) {
    const panel = [...this.panels].find((one) => one.checkVisibility());
    if (!panel) return false;
    if (trigger.dataset.number) this.select(this.#claimOf(trigger));
    else if (cause !== "hover") this.select(this.#claims[trigger.dataset.claim] ?? null);
    if (cause === "key") panel.enter(trigger);
    return true;
  }

  /** Show the first sentence that a source contradicts. */
  showContradiction() {
    const claim = this.#claims.find((one) => one.conflict && !one.supports.length);
    const span = this.textElement.querySelector(`.claim[data-claim="${this.#claims.indexOf(claim)}"]`);
    this.select(claim ?? null);
    span?.scrollIntoView({ block: "nearest" });
    span?.focus({ focusVisible: true, preventScroll: true });
  }

  /** Return the evidence with a number: its description by the server, or a reference to it. */
  evidenceWith(number) {
    const { explained, references } = this.#answer;
    return (
      explained?.evidence.find((item) => item.number === number) ??
      references.find((one) => one.evidence_number === number) ?? { title: t("Excerpt {number}", { number }) }
    );
  }

  /** Return the arguments of `citationView` and `conflictView` about a claim. */
  viewOptions(claim, item) {
    return {
      sentence: claim ? this.textOf(claim) : "",
      question: this.question,
      link: item.number && item.spans ? this.linkOf(item) : (item.url ?? null),
      open: (detail) => this.open(detail),
      partly: claim?.partly ?? false,
    };
  }

  #cardContent(trigger) {
    if (!trigger.dataset.number) {
      const sentence = this.#claims[trigger.dataset.claim];
      if (!sentence?.conflict) return { label: t("Unsupported sentence"), nodes: unsupportedView() };
      const item = this.evidenceWith(sentence.conflict.evidence_number);
      const nodes = conflictView(sentence.conflict, item, this.viewOptions(sentence, item));
      return { label: t("Contradicted sentence"), nodes };
    }
    const claim = this.#claimOf(trigger);
    const number = Number(trigger.dataset.number);
    const reference = this.#referenceWith(number);
    if (!reference) return null; // the references have not arrived yet
    const support = claim?.supports.find((one) => one.reference === reference) ?? {
      reference,
      span: reference.spans[0] ?? { support: reference.support },
    };
    const nodes = citationView(support, this.viewOptions(claim, reference));
    return { label: t("Citation {number}", { number }), nodes };
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
  const failed = t("The connection to the server failed.");
  const message = error instanceof TypeError || !error?.message ? failed : `${failed} ${error.message}`;
  return { message, code: "connection", status: 0 };
}
