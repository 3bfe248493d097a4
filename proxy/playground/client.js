// Requests to the server: chat completions, documents to read, and the choices that the server offers.

import { StreamError } from "../component/citestream.js";

const EARLIER_TURNS = 10; // maximum sent with a follow-up question; more would crowd out the evidence

const bearer = (key) => (key ? { Authorization: `Bearer ${key}` } : {});

/** Build the body of a chat completion, like any client of the OpenAI API. `earlier`: [{question, answer}]. */
export function buildRequest({ model, question, earlier, evidence, source, options }) {
  const history = earlier.slice(-EARLIER_TURNS).flatMap((turn) => [
    { role: "user", content: turn.question },
    { role: "assistant", content: turn.answer.replace(/\s*\[\d{1,3}\]/g, "") }, // the numbers belong to earlier evidence
  ]);
  const body = {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [...history, { role: "user", content: question }],
  };
  if (source) body.retrieval = { source };
  else if (evidence.length) body.evidence = evidence;
  else body.retrieval = false; // do not use the default retriever of the server
  body.citations = { ...options, references_when: "first_use", explain: true }; // cards open, and a stopped answer has sources
  return body;
}

/** Send a chat completion. Return the Response. */
export function post(body, { key, signal }) {
  return fetch("v1/chat/completions", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...bearer(key) },
    body: JSON.stringify(body),
    signal,
  });
}

/** Let the server read a file. Return its excerpts, or throw an error with the reason. */
export async function readFile(file, key) {
  const response = await fetch(`v1/evidence/read?file_name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream", ...bearer(key) },
    body: file,
  });
  if (!response.ok) throw await StreamError.from(response);
  return (await response.json()).evidence;
}

/** Return a whole document of an indexed folder: {file_name, evidence, total, has_file}, or throw an error. */
export function getDocument(source, { document_id, id }, key) {
  return postJson("v1/evidence/document", { source, document_id, excerpt: id }, key).then((response) => response.json());
}

/** Return the original PDF file of a document of an indexed folder, or throw an error. */
export async function getFile(source, document_id, key) {
  return (await postJson("v1/evidence/file", { source, document_id }, key)).blob();
}

/** Return facts about a source of the server: {title, files, excerpts}, or throw an error. */
export function getSource(source, key) {
  return postJson("v1/playground/source", { source }, key).then((response) => response.json());
}

async function postJson(path, body, key) {
  const headers = { "Content-Type": "application/json", ...bearer(key) };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw await StreamError.from(response);
  return response;
}

export async function getJson(path, key) {
  const response = await fetch(path, { headers: bearer(key) });
  if (!response.ok) throw await StreamError.from(response);
  return response.json();
}
