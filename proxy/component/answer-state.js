// The state of one answer: a reducer over the chunks of a stream, and the claims that follow from the references.

import { toUnits } from "./offsets.js";

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
  if (!chunk || typeof chunk !== "object") return;
  if (chunk.error) answer.error = { message: chunk.error.message ?? `${chunk.error}`, code: chunk.error.code ?? null };
  if (chunk.model) answer.model = chunk.model;
  const choice = chunk.choices?.find((one) => one.index === 0);
  answer.text += choice?.delta?.content ?? "";
  if (chunk.type === "response.output_text.delta") answer.text += chunk.delta;
  addFinalFields(answer, chunk.response ?? chunk);
  addLinks(answer, choice?.delta?.annotations);
}

/** Return a finished answer from a complete response: of a chat completion, of `POST /v1/cite`, or {text, references, grounding}. */
export function finishedAnswer(response) {
  const answer = { ...emptyAnswer(), done: true };
  answer.text = response.text ?? response.choices?.[0]?.message?.content ?? outputText(response) ?? "";
  answer.model = response.model ?? null;
  addFinalFields(answer, response);
  addLinks(answer, response.annotations ?? response.choices?.[0]?.message?.annotations);
  return answer;
}

function addFinalFields(answer, source) {
  for (const name of ["references", "grounding", "explained"]) {
    if (source[name]) answer[name] = source[name];
  }
}

/**
 * Keep the addresses of the annotations, which come one for each reference, in order. With `server.public_url`, they lead to
 * a page that shows the passage in its document, also if the reference itself has no address.
 */
function addLinks(answer, annotations) {
  (annotations ?? []).forEach((annotation, index) => {
    const url = annotation?.url_citation?.url,
      reference = answer.references[index];
    if (reference && /^https?:/.test(url ?? "")) answer.links[reference.number] = url;
  });
}

/** Return the text of a response of the Responses API. */
function outputText(response) {
  const parts = response.output?.flatMap((item) => item.content ?? []);
  return parts?.find((part) => part.type === "output_text")?.text;
}

/**
 * Return the claims of an answer in order: {start, end, supports: [{reference, span}], unsupported}.
 * `start` and `end` are offsets of the JavaScript string `answer.text`.
 */
export function claimsOf(answer) {
  const unit = toUnits(answer.text);
  const claims = new Map();
  const claimAt = (start, end) => {
    const key = `${start}-${end}`;
    if (!claims.has(key)) claims.set(key, { start: unit(start), end: unit(end), supports: [], unsupported: false });
    return claims.get(key);
  };
  for (const reference of answer.references) {
    for (const span of reference.spans ?? []) {
      if (!span.choice) claimAt(span.start, span.end).supports.push({ reference, span });
    }
  }
  for (const { choice, start, end } of answer.grounding?.unsupported ?? []) {
    if (!choice) claimAt(start, end).unsupported = true;
  }
  return [...claims.values()].filter((claim) => claim.end > claim.start).sort((one, other) => one.start - other.start);
}

/** Return the name of a reference or of an evidence item that people recognize. */
export const nameOf = (item) => item.title || item.file_name || item.url || item.id;

/** Return where a passage is in its document, as a short text. */
export function locationOf(item) {
  const parts = [item.title && item.file_name ? item.file_name : null];
  if (item.page_number !== null && item.page_number !== undefined) parts.push(`page ${item.page_number}`);
  else if (item.chunk_index !== null && item.chunk_index !== undefined) parts.push(`excerpt ${item.chunk_index + 1}`);
  return parts.filter(Boolean).join(" · ");
}
