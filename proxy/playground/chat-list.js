// The list of chats: next to the conversation in a wide window, else in a drawer. Chats are links, so that each opens in any tab.

import { el } from "../component/dom.js";
import { t } from "../component/text.js";
import * as chats from "./chats.js";
import { byId, notice } from "./page.js";

const UNDO_MS = 10_000;
const WIDE = matchMedia("(min-width: 90rem)"); // as in style.css

let current = null; // the id of the shown chat
let actions = {};

/** Show the list. `actions`: {deleted(id), restored(id)} are called after the list has changed. */
export function start(handlers) {
  actions = handlers;
  byId("chat-search").addEventListener("input", show);
  WIDE.addEventListener("change", place);
  byId("open-chats").addEventListener("click", () => {
    byId("chats-drawer").showModal();
    byId("chat-search").focus();
  });
  byId("chat-list").addEventListener("click", (event) => {
    if (event.target.closest("a")) byId("chats-drawer").close();
  });
  place();
}

export const linkTo = (id) => `#chat=${id}`;

/** Mark a chat as the shown one, and update the list. */
export function select(id) {
  current = id;
  show();
}

function place() {
  byId("chats-drawer").close();
  byId(WIDE.matches ? "chats-side" : "chats-drawer").append(byId("chats"));
}

export function show() {
  const isShown = chats.find().length > 0 || byId("undo").hasChildNodes();
  const found = chats.find(byId("chat-search").value);
  document.body.classList.toggle("has-chats", isShown);
  byId("open-chats").hidden = !isShown;
  byId("chat-list").replaceChildren(...found.map(entry));
  byId("no-chats").hidden = found.length > 0 || !byId("chat-search").value;
}

function entry(chat) {
  const title = chat.title || t("Untitled chat");
  const button = (label, text, action) =>
    el("button", { type: "button", class: "quiet", "aria-label": label, title: label, onclick: action }, text);
  const item = el(
    "li",
    { "data-id": chat.id },
    el(
      "a",
      { href: linkTo(chat.id), "aria-current": chat.id === current ? "true" : null },
      el("span", { dir: "auto" }, title),
      el("span", { class: "hint" }, dateOf(chat.changed)),
    ),
    button(t("Rename {name}", { name: title }), "✎", () => rename(chat, item)),
    button(t("Delete {name}", { name: title }), "×", () => remove(chat, title)),
  );
  return item;
}

function dateOf(time) {
  const isToday = new Date(time).toDateString() === new Date().toDateString();
  const options = isToday ? { hour: "numeric", minute: "2-digit" } : { day: "numeric", month: "short" };
  return new Intl.DateTimeFormat(document.documentElement.lang, options).format(time);
}

function rename(chat, item) {
  const field = el("input", { "aria-label": t("Name of the chat"), dir: "auto", maxlength: 200 });
  field.value = chat.title;
  const end = async (keep) => {
    field.onblur = null;
    const name = field.value.trim();
    if (keep && name) await chats.rename(chat.id, name);
    show();
    byId("chat-list").querySelector(`[data-id="${chat.id}"] a`)?.focus();
  };
  field.onblur = () => end(true);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    end(event.key === "Enter");
  });
  item.replaceChildren(field);
  field.focus();
  field.select();
}

async function remove(chat, title) {
  const restore = await chats.remove(chat.id);
  const undo = el("button", { type: "button" }, t("Undo"));
  const end = () => {
    byId("undo").replaceChildren();
    show();
  };
  undo.addEventListener("click", async () => {
    await restore();
    end();
    actions.restored(chat.id);
  });
  byId("undo").replaceChildren(el("span", { dir: "auto" }, t("“{name}” is deleted.", { name: title })), undo);
  show();
  actions.deleted(chat.id);
  undo.focus();
  clearTimeout(remove.timer);
  remove.timer = setTimeout(end, UNDO_MS);
}

/** Read the list again: another tab may have changed it. */
export async function reload() {
  await chats.load();
  if (!byId("chat-list").querySelector("input")) show();
}

/** Say that this browser keeps no chats, or no longer. */
export function reportFailure(error) {
  notice(
    error?.name === "QuotaExceededError"
      ? t("The storage of this browser is full, so this chat is not kept. Delete chats or documents.")
      : t("This browser does not keep chats. They are lost when the page is closed."),
    "status",
  );
}
