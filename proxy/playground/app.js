// The playground: sends requests to the same endpoint as any other client and shows the response.

import { ask, buildRequest, getJson } from "./client.js";
import { byId, characters, el } from "./dom.js";
import * as evidence from "./evidence.js";
import { inspector, references, showPassage, wire } from "./details.js";
import { render } from "./markdown.js";
import { renderSnippets, snippets } from "./snippets.js";

/** The answer so far. */
let answer = { text: "", references: [], claims: [], evidence: [], grounding: null, done: false };
let running = null; // the AbortController of the current request
let drawScheduled = false;

const NARROW = matchMedia("(max-width: 54rem)"); // the answer is below the question, as in style.css

const key = () => byId("key").value.trim();

// Citation options that the page offers; each has an element with this id.
const OPTIONS = ["release", "unsupported", "scorer", "strictness"];

async function submit(event) {
  event?.preventDefault();
  running?.abort();
  const current = (running = new AbortController());
  answer = { text: "", references: [], claims: [], evidence: [], grounding: null, done: false };
  const body = buildRequest({
    model: byId("model").value.trim(), question: byId("question").value, evidence: evidence.nonEmpty(), source: byId("source").value,
    options: Object.fromEntries(OPTIONS.map((name) => [name, byId(name).value])),
  });
  const events = [];
  begin();
  try {
    for await (const one of ask(body, { key: key(), signal: current.signal })) {
      if (current !== running) return;
      events.push(one);
      addChunk(one.chunk);
    }
  } catch (error) {
    if (current !== running) return;
    if (error.name === "AbortError") byId("status").textContent = "stopped";
    else fail(error.message);
  }
  finish(body, events);
}

function addChunk(chunk) {
  if (!chunk) return;
  if (chunk.error) fail(chunk.error.message);
  const choice = chunk.choices?.[0];
  answer.text += choice?.delta?.content ?? "";
  if (chunk.references) {
    Object.assign(answer, { references: chunk.references, grounding: chunk.grounding });
    Object.assign(answer, { claims: chunk.explained?.claims ?? [], evidence: chunk.explained?.evidence ?? [] });
  }
  if (!drawScheduled) {
    drawScheduled = true;
    requestAnimationFrame(() => { drawScheduled = false; draw(); });
  }
}

function begin() {
  byId("error").hidden = byId("summary").hidden = byId("details").hidden = true;
  byId("status").textContent = "waiting …";
  byId("go").disabled = true;
  byId("stop").hidden = false;
  byId("answer").replaceChildren();
  byId("answer").setAttribute("aria-busy", "true");
  if (NARROW.matches) byId("result").scrollIntoView();
}

function finish(body, events) {
  byId("go").disabled = false;
  byId("stop").hidden = true;
  byId("answer").setAttribute("aria-busy", "false");
  if (byId("status").textContent.startsWith("waiting")) byId("status").textContent = "";
  answer.done = true;
  running = null;
  draw();
  summarise(events);
  byId("references").replaceChildren(references(answer.references, open));
  byId("inspector").replaceChildren(...[inspector(answer.claims, answer.evidence, textOf)].flat());
  byId("wire").replaceChildren(...wire(body, events));
  byId("code").replaceChildren(...renderSnippets(snippets(body, location.origin, Boolean(key()))));
  byId("details").hidden = events.length === 0;
}

function draw() {
  const fragment = render(answer.text, answer.claims, chip);
  for (const span of fragment.querySelectorAll(".claim")) {
    if (!supported(answer.claims[span.dataset.claim])) {
      span.classList.add("unsupported");
      span.title = "No evidence supports this claim.";
    }
  }
  byId("answer").replaceChildren(fragment);
}

function summarise(events) {
  const grounding = answer.grounding;
  if (!grounding) return;
  const first = events.find((one) => one.chunk?.choices?.[0]?.delta?.content);
  const parts = [`${grounding.supported} of ${grounding.claims} claims supported`];
  if (grounding.unsupported.length) parts.push(`${grounding.unsupported.length} unsupported, underlined`);
  if (grounding.rejected.length) parts.push(`${grounding.rejected.length} citations of the model removed`);
  if (grounding.degraded) parts.push("degraded: only the lexical scorer was used");
  if (first) parts.push(`first text after ${Math.round(first.at)} ms`);
  byId("summary").textContent = parts.join(" · ");
  byId("summary").hidden = false;
}

const supported = (claim) => claim.evidence.some((one) => one.cited);
const textOf = (claim) => characters(answer.text).slice(claim.start, claim.end).join("");

function chip(number) {
  const reference = answer.references.find((one) => one.number === number);
  if (answer.done && !reference) return `[${number}]`;
  const name = reference ? `Reference ${number}: ${reference.title || reference.file_name || reference.id}` : `Reference ${number}`;
  return el("button", { type: "button", class: "chip", "aria-label": name, "aria-haspopup": "dialog", "aria-expanded": "false",
    onclick: (event) => open(number, event.currentTarget) }, `${number}`);
}

