// One turn of the conversation: a question, the versions of its answer, and the actions below it.

import { nameOf, readEvents, StreamError } from "../component/citestream.js";
import { el } from "../component/dom.js";
import { plural, t } from "../component/text.js";
import { adviceFor, adviceForError } from "./advice.js";
import { getDocument, getFile, post } from "./client.js";
import { showDocument } from "./document-view.js";
import { editQuestion } from "./question-editor.js";
import { copyAnswer } from "./sources-text.js";

/**
 * A question with its answer. `actions`: {sources, inspect, regenerate, edit, version, options, changed} are called with the turn.
 * A version is {question, answer, body, sent, context, following}: `sent` are the excerpts of documents on the page that `body`
 * contains, in order, as {document, entry}; `following` are the later turns of a version that is not shown, as they are saved.
 */
export class Turn {
  constructor(question, actions, versions = [], shown = 0) {
    Object.assign(this, { versions, shown, events: [], aborter: null, key: "" });
    if (!versions.length) this.versions.push({ question, answer: null, body: null, sent: [], context: {}, following: [] });
    this.view = el("citestream-answer", { references: "none" });
    this.heading = el("h2", { class: "question", dir: "auto" });
    this.edit = el(
      "button",
      { type: "button", class: "quiet edit", "aria-label": t("Edit the question"), onclick: () => editQuestion(this, actions.edit) },
      t("Edit"),
    );
    this.advice = el("p", { class: "advice", hidden: true });
    this.choice = el("p", { class: "hint choice", hidden: true });
    this.waiting = el("p", { class: "waiting", "aria-hidden": "true", hidden: true }, el("i"), el("i"), el("i"));
    this.actions = el("div", { class: "actions", hidden: true });
    this.buttons = actions;
    this.element = el(
      "article",
      { class: "turn" },
      el("div", { class: "asked" }, this.edit, this.heading),
      el("div", { class: "answer" }, this.waiting, this.view, this.advice, this.choice, this.actions),
    );
    this.view.addEventListener("citestream-change", () => {
      this.waiting.hidden = !this.running || Boolean(this.answer.text || this.answer.done);
      if (this.running) actions.changed(this);
    });
    this.view.addEventListener("citestream-open", (event) => this.#open(event));
    this.showVersion(shown);
  }

  get version() {
    return this.versions[this.shown];
  }

  get question() {
    return this.version.question;
  }

  get body() {
    return this.version.body;
  }

  get answer() {
    return this.view.answer;
  }

  get running() {
    return this.aborter !== null;
  }

  /** Show a version of the answer. */
  showVersion(index) {
    this.shown = index;
    this.events = [];
    this.view.question = this.question;
    this.heading.textContent = this.question;
    const { answer } = this.version;
    if (!answer) return;
    this.view.show(answer);
    this.#finish();
  }

  /** Add a version for the same or another question, and show it. `following`: the later turns, which belong to the version before. */
  addVersion(question, following) {
    this.version.following = following;
    if (!this.version.answer) this.versions.splice(this.shown, 1); // it was stopped before it began
    this.versions.push({ question, answer: null, body: null, sent: [], context: {}, following: [] });
    this.showVersion(this.versions.length - 1);
  }

  /** Ask. `sent`: the excerpts of documents on the page that `body` contains, in order. */
  async run(body, sent, { key, context }) {
    Object.assign(this.version, { body, sent, context });
    Object.assign(this, { key, events: [], aborter: new AbortController() });
    this.advice.hidden = this.choice.hidden = this.actions.hidden = this.edit.hidden = true;
    this.waiting.hidden = false;
    const { aborter, version } = this;
    const answering = this.view.stream(this.#chunks(body, key, aborter.signal));
    version.answer = this.view.answer;
    await answering;
    if (this.aborter !== aborter) return; // asked again
    this.aborter = null;
    this.#finish();
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

  #finish() {
    const { context, body, answer } = this.version;
    const advice = answer.error ? adviceForError(answer.error) : adviceFor(this.answer, context);
    this.advice.textContent = advice;
    this.advice.hidden = !advice;
    this.choice.textContent = t(
      "Only the {sent} of {total} excerpts with most words of the question were sent. To search all, index their folder with “citestream index”.",
      context,
    );
    this.choice.hidden = context.sent === context.total;
    const { references } = this.answer;
    const button = (label, action, properties = {}) =>
      el("button", { type: "button", class: "quiet", onclick: () => action(this), ...properties }, label);
    this.actions.replaceChildren(
      ...[
        references.length || this.answer.explained?.evidence?.length
          ? button(references.length ? sourceCount(references) : t("Passages"), this.buttons.sources, {
              class: "quiet sources",
            })
          : null,
        answer.error?.status === 401 ? button(t("Enter an access key"), this.buttons.options) : null,
        button(t("Regenerate"), this.buttons.regenerate, { class: "quiet regenerate" }),
        this.answer.text ? button(t("Copy"), (turn) => turn.#copy(), { class: "quiet copy" }) : null,
        body ? button(t("Inspect"), this.buttons.inspect, { class: "quiet inspect" }) : null,
        this.versions.length > 1 ? this.#versionSwitch() : null,
      ].filter(Boolean),
    );
    this.actions.hidden = false;
    this.edit.hidden = false;
  }

  #versionSwitch() {
    const step = (label, text, index) =>
      el(
        "button",
        {
          type: "button",
          class: "quiet",
          "aria-label": label,
          disabled: index < 0 || index >= this.versions.length,
          onclick: () => {
            this.buttons.version(this, index);
            this.actions.querySelector(`.versions [aria-label="${label}"]:not(:disabled), .versions button:not(:disabled)`)?.focus();
          },
        },
        text,
      );
    return el(
      "span",
      { class: "versions", role: "group", "aria-label": t("Versions of the answer") },
      step(t("Previous version"), "‹", this.shown - 1),
      el("span", { class: "hint" }, `${this.shown + 1}/${this.versions.length}`),
      step(t("Next version"), "›", this.shown + 1),
    );
  }

  /** Copy the answer with its sources. */
  async #copy() {
    await copyAnswer(this.view);
    this.actions.querySelector(".copy").textContent = t("Copied");
  }

  /** Show the document of a citation on the page, if the page or an indexed folder has it. Any other link is followed. */
  async #open(event) {
    const { reference, span, link } = event.detail;
    const sent = this.version.sent[reference.evidence_number - 1];
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

export const sourceCount = ({ length }) => plural(length, "{count} source", "{count} sources");
