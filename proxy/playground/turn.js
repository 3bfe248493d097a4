// One turn of the conversation: a question, its answer, and the actions below it.

import { nameOf, readEvents, StreamError } from "../component/citestream.js";
import { el } from "../component/dom.js";
import { getDocument, getFile, post } from "./client.js";
import { showDocument } from "./document-view.js";

/** A question with its answer. `actions`: {sources, inspect, regenerate, options} are called with the turn. */
export class Turn {
  constructor(question, actions) {
    Object.assign(this, { question, events: [], body: null, sent: [], aborter: null });
    this.view = el("citestream-answer", { references: "none" });
    this.view.question = question;
    this.advice = el("p", { class: "advice", hidden: true });
    this.choice = el("p", { class: "hint choice", hidden: true });
    this.waiting = el("p", { class: "waiting", "aria-hidden": "true" }, el("i"), el("i"), el("i"));
    this.actions = el("div", { class: "actions", hidden: true });
    this.buttons = actions;
    this.element = el(
      "article",
      { class: "turn" },
      el("h2", { class: "question", dir: "auto" }, question),
      el("div", { class: "answer" }, this.waiting, this.view, this.advice, this.choice, this.actions),
    );
    this.view.addEventListener("citestream-change", () => {
      this.waiting.hidden = Boolean(this.answer.text || this.answer.done);
    });
    this.view.addEventListener("citestream-open", (event) => this.#open(event));
  }

  get answer() {
    return this.view.answer;
  }

  get running() {
    return this.aborter !== null;
  }

  /** Ask. `sent`: the excerpts of documents on the page that `body` contains, in order. */
  async run(body, sent, { key, context }) {
    Object.assign(this, { body, sent, key, events: [], aborter: new AbortController() });
    this.advice.hidden = this.choice.hidden = this.actions.hidden = true;
    this.waiting.hidden = false;
    const aborter = this.aborter;
    await this.view.stream(this.#chunks(body, key, aborter.signal));
    if (this.aborter !== aborter) return; // asked again
    this.aborter = null;
    this.#finish(context);
  }

  stop() {
    this.aborter?.abort();
  }

  /** Yield the chunks, and record every event with its time for the inspector. */
  async *#chunks(body, key, signal) {
    const began = performance.now();
    const response = await post(body, { key, signal });
    if (!response.ok) throw await StreamError.from(response);
    for await (const { raw, chunk } of readEvents(response)) {
      this.events.push({ at: performance.now() - began, raw, chunk });
      if (chunk) yield chunk;
    }
  }

  #finish(context) {
    const advice = adviceFor(this.answer, context);
    this.advice.textContent = advice;
    this.advice.hidden = !advice;
    this.choice.textContent = `Only the ${context.sent} of ${context.total} excerpts with most words of the question were sent. To search all, index their folder with “citestream index”.`;
    this.choice.hidden = context.sent === context.total;
    const { references, error } = this.answer;
    const button = (label, action, properties = {}) =>
      el("button", { type: "button", class: "quiet", onclick: () => action(this), ...properties }, label);
    this.actions.replaceChildren(
      ...[
        references.length || this.answer.explained?.evidence?.length
          ? button(references.length ? sourceCount(references) : "Passages", this.buttons.sources, {
              class: "quiet sources",
            })
          : null,
        error?.status === 401 ? button("Enter a client key", this.buttons.options) : null,
        button("Regenerate", this.buttons.regenerate, { class: "quiet regenerate" }),
        this.answer.text ? button("Copy", (turn) => turn.#copy(), { class: "quiet copy" }) : null,
        this.events.length ? button("Inspect", this.buttons.inspect, { class: "quiet inspect" }) : null,
        el("span", { class: "hint" }, this.#timing()),
      ].filter(Boolean),
    );
    this.actions.hidden = false;
  }

  #timing() {
    const first = this.events.find((one) => one.chunk?.choices?.[0]?.delta?.content);
    return first
      ? `first text after ${first.at < 1000 ? `${Math.round(first.at)} ms` : `${(first.at / 1000).toFixed(1)} s`}`
      : null;
  }

  /** Copy the answer with its references as Markdown. */
  async #copy() {
    const list = this.answer.references.map((one) => `[${one.number}] ${nameOf(one)}${one.url ? ` ${one.url}` : ""}`);
    await navigator.clipboard.writeText([this.answer.text.trim(), list.join("\n")].filter(Boolean).join("\n\n"));
    this.actions.querySelector(".copy").textContent = "Copied";
  }

