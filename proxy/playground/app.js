// The page: conversations about documents. It sends requests to the same endpoint as any other client.

import { plural, t } from "../component/text.js";
import "./appearance.js";
import * as chatList from "./chat-list.js";
import * as chats from "./chats.js";
import { buildRequest } from "./client.js";
import * as composer from "./composer.js";
import { Conversation } from "./conversation.js";
import { newId } from "./database.js";
import * as documents from "./documents.js";
import * as exporting from "./export.js";
import { ready } from "./language.js";
import * as options from "./options.js";
import { byId, notice } from "./page.js";
import { sourceCount } from "./turn.js";
import * as welcome from "./welcome.js";

const NARROW = matchMedia("(max-width: 64rem)"); // the source panel is a sheet, as in style.css
const SAVE_MS = 1000; // while an answer is written; the last state is saved at its end

let chatId = null; // null: nothing to keep yet
let isWaiting = false; // a question was asked before the documents were read
let keeps = true; // whether the browser keeps chats

const conversation = new Conversation(
  byId("thread"),
  { request, started, ended, shown, changed: saveSoon },
  {
    sources: (turn) => {
      follow(turn);
      turn.view.select(null);
      document.body.classList.add("panel-open");
      byId("close-panel").focus();
    },
    inspect: async (turn) => {
      const { showInspector } = await import("./inspector.js"); // most users do not need it
      showInspector(turn, Boolean(options.key()), turn.view.selected);
    },
    options: () => options.open("key"),
  },
);

function ask(event) {
  event?.preventDefault();
  send(byId("question").value.trim());
}

function send(question) {
  if (!question || conversation.running) return;
  isWaiting = documents.isReading();
  if (isWaiting)
    return notice(t("The documents are still being read. The question is sent when they are ready."), "status");
  byId("question").value = "";
  composer.resize();
  conversation.ask(question).element.scrollIntoView({
    block: "start",
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
  });
}

/** Return the request for the question of a turn. */
async function request(turn, earlier) {
  await options.loaded(); // the models of the server
  const chosen = options.source();
  const { chosen: sent, total } =
    chosen === options.DOCUMENTS
      ? documents.evidenceFor([earlier.at(-1)?.question, turn.question].filter(Boolean).join(" "))
      : { chosen: [], total: 0 };
  const body = buildRequest({
    model: options.model(),
    question: turn.question,
    earlier,
    source: chosen ?? "",
    evidence: sent.map(({ entry }) => entry),
    options: options.citations(),
  });
  const context = { source: chosen ?? "", name: options.sourceName(chosen), sent: sent.length, total };
  return { body, sent, options: { key: options.key(), context } };
}

function started(turn) {
  notice("");
  documents.collapse();
  shown();
  byId("go").hidden = true;
  byId("stop").hidden = false;
  byId("status").textContent = t("The answer is being written.");
  follow(turn);
  save();
}

function ended({ answer }) {
  const hadFocus = document.activeElement === byId("stop");
  byId("go").hidden = false;
  byId("stop").hidden = true;
  if (hadFocus) byId("question").focus();
  byId("status").textContent = statusOf(answer);
  save();
  suggestFollowUps();
}

function suggestFollowUps() {
  if (conversation.last?.version.answer) welcome.followUp(conversation.last, conversation.turns.map((one) => one.question));
}

function statusOf({ grounding, error, stopped, references }) {
  if (error) return "";
  if (stopped) return t("Stopped.");
  const complete = t("The answer is complete, with {sources}.", { sources: sourceCount(references) });
  if (!grounding?.claims) return complete;
  const { claims, supported } = grounding;
  const claimCount = plural(claims, "{supported} of {count} claim supported", "{supported} of {count} claims supported", { supported });
  return `${complete} ${claimCount}.`;
}

/** Show the welcome text if there is no turn. */
function shown() {
  const isEmpty = !conversation.turns.length;
  byId("welcome").hidden = !isEmpty;
  byId("new").hidden = byId("open-export").hidden = isEmpty;
  document.body.classList.toggle("empty", isEmpty);
  const followed = conversation.turns.some((one) => one.view === byId("sources").answer);
  if (!followed) byId("sources").answer = conversation.last?.view ?? null;
  if (!conversation.running) suggestFollowUps();
}

/** Let the source panel follow the answer of a turn. */
function follow(turn) {
  if (byId("sources").answer !== turn.view) byId("sources").answer = turn.view;
}