function open(number, opener) {
  const reference = answer.references.find((one) => one.number === number);
  if (!reference) return; // the references have not arrived yet
  const before = opener?.closest("#answer") ? previousClaim(opener) : null;
  const about = reference.spans.filter((span) => !before || (span.start === before.start && span.end === before.end));
  const spans = about.length ? about : reference.spans;
  showPassage(reference, answer.evidence.find((one) => one.number === reference.evidence_number), spans, spans.map(textOf).join(" "), opener);
}

/** Return the claim before a chip. */
function previousClaim(button) {
  const claims = [...byId("answer").querySelectorAll(".claim")].filter((span) => span.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING);
  const last = claims.at(-1);
  return last ? answer.claims[last.dataset.claim] : null;
}

function fail(message) {
  byId("error").textContent = message;
  byId("error").hidden = false;
  byId("status").textContent = "";
}

// Tabs, see https://www.w3.org/WAI/ARIA/apg/patterns/tabs/

const tabs = [...document.querySelectorAll('[role="tab"]')];

function selectTab(tab) {
  for (const one of tabs) {
    one.setAttribute("aria-selected", `${one === tab}`);
    one.tabIndex = one === tab ? 0 : -1;
    byId(one.getAttribute("aria-controls")).hidden = one !== tab;
  }
  tab.focus();
}

tabs.forEach((tab, index) => {
  tab.addEventListener("click", () => selectTab(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (step !== undefined) selectTab(tabs[(step + tabs.length) % tabs.length]);
  });
});

// A click on a sentence shows the decision in the inspector.
byId("answer").addEventListener("click", (event) => {
  const span = event.target.closest(".claim");
  if (!span || event.target.closest("a, button") || !answer.done) return;
  selectTab(byId("tab-inspector"));
  const details = byId(`claim-${span.dataset.claim}`);
  details.open = true;
  details.querySelector("summary").focus();
});

// Files from the button, or dropped anywhere on the page.

async function addFiles(files) {
  const rejected = await evidence.addFiles(files);
  if (rejected.length) fail(`These files are not text or larger than 5 MB: ${rejected.join(", ")}. Use \`citestream index\` for them.`);
}

byId("files").addEventListener("change", async (event) => { await addFiles(event.target.files); event.target.value = ""; });
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.toggle("dropping", kind === "dragover");
    if (kind === "drop") addFiles(event.dataTransfer.files);
  });
}

byId("ask").addEventListener("submit", submit);
byId("stop").addEventListener("click", () => running?.abort());
byId("close").addEventListener("click", () => byId("passage").close());
byId("question").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("ask").requestSubmit();
});
byId("example").addEventListener("click", () => {
  byId("source").value = "";
  byId("question").value = evidence.EXAMPLE_QUESTION;
  evidence.replace(...evidence.EXAMPLE.map((item) => ({ ...item })));
});
byId("paste").addEventListener("click", () => {
  evidence.add({ text: "", file_name: undefined });
  byId("excerpts").lastElementChild.querySelector("textarea").focus();
});
byId("source").addEventListener("change", () => { byId("given").hidden = byId("source").value !== ""; });
byId("release").addEventListener("change", () => {
  const live = byId("release").value === "live";
  if (live && byId("unsupported").value === "drop") byId("unsupported").value = "flag";
  byId("unsupported").querySelector('[value="drop"]').disabled = live;
});

// Theme: the preference of the system, until the user chooses one.

function updateThemeButton() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const dark = (document.documentElement.dataset.theme ?? system) === "dark";
  byId("theme").setAttribute("aria-pressed", `${dark}`);
  return dark;
}

byId("theme").addEventListener("click", () => {
  const next = updateThemeButton() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("theme", next);
  updateThemeButton();
});
updateThemeButton();

// Settings and models of the server. With client keys they require a key.

byId("key").value = sessionStorage.getItem("key") ?? "";
byId("key").addEventListener("change", () => { sessionStorage.setItem("key", key()); load(); });

async function load() {
  try {
    const [settings, models] = await Promise.all([getJson("v1/playground", key()), getJson("v1/models", key())]);
    byId("models").replaceChildren(...models.data.map((model) => el("option", { value: model.id })));
    byId("model").value ||= models.data[0]?.id ?? "";
    byId("scorer").replaceChildren(...settings.scorers.map((name) => el("option", { value: name }, name)));
    for (const name of OPTIONS) byId(name).value = settings.citations[name];
    byId("source").replaceChildren(byId("source").options[0], ...settings.sources.map((name) => el("option", { value: name }, `The index “${name}”`)));
    byId("source").value = settings.default_source;
    byId("source").dispatchEvent(new Event("change"));
    byId("source-row").hidden = settings.sources.length === 0;
    byId("error").hidden = true;
  } catch (error) {
    fail(error.message);
    if (!key()) document.querySelector("form details").open = true;
  }
}

load();
