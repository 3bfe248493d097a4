// The page: a conversation about documents. It sends requests to the same endpoint as any other client.

import { buildRequest, getJson } from "./client.js";
import { el } from "../component/dom.js";
import * as documents from "./documents.js";
import { EXAMPLE, EXAMPLE_QUESTION } from "./example.js";
import { byId, notice, openDialog } from "./page.js";
import { sourceCount, Turn } from "./turn.js";

const OPTIONS = ["release", "unsupported", "scorer", "strictness"]; // citation options; each has an element with this id

/** Return the options of citations that the user has chosen. */
const chosenOptions = () => ({
  ...Object.fromEntries(OPTIONS.map((name) => [name, byId(name).value])),
  judge: byId("judge").value === "true",
});
// Values of the source menu besides the names of retrievers
const DOCUMENTS = "";
const NONE = "\0";
const NARROW = matchMedia("(max-width: 64rem)"); // the source panel is a sheet, as in style.css

const turns = [];
let isWaiting = false; // a question was asked before the documents were read
const key = () => byId("key").value.trim();
const actions = {
  sources: (turn) => {
    follow(turn);
    turn.view.select(null);
    document.body.classList.add("panel-open");
    byId("close-panel").focus();
  },
  inspect: async (turn) => {
    const { showInspector } = await import("./inspector.js"); // most users do not need it
    showInspector(turn, Boolean(key()), turn.view.selected);
  },
  regenerate: (turn) => run(turn),
  options: () => openOptions("key"),
};

function ask(event) {
  event?.preventDefault();
  const question = byId("question").value.trim();
  if (!question || turns.at(-1)?.running) return;
  isWaiting = documents.isReading();
  if (isWaiting) return notice("The documents are still being read. The question is sent when they are ready.", "status");
  byId("question").value = "";
  resize();
  const turn = new Turn(question, actions);
  turns.push(turn);
  byId("thread").append(turn.element);
  run(turn);
  turn.element.scrollIntoView({
    block: "start",
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
  });
}

/** Ask the question of a turn, or ask it again. Later turns have been answered with the old answer, so only the last is offered. */
async function run(turn) {
  notice("");
  begin();
  await loaded; // the models of the server
  const earlier = turns
    .slice(0, turns.indexOf(turn))
    .filter((one) => one.answer.text)
    .map((one) => ({ question: one.question, answer: one.answer.text }));
  const chosen = byId("source").value;
  const { chosen: sent, total } =
    chosen === DOCUMENTS
      ? documents.evidenceFor([earlier.at(-1)?.question, turn.question].filter(Boolean).join(" "))
      : { chosen: [], total: 0 };
  const source = chosen === NONE ? "" : chosen;
  const body = buildRequest({
    model: model(),
    question: turn.question,
    earlier,
    source,
    evidence: sent.map(({ entry }) => entry),
    options: chosenOptions(),
  });
  follow(turn);
  await turn.run(body, sent, { key: key(), context: { source, sent: sent.length, total } });
  if (turns.at(-1) === turn) end(turn);
}

function begin() {
  documents.collapse();
  byId("welcome").hidden = true;
  byId("new").hidden = false;
  document.body.classList.remove("empty");
  byId("go").hidden = true;
  byId("stop").hidden = false;
  byId("status").textContent = "The answer is being written.";
  for (const one of turns) one.element.classList.toggle("last", one === turns.at(-1));
}

function end({ answer }) {
  const hadFocus = document.activeElement === byId("stop");
  byId("go").hidden = false;
  byId("stop").hidden = true;
  if (hadFocus) byId("question").focus();
  const { grounding, error, stopped, references } = answer;
  byId("status").textContent = error
    ? ""
    : stopped
      ? "Stopped."
      : `The answer is complete, with ${sourceCount(references)}${grounding?.claims ? `; ${grounding.supported} of ${grounding.claims} claims are supported` : ""}.`;
}

/** Let the source panel follow the answer of a turn. */
function follow(turn) {
  if (byId("sources").answer !== turn.view) byId("sources").answer = turn.view;
}

document.addEventListener("citestream-select", (event) => {
  const turn = turns.find((one) => one.view === event.target);
  if (!turn) return;
  for (const other of turns) if (other !== turn) other.view.select(null);
  if (event.detail.claim) follow(turn);
});

const model = () => byId("other-model").value.trim() || byId("model").value || "extractive";

function closePanel() {
  document.body.classList.remove("panel-open");
}

