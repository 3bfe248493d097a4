// The choices of the user: model, source and the options of citations. This browser keeps them, except the access key.

import { el } from "../component/dom.js";
import { t } from "../component/text.js";
import { getJson } from "./client.js";
import * as documents from "./documents.js";
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

let loading = load();

/** Wait until the settings and models of the server are known. */
export const loaded = () => loading;

async function load() {
  try {
    const [settings, models] = await Promise.all([getJson("v1/playground", key()), getJson("v1/models", key())]);
    documents.setLimits(settings);
    const names = models.data.map(({ id }) => el("option", { value: id }, id));
    byId("model").replaceChildren(...(names.length ? names : [el("option", { value: "" }, t("no model listed"))]));
    byId("scorer").replaceChildren(...settings.scorers.map((name) => el("option", { value: name }, name)));
    for (const name of CITATIONS) byId(name).value = settings.citations[name];
    byId("judge-label").hidden = !settings.judge;
    byId("judge").options[0].textContent = settings.judge;
    byId("judge").value = String(settings.citations.judge);
    byId("source").replaceChildren(
      el("option", { value: DOCUMENTS }, t("My documents")),
      ...settings.sources.map((name) => el("option", { value: name }, name)),
      el("option", { value: NONE }, t("No documents")),
    );
    byId("source").value = documents.isEmpty() ? settings.default_source : DOCUMENTS; // added before the answer came
    restore();
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
