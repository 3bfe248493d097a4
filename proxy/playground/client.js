// The client: builds requests and reads the event stream.

/** Build the body of a chat completion, like any client of the OpenAI API. */
export function buildRequest({ model, question, evidence, source, options }) {
  const body = { model, stream: true, stream_options: { include_usage: true }, messages: [{ role: "user", content: question }] };
  if (source) body.retrieval = { source };
  else if (evidence.length) body.evidence = evidence;
  else body.retrieval = false; // do not use the default retriever of the server
  body.citations = { ...options, explain: true };
  return body;
}

/**
 * Send a request and yield each event: {at: ms since the request, raw: its text, chunk: its JSON, or null}.
 * Throw an Error with the message of the server if it returns an error.
 */
export async function* ask(body, { key, signal }) {
  const began = performance.now();
  const headers = { "Content-Type": "application/json", ...(key ? { Authorization: `Bearer ${key}` } : {}) };
  const response = await fetch("v1/chat/completions", { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!response.ok) throw new Error(await errorMessage(response));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
    const at = performance.now() - began;
    const events = (buffer + (value ?? "")).split("\n\n");
    buffer = done ? "" : events.pop();
    for (const raw of events.filter(Boolean)) yield { at, raw, chunk: parsed(raw) };
    if (done) return;
  }
}

export async function getJson(path, key) {
  const response = await fetch(path, { headers: key ? { Authorization: `Bearer ${key}` } : {} });
  if (!response.ok) throw new Error(await errorMessage(response));
  return response.json();
}

function parsed(raw) {
  if (!raw.startsWith("data: ") || raw === "data: [DONE]") return null;
  return JSON.parse(raw.slice(6));
}

async function errorMessage(response) {
  try {
    return (await response.json()).error.message;
  } catch {
    return `The server returned ${response.status}.`;
  }
}
