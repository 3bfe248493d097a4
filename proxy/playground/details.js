// Details of an answer: the passage of a reference, the list of references, the inspector and the raw stream.

import { byId, characters, el } from "./dom.js";

/** Show a reference in its evidence, with a passage marked: that of the best supported of `spans`, the selected sentences. `sentence` is their text. */
export function showPassage(reference, evidence, spans, sentence, opener) {
  const best = spans.reduce((one, other) => (other.support > one.support ? other : one));
  const letters = characters(evidence?.text ?? best.quote);
  const [from, to] = evidence ? [best.quote_start, best.quote_end] : [0, letters.length];
  const words = new Set((sentence ?? "").toLowerCase().match(/[\p{L}\p{N}]+/gu)?.filter((word) => word.length > 2 || /\d/.test(word)));
  const mark = el("mark", {}, ...emphasize(letters.slice(from, to).join(""), words));
  const text = el("div", { class: "text", dir: "auto", tabindex: 0, role: "group", "aria-label": "The evidence, with the supporting passage marked" },
    letters.slice(0, from).join(""), mark, letters.slice(to).join(""));
  byId("passage-title").textContent = `[${reference.number}] ${nameOf(reference)}`;
  byId("passage-body").replaceChildren(label(reference), facts(reference, spans), text);
  const dialog = byId("passage");
  opener?.setAttribute("aria-expanded", "true");
  dialog.addEventListener("close", () => opener?.setAttribute("aria-expanded", "false"), { once: true });
  dialog.showModal();
  mark.scrollIntoView({ block: "center" });
}

function emphasize(passage, words) {
  return passage.split(/([\p{L}\p{N}]+)/u).map((piece) => (words.has(piece.toLowerCase()) ? el("b", {}, piece) : piece));
}

function facts(reference, spans) {
  const statuses = [...new Set(spans.map((span) => STATUS[span.status]))].join("; ");
  const rows = [["File", reference.file_name], ["Title", reference.title], ["Page", reference.page_number], ["Excerpt", reference.chunk_index],
    ["Address", reference.url], ["Support", Math.max(...spans.map((span) => span.support)).toFixed(2)], ["Status", statuses], ["Retrieval score", reference.score]];
  return el("dl", {}, ...rows.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, `${value}`)]));
}

const STATUS = { verified: "verified: the model cited it and the backend agrees", added: "added: the backend found it" };

const label = (item) => el("span", { class: item.is_generated_artifact ? "label generated" : "label" }, item.label);

export const nameOf = (item) => item.title || item.file_name || item.url || item.id;

const where = (item) => [item.file_name, item.page_number && `page ${item.page_number}`, item.chunk_index !== null && `excerpt ${item.chunk_index}`]
  .filter(Boolean).join(", ");

/** Return the list of references. */
export function references(list, open) {
  if (!list.length) return el("p", {}, "There are no citations: no evidence supports the answer.");
  return el("ol", { class: "cards" }, ...list.map((reference) => el("li", {},
    el("div", { class: "row" },
      el("button", { type: "button", class: "chip", "aria-label": `Open reference ${reference.number}`, onclick: (event) => open(reference.number, event.currentTarget) }, `${reference.number}`),
      el("strong", { class: "grow" }, nameOf(reference)), label(reference)),
    el("div", { class: "where" }, `${where(reference)} · support ${reference.support.toFixed(2)} · ${reference.spans.length} sentence${reference.spans.length === 1 ? "" : "s"}`),
    el("blockquote", { dir: "auto" }, reference.snippet))));
}

/** Return a table for each claim: the scores, gates and decision for each piece of evidence. */
export function inspector(claims, evidence, textOf) {
  if (!claims.length) return el("p", {}, "The answer contains no claim.");
  const names = new Map(evidence.map((item) => [item.number, nameOf(item)]));
  return [el("p", { class: "hint" }, "The evidence of each claim, best first. “Support” is a calibrated probability. Evidence is cited if its support reaches the threshold and no gate refuses it."),
    ...claims.map((claim, index) => {
      const cited = claim.evidence.some((one) => one.cited);
      return el("details", { class: "claim", id: `claim-${index}` },
        el("summary", {}, el("span", { class: cited ? "good" : "bad" }, cited ? "supported: " : "unsupported: "), el("span", { dir: "auto" }, textOf(claim) || "(dropped)")),
        table(claim, names));
    })];
}

function table(claim, names) {
  const nearest = [...claim.evidence].sort((a, b) => b.cited - a.cited || b.hinted - a.hinted || b.support - a.support);
  return el("table", { tabindex: 0 },
    el("thead", {}, el("tr", {}, ...["Evidence", "Support", "Threshold", "Decision", "Scores"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...nearest.map((one) => el("tr", {},
      el("th", { scope: "row" }, `${one.evidence_number} ${names.get(one.evidence_number) ?? ""}${one.hinted ? " (cited by the model)" : ""}`),
      el("td", {}, one.support.toFixed(3)), el("td", {}, one.bar.toFixed(2)),
      el("td", { class: one.cited ? "good" : one.decided.startsWith("refused") ? "bad" : null }, one.decided, gate(one)),
      el("td", { class: "features" }, mainScores(one.features), el("details", {}, el("summary", {}, "all scores"), scores(Object.entries(one.features))))))));
}

/** Return a hint about a gate that refuses evidence whose support is already too low. */
const gate = (one) => (one.gate && !one.decided.startsWith("refused") ? el("div", { class: "hint" }, `gate: ${one.gate.detail}`) : null);

// The most informative features of each scorer, by column name.
const MAIN_SCORES = { words: ["cover_3", "token"], meaning: ["near_1", "cosine"], reading: ["entailed"], numbers: ["numbers_window"], "names missing": ["names_missing"] };

function mainScores(features) {
  const found = Object.entries(MAIN_SCORES).map(([name, keys]) => [name, keys.map((one) => features[one]).find((value) => value !== undefined)]);
  return scores(found.filter(([, value]) => value !== undefined));
}

const scores = (pairs) => pairs.map(([name, value]) => `${name} ${Number(value).toFixed(2)}`).join(" · ");

const MAX_ROWS = 1000; // more rows make the page slow

/** Return the raw request and the events of the response with their times. */
export function wire(body, events) {
  const rows = events.slice(0, MAX_ROWS).map(({ at, raw }) => el("tr", {}, el("td", {}, `${at.toFixed(1)} ms`), el("td", {}, raw)));
  return [el("h3", {}, "Request"), el("pre", { class: "raw", tabindex: 0 }, `POST /v1/chat/completions\n\n${JSON.stringify(body, null, 2)}`),
    el("h3", {}, "Answer"),
    el("table", { class: "wire" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "after"), el("th", { scope: "col" }, "event"))), el("tbody", {}, ...rows)),
    events.length > MAX_ROWS ? el("p", { class: "hint" }, `… and ${events.length - MAX_ROWS} more`) : null].filter(Boolean);
}
