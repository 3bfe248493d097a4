// The inspector: the decision for each claim, the raw stream with times, and the request as programs.

import { nameOf } from "../component/answer-state.js";
import { el } from "../component/dom.js";
import { toUnits } from "../component/offsets.js";
import { byId, openDialog } from "./page.js";
import { renderSnippets, snippets } from "./snippets.js";

const MAX_ROWS = 1000; // more rows make the page slow

/** Open the inspector for a turn: {body, events, answer}. `claim` is opened if it is given: {start, end} of a JavaScript string. */
export function showInspector({ body, events, answer }, needsKey, claim = null) {
  const { claims = [], evidence = [] } = answer.explained ?? {};
  byId("claims").replaceChildren(...claimList(claims, evidence, answer.text));
  byId("wire").replaceChildren(...wire(body, events));
  byId("code").replaceChildren(...renderSnippets(snippets(body, location.origin, needsKey)));
  selectTab(byId("tab-claims"));
  openDialog("inspector");
  const unit = toUnits(answer.text);
  const said = claim && answer.text.slice(claim.start, claim.end);
  const index = claim ? claims.findIndex((one) => answer.text.slice(unit(one.start), unit(one.end)) === said) : -1;
  const entry = byId("claims").querySelectorAll("details.decision")[index];
  if (entry) {
    entry.open = true;
    entry.querySelector("summary").focus();
  }
}

function claimList(claims, evidence, text) {
  if (!claims.length) return [el("p", {}, "The answer contains no claim that was compared with evidence.")];
  const unit = toUnits(text);
  const names = new Map(evidence.map((item) => [item.number, nameOf(item)]));
  return [
    el(
      "p",
      { class: "hint" },
      "The evidence of each claim, best first. “Support” is a calibrated probability. Evidence is cited if its support reaches the threshold and no gate refuses it.",
    ),
    ...claims.slice(0, MAX_ROWS).map((claim) => {
      const cited = claim.evidence.some((one) => one.cited);
      const decision = el(
        "details",
        { class: "decision" },
        el(
          "summary",
          {},
          el("span", { class: cited ? "good" : "bad" }, cited ? "supported: " : "unsupported: "),
          el("span", { dir: "auto" }, text.slice(unit(claim.start), unit(claim.end)) || "(dropped)"),
        ),
      );
      // All tables of a long answer would have a million rows
      decision.addEventListener("toggle", () => decision.append(table(claim, names)), { once: true });
      return decision;
    }),
    ...more(claims.length),
  ];
}

const more = (count) => (count > MAX_ROWS ? [el("p", { class: "hint" }, `… and ${count - MAX_ROWS} more`)] : []);

function table(claim, names) {
  const nearest = [...claim.evidence].sort((a, b) => b.cited - a.cited || b.hinted - a.hinted || b.support - a.support);
  return el(
    "table",
    { tabindex: 0 },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        ["Evidence", "Decision", "Support", "Threshold", "Scores"].map((name) => el("th", { scope: "col" }, name)),
      ),
    ),
    el(
      "tbody",
      {},
      nearest.map((one) =>
        el(
          "tr",
          {},
          el(
            "th",
            { scope: "row" },
            `${one.evidence_number} `,
            el("bdi", {}, names.get(one.evidence_number) ?? ""),
            one.hinted ? " (cited by the model)" : null,
          ),
          el(
            "td",
            { class: one.cited ? "good" : one.decided.startsWith("refused") ? "bad" : null },
            one.decided,
            gate(one),
          ),
          el("td", {}, one.support.toFixed(3)),
          el("td", {}, one.threshold.toFixed(2)),
          el(
            "td",
            { class: "features" },
            mainScores(one.features),
            el("details", {}, el("summary", {}, "all scores"), scores(Object.entries(one.features))),
          ),
        ),
      ),
    ),
  );
}

/** Return a hint about a gate that refuses evidence whose support is already too low. */
const gate = (one) =>
  one.gate && !one.decided.startsWith("refused") ? el("div", { class: "hint" }, `gate: ${one.gate.detail}`) : null;

// The most informative features of each scorer, by column name.
const MAIN_SCORES = {
  words: ["cover_3", "token"],
  meaning: ["near_1", "cosine"],
  reading: ["entailed"],
  numbers: ["numbers_window"],
  "names missing": ["names_missing"],
};

function mainScores(features) {
  const found = Object.entries(MAIN_SCORES).map(([name, keys]) => [
    name,
    keys.map((one) => features[one]).find((value) => value !== undefined),
  ]);
  return scores(found.filter(([, value]) => value !== undefined));
}

const scores = (pairs) => pairs.map(([name, value]) => `${name} ${Number(value).toFixed(2)}`).join(" · ");

/** Return the raw request and the events of the response with their times. */
function wire(body, events) {
  const rows = events
    .slice(0, MAX_ROWS)
    .map(({ at, raw }) => el("tr", {}, el("td", {}, `${at.toFixed(1)} ms`), el("td", {}, raw)));
  return [
    el("h3", {}, "Request"),
    el("pre", { class: "raw", tabindex: 0 }, `POST /v1/chat/completions\n\n${JSON.stringify(body, null, 2)}`),
    el("h3", {}, "Answer"),
    el("p", { class: "hint" }, timing(events)),
    events.length ? null : el("p", { class: "hint" }, "The stream is not kept. Select Regenerate to see a new one."),
    el(
      "table",
      { class: "wire" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "after"), el("th", { scope: "col" }, "event"))),
      el("tbody", {}, rows),
    ),
    ...more(events.length),
  ].filter(Boolean);
}

/** Return when the first text arrived; empty without text. */
function timing(events) {
  const first = events.find((one) => one.chunk?.choices?.[0]?.delta?.content);
  return first ? `First text after ${first.at < 1000 ? `${Math.round(first.at)} ms` : `${(first.at / 1000).toFixed(1)} s`}` : "";
}

// Tabs, see https://www.w3.org/WAI/ARIA/apg/patterns/tabs/

const tabs = [...document.querySelectorAll('[role="tab"]')];

function selectTab(tab) {
  for (const one of tabs) {
    one.setAttribute("aria-selected", `${one === tab}`);
    one.tabIndex = one === tab ? 0 : -1;
    byId(one.getAttribute("aria-controls")).hidden = one !== tab;
  }
}

tabs.forEach((tab, index) => {
  tab.addEventListener("click", () => selectTab(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (step === undefined) return;
    const next = tabs[(step + tabs.length) % tabs.length];
    selectTab(next);
    next.focus();
  });
});
