// The first screen: the documents and models that are there, and questions to begin with. Follow-up questions below an answer.

import { el } from "../component/dom.js";
import { plural, t } from "../component/text.js";
import * as documents from "./documents.js";
import * as options from "./options.js";
import { byId, openDialog } from "./page.js";
import { suggestions } from "./suggestions.js";

let send = () => {};

/** Show what is there, and again when it changes. `ask(question)` is called for a suggested question. */
export function start(ask) {
  send = ask;
  document.addEventListener("loaded", show);
  byId("source").addEventListener("change", show);
  byId("documents").addEventListener("changed", show);
  byId("connect-model").addEventListener("click", () => openDialog("connect"));
}

function show() {
  byId("facts").replaceChildren(...[documentFact(), modelFact()].filter(Boolean));
  const { models, missingKeys } = options.serverModels();
  byId("connect-model").hidden = models.length > 0;
  byId("missing-keys").replaceChildren(
    ...Object.entries(missingKeys).map(([vendor, variable]) =>
      el("li", {}, `${options.vendorName(vendor)}: `, el("code", {}, `${variable}=… citestream serve`)),
    ),
    el("li", {}, "Ollama: ", el("code", {}, "ollama pull llama3.2"), " ", t("(no key)")),
  );
  suggest(byId("welcome-suggestions"), suggestions(entries()));
}

/** Return the excerpts of the chosen documents. */
function entries() {
  const source = options.source();
  if (source === options.DOCUMENTS) return documents.allEntries();
  return options.factsOf(source)?.excerpts ?? [];
}

function documentFact() {
  const facts = options.factsOf(options.source());
  if (!facts) return null;
  const text = facts.files
    ? plural(facts.files, "The folder “{name}” with {count} file is ready.", "The folder “{name}” with {count} files is ready.", {
        name: facts.title,
      })
    : t("The source “{name}” is ready.", { name: facts.title });
  return el("li", {}, text);
}

function modelFact() {
  const { models } = options.serverModels();
  if (!models.length) return el("li", {}, t("Quotes only: without a language model, an answer consists of sentences of the documents."));
  const named = models.slice(0, 3).join(", ");
  return el(
    "li",
    {},
    models.length > 3
      ? t("Models that answer: {names} and {count} more.", { names: named, count: models.length - 3 })
      : t("Models that answer: {names}.", { names: named }),
  );
}

function suggest(place, questions) {
  place.replaceChildren(
    ...questions.map((question) =>
      el("button", { type: "button", class: "suggestion", dir: "auto", onclick: () => send(question) }, question),
    ),
  );
}

/** Show follow-up questions below the last answer: about the passages that were read and not cited first. */
export function followUp(turn, asked) {
  for (const one of document.querySelectorAll(".follow-up")) one.remove();
  const { answer } = turn;
  if (answer.error || answer.stopped) return;
  const cited = new Set(answer.references.map((one) => one.evidence_number));
  const read = answer.explained?.evidence ?? [];
  const uncited = read.filter((one) => !cited.has(one.number));
  const questions = suggestions([...uncited, ...entries()], asked);
  if (!questions.length) return;
  const place = el("div", { class: "suggestions follow-up", role: "group", "aria-label": t("Suggested questions") });
  suggest(place, questions);
  turn.element.append(place);
}
