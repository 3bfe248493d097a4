// The state of one answer: a reducer over the chunks of a stream, and the claims that follow from the references.

import { errorFieldOf, explainedOf, groundingOf, numberOf, objectOf, objectsOf, referencesOf, textOf } from "./answer-fields.js";
import { toUnits } from "./offsets.js";
import { t } from "./text.js";

/** Return an empty answer. */
export function emptyAnswer() {
  return {
    text: "",
    references: [],
    links: {},
    grounding: null,
    explained: null,
    model: null,
    done: false,
    stopped: false,
    error: null,
  };
}

/**
 * Add a chunk of a stream to an answer: a chunk of a chat completion, or an event of the Responses API.
 * Unknown chunks change nothing. Only the first choice is read.
 */
export function addChunk(answer, chunk) {
  const { error, model, choices, type, delta, response } = objectOf(chunk);
  answer.error = errorFieldOf(error) ?? answer.error;
  answer.model = textOf(model) || answer.model;
  const choice = objectOf(objectsOf(choices).find((one) => one.index === 0));
  const message = objectOf(choice.delta);
  answer.text += textOf(message.content);
  if (type === "response.output_text.delta") answer.text += textOf(delta);
  addFinalFields(answer, objectOf(response ?? chunk));
  addLinks(answer, message.annotations);
}

/**
 * Return a finished answer from a complete response: of a chat completion, of `POST /v1/cite`, {text, references, grounding}, or an
 * answer that was saved.
 */
export function finishedAnswer(response) {
  const answer = { ...emptyAnswer(), done: true };
  const { text, choices, output, model, annotations, stopped, error, links } = objectOf(response);
  const message = objectOf(objectsOf(choices)[0]?.message);
  answer.text = textOf(text) || textOf(message.content) || outputText(output);
  answer.model = textOf(model, null);
  addFinalFields(answer, objectOf(response));
  addLinks(answer, annotations ?? message.annotations);
  for (const [number, url] of Object.entries(objectOf(links))) if (/^https?:/.test(textOf(url))) answer.links[number] = url;
  answer.stopped = stopped === true;
  if (errorFieldOf(error)) answer.error = { ...errorFieldOf(error), status: numberOf(objectOf(error).status) };
  return answer;
}

function addFinalFields(answer, { references, grounding, explained }) {
  if (Array.isArray(references)) answer.references = referencesOf(references);
  answer.grounding = groundingOf(grounding) ?? answer.grounding;
  answer.explained = explainedOf(explained) ?? answer.explained;
}

/**
 * Keep the addresses of the annotations, which come one for each reference, in order. With `server.public_url`, they lead to
 * a page that shows the passage in its document, also if the reference itself has no address.
 */
function addLinks(answer, annotations) {
  if (!Array.isArray(annotations)) return;
  annotations.slice(0, answer.references.length).forEach((annotation, index) => {
    const url = textOf(objectOf(annotation?.url_citation).url);
    if (/^https?:/.test(url)) answer.links[answer.references[index].number] = url;
  });
}

/** Return the text of a response of the Responses API. */
function outputText(output) {
  const parts = objectsOf(output).flatMap((item) => objectsOf(item.content));
  return textOf(parts.find((part) => part.type === "output_text")?.text);
}

/**
 * Return the claims of an answer in order: {start, end, supports: [{reference, span}], unsupported, partly, conflict}.
 * `start` and `end` are offsets of the JavaScript string `answer.text`.
 */
export function claimsOf(answer) {
  const unit = toUnits(answer.text);
  const claims = new Map();
  const claimAt = (start, end) => {
    const key = `${start}-${end}`;
    if (!claims.has(key))
      claims.set(key, {
        start: unit(start),
        end: unit(end),
        supports: [],
        unsupported: false,
        partly: false,
        conflict: null,
      });
    return claims.get(key);
  };
  for (const reference of answer.references) {
    for (const span of reference.spans) {
      if (!span.choice) claimAt(span.start, span.end).supports.push({ reference, span });
    }
  }
  for (const { choice, start, end } of answer.grounding?.unsupported ?? []) {
    if (!choice) claimAt(start, end).unsupported = true;
  }
  for (const { choice, start, end, verdict, conflict } of answer.grounding?.verdicts ?? []) {
    if (choice) continue;
    if (conflict) claimAt(start, end).conflict = conflict;
    if (verdict === "partly") claimAt(start, end).partly = true;
  }
  return [...claims.values()].filter((claim) => claim.end > claim.start).sort((one, other) => one.start - other.start);
}

/** Return the name of a reference or of an evidence item that people recognize. */
export function nameOf({ title, file_name: fileName, url, id }) {
  return title || fileName || url || id || t("Source without a name");
}

/** Return where a passage is in its document, as a short text. */
export function locationOf(item) {
  const parts = [item.title && item.file_name ? item.file_name : null];
  if (Number.isInteger(item.page_number)) parts.push(t("page {number}", { number: item.page_number }));
  if (Number.isInteger(item.row)) parts.push(t("row {number}", { number: item.row }));
  else if (!Number.isInteger(item.page_number) && Number.isInteger(item.chunk_index))
    parts.push(t("excerpt {number}", { number: item.chunk_index + 1 }));
  return parts.filter(Boolean).join(" · ");
}