byId("close-panel").addEventListener("click", closePanel);
byId("panel").addEventListener("keydown", (event) => {
  if (event.key === "Escape") closePanel();
});
NARROW.addEventListener("change", closePanel);

// Questions.

function resize() {
  const field = byId("question");
  field.rows = Math.min(8, Math.max(1, field.value.split("\n").length, Math.ceil(field.value.length / 70)));
}

byId("ask").addEventListener("submit", ask);
byId("stop").addEventListener("click", () => turns.at(-1)?.stop());
byId("question").addEventListener("input", resize);
byId("question").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  byId("ask").requestSubmit();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]"))
    turns.at(-1)?.stop();
});
byId("new").addEventListener("click", () => {
  turns.forEach((turn) => turn.stop());
  turns.length = 0;
  byId("thread").replaceChildren();
  byId("sources").answer = null;
  byId("welcome").hidden = false;
  byId("new").hidden = true;
  document.body.classList.add("empty");
  end({ answer: { references: [], stopped: true } });
  byId("question").focus();
});

// Documents: chosen, dropped anywhere on the page, pasted, or the example.

async function addFiles(files) {
  notice("");
  byId("source").value = DOCUMENTS;
  const complete = await documents.addFiles(files, key());
  const asked = isWaiting && complete;
  isWaiting = false;
  if (asked) ask();
}

for (const id of ["add-files", "welcome-files"]) byId(id).addEventListener("click", () => byId("files").click());
byId("files").addEventListener("change", async (event) => {
  await addFiles(event.target.files);
  event.target.value = "";
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.toggle("dropping", kind === "dragover");
    if (kind === "drop") addFiles(event.dataTransfer.files);
  });
}
for (const id of ["paste", "welcome-paste"]) byId(id).addEventListener("click", () => openDialog("paste-text"));
byId("paste-text")
  .querySelector("form")
  .addEventListener("submit", () => {
    const name = byId("paste-name").value.trim() || "pasted text";
    addFiles([new File([byId("paste-body").value], /\.(md|txt|html?|csv|json)$/i.test(name) ? name : `${name}.txt`)]);
    byId("paste-text").querySelector("form").reset();
  });
byId("example").addEventListener("click", () => {
  documents.clear();
  for (const name of new Set(EXAMPLE.map((item) => item.file_name)))
    documents.addEntries(
      name,
      EXAMPLE.filter((item) => item.file_name === name),
    );
  byId("source").value = DOCUMENTS;
  byId("question").value = EXAMPLE_QUESTION;
  resize();
  byId("question").focus();
});

// Options and theme.

function openOptions(id) {
  openDialog("options");
  byId(id ?? "release").focus();
}

byId("open-options").addEventListener("click", () => openOptions());
byId("release").addEventListener("change", () => {
  const live = byId("release").value === "live";
  if (live && byId("unsupported").value === "drop") byId("unsupported").value = "flag";
  byId("unsupported").querySelector('[value="drop"]').disabled = live;
});

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
byId("key").addEventListener("change", () => {
  sessionStorage.setItem("key", key());
  loaded = load();
});

let loaded = load();

async function load() {
  try {
    const [settings, models] = await Promise.all([getJson("v1/playground", key()), getJson("v1/models", key())]);
    documents.setLimits(settings);
    const names = models.data.map(({ id }) => el("option", { value: id }, id));
    byId("model").replaceChildren(...(names.length ? names : [el("option", { value: "" }, "no model listed")]));
    byId("scorer").replaceChildren(...settings.scorers.map((name) => el("option", { value: name }, name)));
    for (const name of OPTIONS) byId(name).value = settings.citations[name];
    byId("judge-label").hidden = !settings.judge;
    byId("judge").options[0].textContent = settings.judge;
    byId("judge").value = String(settings.citations.judge);
    byId("source").replaceChildren(
      el("option", { value: DOCUMENTS }, "My documents"),
      ...settings.sources.map((name) => el("option", { value: name }, name)),
      el("option", { value: NONE }, "No documents"),
    );
    byId("source").value = documents.isEmpty() ? settings.default_source : DOCUMENTS; // added before the answer came
    notice(names.length ? "" : "The providers list no models. Enter the name of a model in Options.");
  } catch (error) {
    notice(
      error.status === 401
        ? "This server requires a client key. Enter it in Options."
        : error.status
          ? error.message
          : "The server cannot be reached. Check that it is running, and reload this page.",
    );
  }
}
