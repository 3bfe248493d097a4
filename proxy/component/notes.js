// The notes below an answer: an error, the number of supported claims, the rejected citations of the model, and the references.

import { el } from "./dom.js";
import { longList } from "./long-list.js";
import { toUnits } from "./offsets.js";
import { referenceList } from "./sources.js";

// The reasons in `grounding.rejected`, as the end of a sentence about a citation of the model.
const REASONS = {
  unknown_number: "there is no passage with this number",
  no_support: "the passage does not support the sentence",
  number_mismatch: "the passage gives a different number or date",
  negation: "the passage says the opposite",
  modality: "the passage is less certain than the sentence",
  quantifier: "the passage speaks of a different quantity",
  direction: "the passage gives the opposite direction",
  role: "the passage gives the roles the other way round",
  binding: "the passage says this of something else",
  framing: "the passage only reports or supposes it",
  unit: "the passage gives a different unit",
  unknown_name: "the passage does not contain this name",
  judge: "the judge model found no support",
};

/** Return the notes of a complete `<citestream-answer>`. */
export function answerNotes(element) {
  const { done, error, grounding, references, stopped } = element.answer;
  if (!done) return [];
  const summary = element.getAttribute("summary") === "none" ? "" : groundingSummary(grounding);
  const note = (text, part) => (text ? el("p", { class: "note", part }, text) : null);
  return [
    stopped ? note(references.length ? "Stopped." : "Stopped before a source was cited.") : null,
    error ? el("p", { class: "error", part: "error", role: "alert" }, error.message) : null,
    note(summary, "summary"),
    rejectedList(rejections(grounding)),
    quotationList(element.answer),
    references.length && element.getAttribute("references") !== "none" ? referenceList(element) : null,
  ].filter(Boolean);
}

function rejectedList(texts) {
  if (!texts.length) return null;
  const title = `${texts.length} ${texts.length === 1 ? "citation" : "citations"} of the model removed`;
  const entries = longList("ul", {}, texts, (text) => text);
  return el("details", { class: "note", part: "rejected" }, el("summary", {}, title), entries);
}

// The status of a quotation in `grounding.quotations`, as the end of a sentence. An exact one needs no remark.
const QUOTATIONS = {
  altered: "is not word for word in the sources",
  stitched: "is put together from several passages",
  misattributed: "is in another source than the one cited",
  absent: "is not in the sources",
};

/** Return the quotations that the sources do not have, or have elsewhere; null if there are none. */
function quotationList({ grounding, text }) {
  const unit = toUnits(text);
  const doubtful = (grounding?.quotations ?? []).filter(({ choice, status }) => !choice && Object.hasOwn(QUOTATIONS, status));
  if (!doubtful.length) return null;
  const title = `${doubtful.length} ${doubtful.length === 1 ? "quotation" : "quotations"} to check`;
  const entries = longList("ul", {}, doubtful, (one) => {
    const changes = one.changes.map(({ quoted, evidence }) => `“${quoted || "…"}” for “${evidence || "…"}”`);
    const details = one.status === "altered" && changes.length ? `: ${changes.join(", ")}` : "";
    return `“${text.slice(unit(one.start), unit(one.end))}” ${QUOTATIONS[one.status]}${details}.`;
  });
  return el("details", { class: "note", part: "quotations" }, el("summary", {}, title), entries);
}

/** Return the sentences that explain rejected citations of the model. */
function rejections(grounding) {
  return (grounding?.rejected ?? [])
    .filter(({ choice }) => !choice)
    .map(
      ({ number, reason }) =>
        `Passage ${number}: ${(Object.hasOwn(REASONS, reason) && REASONS[reason]) || reason.replaceAll("_", " ")}.`,
    );
}

/** Return a short summary of the grounding report; empty without claims. */
function groundingSummary(grounding) {
  if (!grounding?.claims) return "";
  const { claims, supported, unsupported } = grounding;
  const parts = [`${supported} of ${claims} ${claims === 1 ? "claim" : "claims"} supported`];
  if (unsupported?.length) parts.push(`${unsupported.length} without a source, underlined`);
  if (grounding.degraded) parts.push("checked by words only, because the scorer did not answer in time");
  return parts.join(" · ");
}
