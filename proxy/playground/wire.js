// What goes over the wire: the request, the stream of events, and when each came.

/** The body of a chat completion, as any client of OpenAI's API would send it. */
export function requestOf({ model, question, evidence, source, options }) {
  const body = { model, stream: true, stream_options: { include_usage: true }, messages: [{ role: "user", content: question }] };
  if (source) body.retrieval = { source };
  else if (evidence.length) body.evidence = evidence;
  else body.retrieval = false; // not even from an index that the server would ask by itself
  body.citations = { ...options, explain: true };
  return body;
}

/**
 * Ask, and hand out each event: {at: ms since the request, raw: its text, chunk: parsed, or null}.
 * Throws an Error with the server's own words if it refuses.
 */
export async function* ask(body, { key, signal }) {
  const began = performance.now();
  const headers = { "Content-Type": "application/json", ...(key ? { Authorization: `Bearer ${key}` } : {}) };
  const answer = await fetch("v1/chat/completions", { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!answer.ok) throw new Error(await refusal(answer));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
    const at = performance.now() - began;
    const events = (held + (value ?? "")).split("\n\n");
    held = done ? "" : events.pop();
    for (const raw of events.filter(Boolean)) yield { at, raw, chunk: parsed(raw) };
    if (done) return;
  }
}

export async function getJson(path, key) {
  const answer = await fetch(path, { headers: key ? { Authorization: `Bearer ${key}` } : {} });
  if (!answer.ok) throw new Error(await refusal(answer));
  return answer.json();
}

function parsed(raw) {
  if (!raw.startsWith("data: ") || raw === "data: [DONE]") return null;
  return JSON.parse(raw.slice(6));
}

async function refusal(answer) {
  try {
    return (await answer.json()).error.message;
  } catch {
    return `The server answered ${answer.status}.`;
  }
}