document.addEventListener("citestream-select", (event) => {
  const turn = conversation.turns.find((one) => one.view === event.target);
  if (!turn) return;
  for (const other of conversation.turns) if (other !== turn) other.view.select(null);
  if (event.detail.claim) follow(turn);
});

function closePanel() {
  document.body.classList.remove("panel-open");
}

byId("close-panel").addEventListener("click", closePanel);
byId("panel").addEventListener("keydown", (event) => {
  if (event.key === "Escape") closePanel();
});
NARROW.addEventListener("change", closePanel);

byId("ask").addEventListener("submit", ask);
byId("stop").addEventListener("click", () => conversation.stop());
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") conversation.stop();
  if (event.key === "/" && !event.target.closest("input, textarea, select")) {
    event.preventDefault();
    byId("question").focus();
  }
});

// Documents.

async function addFiles(files) {
  if (!files.length) return;
  notice("");
  options.setSource(options.DOCUMENTS);
  const adding = documents.addFiles(files, options.key());
  byId("question").focus();
  await adding;
  saveSoon();
  if (isWaiting && !documents.isReading()) {
    isWaiting = false;
    notice("");
    ask();
  }
}

welcome.start(send);
composer.start({
  addFiles,
  showedExample: () => {
    options.setSource(options.DOCUMENTS);
    saveSoon();
  },
});
byId("documents").addEventListener("removed", saveSoon);

// Chats: the one of the address is shown, and saved while it grows.

let saving = Promise.resolve();
let timer = 0;

function saveSoon() {
  clearTimeout(timer);
  timer = setTimeout(save, conversation.running ? SAVE_MS : 0);
}

/** Save the chat, after an earlier save. */
function save() {
  clearTimeout(timer);
  if (!keeps || !(conversation.turns.length || !documents.isEmpty() || chatId)) return saving;
  if (!chatId) {
    chatId = newId();
    history.replaceState(null, "", chatList.linkTo(chatId));
  }
  const record = {
    turns: conversation.saved(),
    source: options.source(),
    documents: documents.saved(),
    texts: conversation.texts(),
  };
  saving = saving
    .then(() => chats.save(chatId, record))
    .then(() => chatList.select(chatId), stopKeeping);
  return saving;
}

function stopKeeping(error) {
  keeps = error?.name === "QuotaExceededError";
  options.loaded().then(() => chatList.reportFailure(error)); // after the messages about the server
}

async function openChat() {
  const id = /^#chat=(\w+)$/.exec(location.hash)?.[1] ?? null;
  if (id && id === chatId) return;
  if (chatId) await save();
  const found = id && (await chats.read(id));
  chatId = found ? id : null;
  if (found) {
    documents.show(found.documents);
    await options.loaded();
    options.setSource(found.source);
  }
  conversation.show(found?.turns ?? []);
  chatList.select(chatId);
  byId("go").hidden = false;
  byId("stop").hidden = true;
  scrollTo(0, found ? document.body.scrollHeight : 0);
  if (!found) byId("question").focus();
}

/** Begin a chat. It keeps the documents of the one before. */
async function newChat() {
  conversation.stop();
  await save();
  chatId = null;
  conversation.show([]);
  history.pushState(null, "", location.pathname);
  await openChat();
}

byId("new").addEventListener("click", newChat);
addEventListener("hashchange", openChat);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && keeps) chatList.reload().catch(stopKeeping);
});

chatList.start({
  deleted: (id) => {
    if (id !== chatId) return;
    chatId = null;
    conversation.show([]);
    documents.clear();
    history.replaceState(null, "", location.pathname);
  },
  restored: (id) => {
    location.hash = chatList.linkTo(id);
  },
});

async function startChats() {
  await ready;
  try {
    await chats.load();
    await chats.removeUnusedDocuments();
    if (location.hash) await openChat();
    else chatList.show();
  } catch (error) {
    stopKeeping(error);
  }
}

startChats();

// Export.

const titleOf = () => chats.byChatId(chatId)?.title || t("Conversation");
const exportAs = {
  "export-markdown": () =>
    exporting.download(titleOf(), ".md", "text/markdown", exporting.toMarkdown(titleOf(), conversation.turns)),
  "export-html": () => exporting.download(titleOf(), ".html", "text/html", exporting.toHtml(titleOf(), conversation.turns)),
  "export-print": () => print(),
};
for (const [id, action] of Object.entries(exportAs)) {
  byId(id).addEventListener("click", () => {
    byId("export").hidePopover();
    action();
  });
}
addEventListener("beforeprint", () => exporting.addSourcesForPrint(conversation.turns));
addEventListener("afterprint", exporting.removeSourcesForPrint);
