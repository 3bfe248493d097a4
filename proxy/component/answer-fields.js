// The fields of answers, with the types of citestream.d.ts. A server, a proxy or a page may send anything: a value of another
// type becomes the empty value of its field, and an entry of a list that is no object is left out.

const MOST_NUMBER = 1e15; // larger numbers are not exact

/** Return a text, or another value if it is none. */
export const textOf = (value, otherwise = "") => (typeof value === "string" ? value : otherwise);

/** Return the objects in a list. */
export const objectsOf = (value) => (Array.isArray(value) ? value.filter(isObject) : []);

/** Return an object, or an empty one. */
export const objectOf = (value) => (isObject(value) ? value : {});

/** Return a number that is not negative; also one that is written as a string. */
export function numberOf(value, otherwise = 0) {
  const number = typeof value === "string" && value.trim() ? Number(value) : value;
  return typeof number === "number" && number >= 0 && number <= MOST_NUMBER ? number : otherwise;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const wholeOf = (value, otherwise = 0) =>
  Number.isInteger(numberOf(value, otherwise)) ? numberOf(value, otherwise) : otherwise;
const shareOf = (value) => Math.min(1, numberOf(value));
const nullable = (value) => textOf(value, null);

/** Return the references of an answer. The first with a number counts. */
export function referencesOf(value) {
  const found = new Map();
  for (const one of objectsOf(value)) {
    const reference = referenceOf(one);
    if (reference.number > 0 && !found.has(reference.number)) found.set(reference.number, reference);
  }
  return [...found.values()];
}

function referenceOf(one) {
  return {
    ...one,
    ...describedOf(one),
    number: wholeOf(one.number),
    evidence_number: wholeOf(one.evidence_number),
    document_id: nullable(one.document_id),
    score: numberOf(one.score, null),
    chunk_type: textOf(one.chunk_type),
    is_generated_artifact: one.is_generated_artifact === true,
    artifact_kind: nullable(one.artifact_kind),
    label: textOf(one.label),
    support: shareOf(one.support),
    snippet: textOf(one.snippet),
    snippet_start: wholeOf(one.snippet_start),
    snippet_end: wholeOf(one.snippet_end),
    link: nullable(one.link),
    spans: objectsOf(one.spans).map(spanOf),
  };
}

/** Return the fields that name a document and a place in it. */
function describedOf(one) {
  return {
    id: textOf(one.id),
    title: nullable(one.title),
    file_name: nullable(one.file_name),
    url: nullable(one.url),
    page_number: wholeOf(one.page_number, null),
    row: wholeOf(one.row, null),
    chunk_index: wholeOf(one.chunk_index, null),
  };
}

function spanOf(one) {
  return {
    ...one,
    ...rangeOf(one),
    support: shareOf(one.support),
    status: textOf(one.status),
    quote: textOf(one.quote),
    quote_start: wholeOf(one.quote_start),
    quote_end: wholeOf(one.quote_end),
    link: nullable(one.link),
  };
}

const rangeOf = ({ choice, start, end }) => ({ choice: wholeOf(choice), start: wholeOf(start), end: wholeOf(end) });

/** Return the report about the claims, or null. */
export function groundingOf(value) {
  if (!isObject(value)) return null;
  const rejected = objectsOf(value.rejected);
  return {
    ...value,
    claims: wholeOf(value.claims),
    supported: wholeOf(value.supported),
    supported_share: value.supported_share == null ? null : shareOf(value.supported_share),
    abstained: Array.isArray(value.abstained) ? value.abstained.filter(Number.isInteger) : [],
    unsupported: objectsOf(value.unsupported).map((one) => ({ ...one, ...rangeOf(one) })),
    rejected: rejected.map((one) => ({
      ...one,
      choice: wholeOf(one.choice),
      number: wholeOf(one.number),
      reason: textOf(one.reason, "no reason given"),
    })),
    verdicts: objectsOf(value.verdicts).map((one) => ({
      ...one,
      ...rangeOf(one),
      verdict: textOf(one.verdict),
      conflict: conflictOf(one.conflict),
    })),
    quotations: objectsOf(value.quotations).map((one) => ({
      ...one,
      ...rangeOf(one),
      status: textOf(one.status),
      changes: objectsOf(one.changes).map((change) => ({ quoted: textOf(change.quoted), evidence: textOf(change.evidence) })),
    })),
    degraded: value.degraded === true,
  };
}

/** Return the passage that says otherwise, or null. */
function conflictOf(value) {
  if (!isObject(value)) return null;
  return {
    ...value,
    evidence_number: wholeOf(value.evidence_number),
    quote: textOf(value.quote),
    quote_start: wholeOf(value.quote_start),
    quote_end: wholeOf(value.quote_end),
    detail: textOf(value.detail),
  };
}

/** Return the decision for each claim and the evidence, or null. */
export function explainedOf(value) {
  if (!isObject(value)) return null;
  return {
    ...value,
    claims: objectsOf(value.claims).map((one) => ({
      ...one,
      ...rangeOf(one),
      evidence: objectsOf(one.evidence).map(decisionOf),
    })),
    evidence: objectsOf(value.evidence).map((one) => ({
      ...one,
      ...describedOf(one),
      number: wholeOf(one.number),
      text: textOf(one.text),
      is_generated_artifact: one.is_generated_artifact === true,
      label: textOf(one.label),
    })),
  };
}

function decisionOf(one) {
  const scores = Object.entries(objectOf(one.features)).filter(([, score]) => Number.isFinite(score));
  return {
    ...one,
    evidence_number: wholeOf(one.evidence_number),
    cited: one.cited === true,
    hinted: one.hinted === true,
    decided: textOf(one.decided),
    support: shareOf(one.support),
    threshold: numberOf(one.threshold),
    features: Object.fromEntries(scores),
    gate: isObject(one.gate) ? { ...one.gate, detail: textOf(one.gate.detail) } : null,
  };
}

/** Return an error, or null. */
export function errorFieldOf(value) {
  if (value === null || value === undefined || value === false) return null;
  const { message, code } = objectOf(value);
  return { message: textOf(message) || textOf(value) || "The server reported an error.", code: nullable(code) };
}
