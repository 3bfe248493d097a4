// The choices of the user: model, source and the options of citations. This browser keeps them, except the access key.

import { el } from "../component/dom.js";
import { t } from "../component/text.js";
import { getJson, getSource } from "./client.js";
import * as documents from "./documents.js";
import { ready } from "./language.js";
import { byId, notice, openDialog } from "./page.js";

const CITATIONS = ["release", "unsupported", "scorer", "strictness"]; // options of citations; each has an element with this id
const KEPT = [...CITATIONS, "judge", "model", "other-model"];
const STORAGE_KEY = "choices";
// Values of the source menu besides the names of retrievers
export const DOCUMENTS = "";
const NONE = "\0";

export const key = () => byId("key").value.trim();
export const model = () => byId("other-model").value.trim() || byId("model").value || "extractive";

/** Return the options of citations that the user has chosen. */
export const citations = () => ({
  ...Object.fromEntries(CITATIONS.map((name) => [name, byId(name).value])),
  judge: byId("judge").value === "true",
});

/** Return the chosen source: the name of a retriever, DOCUMENTS for those of the page, or null for none. */
export function source() {
  const { value } = byId("source");
  return value === NONE ? null : value;
}

/** Choose a source, if there is such a one. */
export function setSource(value) {
  choose(byId("source"), value ?? NONE);
}

/** Return the name of a source for the user. */
export const sourceName = (value) => [...byId("source").options].find((one) => one.value === value)?.textContent ?? value;

export function open(id = "release") {
  openDialog("options");
  byId(id).focus();
}

/** Choose the entry of a menu, if it has one with this value. Return whether it has. */
function choose(menu, value) {
  if (![...(menu.options ?? [])].some((one) => one.value === value)) return false;
  menu.value = value;
  return true;
}

function kept() {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY)) ?? {};
  } catch {
    return {};
  }
}

for (const id of KEPT) {
  byId(id).addEventListener("change", ({ target }) => {
    localStorage.setItem(STORAGE_KEY, JSON.stringify({ ...kept(), [id]: target.value }));
  });
}

function restore() {
  const values = kept();
  for (const id of KEPT) {
    if (typeof values[id] !== "string") continue;
    if (byId(id).options) choose(byId(id), values[id]);
    else byId(id).value = values[id];
  }
  limitUnsupported();
}

function limitUnsupported() {
  const live = byId("release").value === "live";
  if (live && byId("unsupported").value === "drop") byId("unsupported").value = "flag";
  byId("unsupported").querySelector('[value="drop"]').disabled = live;
}

byId("release").addEventListener("change", limitUnsupported);
byId("open-options").addEventListener("click", () => open());

// Settings and models of the server. With client keys they require a key.

byId("key").value = sessionStorage.getItem("key") ?? "";
byId("key").addEventListener("change", () => {
  sessionStorage.setItem("key", key());
  loading = load();
});

const MOST_DESCRIBED = 8; // sources whose names and sizes are asked for
const QUOTES_ONLY = "extractive"; // the provider without a language model
let facts = new Map(); // facts about the sources of the server, by their names
let server = { models: [], missingKeys: {} };
let loading = load();

/** Return the facts about a source of the server, {title, files, excerpts}, or null. */
export const factsOf = (name) => facts.get(name) ?? null;

/** Return the models of the server: {models: names of language models, missingKeys: variables by vendor}. */
export const serverModels = () => server;

/** Wait until the settings and models of the server are known. */
export const loaded = () => loading;

async function load() {
  await ready;
  try {
    const [settings, models] = await Promise.all([getJson("v1/playground", key()), getJson("v1/models", key())]);
    documents.setLimits(settings);
    facts = await describe(settings.sources);
    const names = models.data.map(({ id }) => id);
    server = { models: names.filter((name) => name !== QUOTES_ONLY), missingKeys: settings.missing_keys };
    showModels(names);
    byId("scorer").replaceChildren(...settings.scorers.map((name) => el("option", { value: name }, scorerName(name))));
    for (const name of CITATIONS) byId(name).value = settings.citations[name];
    byId("judge-label").hidden = !settings.judge;
    byId("judge").options[0].textContent = settings.judge;
    byId("judge").value = String(settings.citations.judge);
    byId("source").replaceChildren(
      el("option", { value: DOCUMENTS }, t("My documents")),
      ...settings.sources.map((name) => el("option", { value: name }, factsOf(name)?.title ?? name)),
      el("option", { value: NONE }, t("No documents")),
    );
    byId("source").value = documents.isEmpty() ? settings.default_source : DOCUMENTS; // added before the answer came
    restore();
    document.dispatchEvent(new Event("loaded"));
    notice(names.length ? "" : t("The providers list no models. Enter the name of a model in Options."));
  } catch (error) {
    notice(
      error.status === 401
        ? t("This server requires an access key. Enter it in Options.")
        : error.status
          ? error.message
          : t("The server cannot be reached. Check that it is running, and reload this page."),
    );
  }
}

/** Return the facts about the first sources, as a map. A source that cannot be described has its name. */
async function describe(names) {
  const described = names.slice(0, MOST_DESCRIBED).map(async (name) => {
    try {
      return [name, await getSource(name, key())];
    } catch {
      return [name, { title: name, files: null, excerpts: [] }];
    }
  });
  return new Map(await Promise.all(described));
}

/** Fill the menu of models. Vendors that lack a key follow, with the variable to set. */
function showModels(names) {
  const options = names.map((name) => el("option", { value: name }, name === QUOTES_ONLY ? t("Quotes only (no model)") : name));
  const missing = Object.entries(server.missingKeys).map(([vendor, variable]) =>
    el("option", { disabled: true, value: `\0${vendor}` }, t("{vendor}: set {variable}", { vendor: vendorName(vendor), variable })),
  );
  byId("model").replaceChildren(
    ...(options.length ? options : [el("option", { value: "" }, t("no model listed"))]),
    ...(missing.length ? [el("optgroup", { label: t("Needs a key") }, missing)] : []),
  );
}

const VENDORS = { openai: "OpenAI", gemini: "Gemini", anthropic: "Anthropic" };
export const vendorName = (vendor) => VENDORS[vendor] ?? vendor;

function scorerName(name) {
  if (name === "lexical") return t("by their words");
  if (name === "hybrid") return t("by their words and their meaning");
  return name === "checker" ? t("by a checking model") : name;
}
