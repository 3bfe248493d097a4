// The notes below an answer: an error, the number of supported claims, the rejected citations of the model, and the references.

import { el } from "./dom.js";
import { longList } from "./long-list.js";
import { toUnits } from "./offsets.js";
import { referenceList } from "./sources.js";
import { plural, t } from "./text.js";

/** Return why a citation of the model was removed, as the end of a sentence; null for an unknown reason. See `grounding.rejected`. */
function reasonText(reason) {
  switch (reason) {
    case "unknown_number":
      return t("there is no passage with this number");
    case "no_support":
      return t("the passage does not support the sentence");
    case "number_mismatch":
      return t("the passage gives a different number or date");
    case "negation":
      return t("the passage says the opposite");
    case "modality":
      return t("the passage is less certain than the sentence");
    case "quantifier":
      return t("the passage speaks of a different quantity");
    case "direction":
      return t("the passage gives the opposite direction");
    case "role":
      return t("the passage gives the roles the other way round");
    case "binding":
      return t("the passage says this of something else");
    case "framing":
      return t("the passage only reports or supposes it");
    case "unit":
      return t("the passage gives a different unit");
    case "unknown_name":
      return t("the passage does not contain this name");
    case "judge":
      return t("the judge model found no support");
    default:
      return null;
  }
}

/** Return the notes of a complete `<citestream-answer>`. */
export function answerNotes(element) {
  const { done, error, grounding, references, stopped } = element.answer;
  if (!done) return [];
  const summary = element.getAttribute("summary") === "none" ? [] : groundingSummary(element, grounding);
  const note = (text, part) => (text ? el("p", { class: "note", part }, text) : null);
  return [
    stopped ? note(references.length ? t("Stopped.") : t("Stopped before a source was cited.")) : null,
    error ? el("p", { class: "error", part: "error", role: "alert" }, error.message) : null,
    summary.length ? el("p", { class: "note", part: "summary" }, summary) : null,
    rejectedList(rejections(grounding)),
    quotationList(element.answer),
    references.length && element.getAttribute("references") !== "none" ? referenceList(element) : null,
  ].filter(Boolean);
}

function rejectedList(texts) {
  if (!texts.length) return null;
  const title = plural(texts.length, "{count} citation of the model removed", "{count} citations of the model removed");
  const entries = longList("ul", {}, texts, (text) => text);
  return el("details", { class: "note", part: "rejected" }, el("summary", {}, title), entries);
}

/** Return a sentence about a quotation by its status in `grounding.quotations`; null for an exact one. */
function quotationText(status, quotation) {
  switch (status) {
    case "altered":
      return t("{quotation} is not word for word in the sources.", { quotation });
    case "stitched":
      return t("{quotation} is put together from several passages.", { quotation });
    case "misattributed":
      return t("{quotation} is in another source than the one cited.", { quotation });
    case "absent":
      return t("{quotation} is not in the sources.", { quotation });
    default:
      return null;
  }
}

/** Return the quotations that the sources do not have, or have elsewhere; null if there are none. */
function quotationList({ grounding, text }) {
  const unit = toUnits(text);
  const doubtful = (grounding?.quotations ?? []).filter(({ choice, status }) => !choice && quotationText(status, ""));
  if (!doubtful.length) return null;
  const title = plural(doubtful.length, "{count} quotation to check", "{count} quotations to check");
  const entries = longList("ul", {}, doubtful, (one) => {
    const quoted = (words) => t("“{words}”", { words });
    const quotation = quoted(text.slice(unit(one.start), unit(one.end)));
    const changes = one.changes.map((change) =>
      t("{quoted} for {source}", { quoted: quoted(change.quoted || "…"), source: quoted(change.evidence || "…") }),
    );
    return one.status === "altered" && changes.length
      ? t("{quotation} is not word for word in the sources: {changes}.", { quotation, changes: changes.join(", ") })
      : quotationText(one.status, quotation);
  });
  return el("details", { class: "note", part: "quotations" }, el("summary", {}, title), entries);
}

/** Return the sentences that explain rejected citations of the model. */
function rejections(grounding) {
  return (grounding?.rejected ?? [])
    .filter(({ choice }) => !choice)
    .map(({ number, reason }) =>
      t("Passage {number}: {reason}.", { number, reason: reasonText(reason) ?? reason.replaceAll("_", " ") }),
    );
}

/** Return a short summary of the grounding report: texts, and a button that leads to a contradiction. Empty without claims. */
function groundingSummary(element, grounding) {
  if (!grounding?.claims) return [];
  const { claims, supported, verdicts, unsupported } = grounding;
  const contradicted = verdicts.filter(({ conflict }) => conflict).length;
  const withoutSource = Math.max(0, unsupported.length - contradicted);
  const partly = verdicts.filter(({ verdict }) => verdict === "partly").length;
  const parts = [
    plural(claims, "{supported} of {count} claim supported", "{supported} of {count} claims supported", { supported }),
  ];
  if (partly) parts.push(plural(partly, "{count} of them in part", "{count} of them in part"));
  if (contradicted) {
    const label = plural(contradicted, "{count} contradicted by a source", "{count} contradicted by a source");
    const properties = { type: "button", class: "contradictions", onclick: () => element.showContradiction() };
    parts.push(element.claims.some((one) => one.conflict) ? el("button", properties, label) : label);
  }
  if (withoutSource) parts.push(plural(withoutSource, "{count} without a source", "{count} without a source"));
  if (grounding.degraded) parts.push(t("checked by words only, because the check did not end in time"));
  return parts.flatMap((part, index) => (index ? [" · ", part] : [part]));
}
