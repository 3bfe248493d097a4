// The chats that this browser keeps. A chat has a record for the list, {id, title, renamed, changed, text, documents: ids},
// and its contents, {id, turns, source}. Documents have records of their own, because several chats can use the same.

import * as database from "./database.js";

const MAX_TITLE = 80; // characters of the first question
const MAX_TEXT = 50_000; // characters of a chat that the search reads

let chats = [];

/** Read the list of chats. Throw an error if the browser keeps nothing, as in some private windows. */
export async function load() {
  chats = await database.readAll("chats");
}

/** Return the chats whose questions and answers have all words of a query, the latest first. */
export function find(query = "") {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return chats
    .filter(({ title, text }) => words.every((word) => `${title}\n${text}`.toLowerCase().includes(word)))
    .sort((one, other) => other.changed - one.changed);
}

export const byChatId = (id) => chats.find((one) => one.id === id) ?? null;

/** Return a chat that is complete: {chat, turns, source, documents}, or null. */
export async function read(id) {
  const contents = byChatId(id) && (await database.read("contents", id));
  if (!contents) return null;
  const chat = byChatId(id);
  const documents = await Promise.all(chat.documents.map((one) => database.read("documents", one)));
  return { ...contents, chat, documents: documents.filter(Boolean) };
}

/** Write a chat. `turns`: as `Conversation.saved` returns them. `texts`: its questions and answers, for the search. */
export async function save(id, { turns, source, documents, texts }) {
  const before = byChatId(id);
  const title = (texts[0] ?? documents[0]?.name ?? "").replace(/\s+/g, " ").trim().slice(0, MAX_TITLE);
  const chat = {
    id,
    title: before?.renamed ? before.title : title,
    renamed: before?.renamed ?? false,
    changed: Date.now(),
    text: texts.join("\n").slice(0, MAX_TEXT),
    documents: documents.map((one) => one.id),
  };
  chats = [...chats.filter((one) => one.id !== id), chat];
  const stored = new Set(await database.ids("documents"));
  for (const one of documents) if (!stored.has(one.id)) await database.write("documents", one);
  await database.write("contents", { id, turns, source });
  await database.write("chats", chat);
}

export async function rename(id, title) {
  const chat = byChatId(id);
  Object.assign(chat, { title, renamed: true });
  await database.write("chats", chat);
}

/** Delete a chat. Return a function that restores it. Its documents stay until the page is loaded again. */
export async function remove(id) {
  const chat = byChatId(id);
  const contents = await database.read("contents", id);
  chats = chats.filter((one) => one.id !== id);
  await database.remove("chats", id);
  await database.remove("contents", id);
  return async () => {
    chats.push(chat);
    if (contents) await database.write("contents", contents);
    await database.write("chats", chat);
  };
}

/** Remove the documents that no chat uses. */
export async function removeUnusedDocuments() {
  const used = new Set(chats.flatMap((one) => one.documents));
  for (const id of await database.ids("documents")) if (!used.has(id)) await database.remove("documents", id);
}