  /** Show the document of a citation on the page, if the page or an indexed folder has it. Any other link is followed. */
  async #open(event) {
    const { reference, span, link } = event.detail;
    const sent = this.sent[reference.evidence_number - 1];
    if (link && !sent) return;
    event.preventDefault();
    const claim = this.view.claims.find((one) => one.supports.some((support) => support.span === span));
    const about = { span, sentence: claim ? this.view.textOf(claim) : "", question: this.question };
    if (sent) return showDocument(sent.document, { ...about, entry: sent.entry });
    const found = this.answer.explained?.evidence?.find((item) => item.number === reference.evidence_number);
    const entry = { ...reference, text: found?.text ?? span.quote ?? "" };
    if (!found) about.span = { ...span, quote_start: 0, quote_end: Infinity };
    if (found && (await this.#openIndexed(reference, entry, about))) return;
    showDocument({ name: nameOf(reference), entries: [entry] }, { ...about, entry });
  }

  /** Show the whole document of an indexed folder. Return whether it has the passage: the folder may have changed. */
  async #openIndexed(reference, { text }, about) {
    const source = this.answer.grounding?.retrieval?.source;
    if (!source || !reference.document_id) return false;
    try {
      const { file_name, evidence, has_file } = await getDocument(source, reference, this.key);
      const entry = evidence.find((one) => one.id === reference.id && one.text === text) ??
        evidence.find((one) => one.text === text);
      if (!entry) return false;
      const load = has_file ? () => getFile(source, reference.document_id, this.key) : null;
      showDocument({ name: file_name, entries: evidence, load }, { ...about, entry });
      return true;
    } catch {
      return false; // a source without documents, or one that cannot be read now
    }
  }
}

export const sourceCount = ({ length }) => `${length} ${length === 1 ? "source" : "sources"}`;

/** Return what a user can do about an answer without sources or with an error; empty if all is well. */
function adviceFor({ error, stopped, references, grounding, text }, { source, sent }) {
  if (error) return adviceForError(error);
  if (stopped || references.length) return "";
  if (!text.trim())
    return "The model returned an empty answer. Select Regenerate, or choose another model below the question.";
  if (source && !grounding?.evidence?.received)
    return `No passage in “${source}” fits this question. Ask with other words, or choose another source below.`;
  if (!source && !sent)
    return "No documents were searched, so nothing in this answer is checked. Drop files on the page, or choose a source below.";
  const count = grounding?.evidence?.injected ?? sent;
  const next = "Ask with other words, or add a document.";
  if (!grounding?.claims)
    return count === 1
      ? `The answer does not cite the passage that was read. ${next}`
      : `The answer cites none of the ${count} passages that were read. ${next}`;
  return count === 1
    ? `The passage that was read does not support this answer. ${next}`
    : `None of the ${count} passages that were read supports this answer. ${next}`;
}

function adviceForError({ status, code, retryAfter }) {
  if (status === 401) return "This server requires a client key.";
  if (code === "model_not_found") return "Choose another model below the question.";
  if (code === "connection") return "Check that the server is running, and then select Regenerate.";
  if (status === 413 || code === "too_large") return "Remove some documents, and ask again.";
  if (status === 429 || status === 503)
    return retryAfter ? `Try again in ${retryAfter} seconds.` : "Wait a moment, and then select Regenerate.";
  if (status >= 500 || !status)
    return "The model did not complete its answer. Select Regenerate, or choose another model below the question.";
  return "";
}
