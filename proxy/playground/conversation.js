// The turns of the shown conversation: ask, ask again, edit a question, switch between versions, and what is saved of them.

import * as documents from "./documents.js";
import { Turn } from "./turn.js";

/** The turns, each with its element in `thread`. */
export class Conversation {
  /** `hooks`: {request(turn, earlier), started(turn), ended(turn), shown(), changed()}; `buttons`: further actions of a turn. */
  constructor(thread, hooks, buttons) {
    Object.assign(this, { thread, hooks, turns: [] });
    this.actions = {
      ...buttons,
      regenerate: (turn) => this.#askAgain(turn, turn.question),
      edit: (turn, question) => this.#askAgain(turn, question),
      version: (turn, index) => this.#showVersion(turn, index),
      changed: () => hooks.changed(),
    };
  }

  get last() {
    return this.turns.at(-1);
  }

  get running() {
    return this.turns.some((one) => one.running);
  }

  stop() {
    for (const one of this.turns) one.stop();
  }

  /** Ask a question at the end. */
  ask(question) {
    const turn = new Turn(question, this.actions);
    this.#append([turn]);
    this.#run(turn);
    return turn;
  }

  /** Show saved turns instead of the present ones. `turns`: as `saved` returns them. */
  show(turns) {
    this.stop();
    this.turns = [];
    this.thread.replaceChildren();
    this.#append(turns.map((one) => this.#restored(one)));
    this.hooks.shown();
  }

  /** Return the turns as plain objects for the database. A document is its id, an excerpt its index in the document. */
  saved() {
    return this.turns.map(savedTurn);
  }

  /** Return the questions and answers that are shown, for the title and the search of the chat. */
  texts() {
    return this.turns.flatMap(({ question, answer }) => [question, answer.text]);
  }

  #append(turns) {
    this.turns.push(...turns);
    this.thread.append(...turns.map((one) => one.element));
    for (const one of this.turns) one.element.classList.toggle("last", one === this.last);
  }

  #restored({ versions, shown }) {
    const restored = versions.map((one) => ({ ...one, sent: one.sent.map(documents.excerptOf) }));
    return new Turn(versions[shown].question, this.actions, restored, shown);
  }

  /** Take away the turns after one. Return them as they are saved. */
  #cutAfter(turn) {
    const later = this.turns.splice(this.turns.indexOf(turn) + 1);
    for (const one of later) one.element.remove();
    turn.element.classList.add("last");
    return later.map(savedTurn);
  }

  #askAgain(turn, question) {
    if (this.running) return;
    turn.addVersion(question, this.#cutAfter(turn));
    this.#run(turn);
  }

  #showVersion(turn, index) {
    if (this.running || index === turn.shown) return;
    turn.version.following = this.#cutAfter(turn);
    turn.showVersion(index);
    const { following } = turn.version;
    turn.version.following = [];
    this.#append(following.map((one) => this.#restored(one)));
    this.hooks.shown();
    this.hooks.changed();
  }

  async #run(turn) {
    this.hooks.started(turn);
    const earlier = this.turns
      .slice(0, this.turns.indexOf(turn))
      .filter((one) => one.answer.text)
      .map((one) => ({ question: one.question, answer: one.answer.text }));
    const { body, sent, options } = await this.hooks.request(turn, earlier);
    if (!this.turns.includes(turn)) return; // another chat was opened
    await turn.run(body, sent, options);
    if (this.last === turn) this.hooks.ended(turn);
  }
}

function savedTurn({ versions, shown }) {
  return {
    shown,
    versions: versions
      .filter((one) => one.answer || one === versions[shown])
      .map(({ question, answer, body, sent, context, following }) => ({
        question,
        answer: answer && (answer.done ? answer : { ...answer, done: true, stopped: true }),
        body,
        sent: sent.map((one) => documents.placeOf(one)),
        context,
        following,
      })),
  };
}
