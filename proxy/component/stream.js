// Read event streams: the server-sent events of a response, or any iterable of chunks.

import { errorFieldOf } from "./answer-fields.js";

/**
 * Yield the events of a response or of a stream of bytes: {raw: text of the event, chunk: its JSON, or null}.
 * Comments, `[DONE]` and data that is not JSON have no chunk. https://html.spec.whatwg.org/#event-stream-interpretation
 */
export async function* readEvents(source) {
  const body = source.body ?? source;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const events = (buffer + (value ?? "")).replaceAll("\r\n", "\n").split("\n\n");
      buffer = done ? "" : events.pop();
      for (const raw of events) {
        if (raw.trim()) yield { raw, chunk: chunkOf(raw) };
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {}); // closes the connection if the consumer stops early
  }
}

function chunkOf(raw) {
  const data = raw
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trimStart())
    .join("\n");
  if (!data || data === "[DONE]") return null;
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

/** Yield the chunks of a Response, a stream of bytes, or an (async) iterable of chunks such as the stream of an SDK. Throw a StreamError. */
export async function* readChunks(source) {
  if (source instanceof Response) {
    if (!source.ok) throw await StreamError.from(source);
    if (!source.headers.get("content-type")?.startsWith("text/event-stream")) {
      yield { complete: await source.json() };
      return;
    }
  }
  if (source instanceof Response || source instanceof ReadableStream) {
    for await (const { chunk } of readEvents(source)) {
      if (chunk) yield chunk;
    }
    return;
  }
  yield* source;
}

/** An error that the server returned instead of an answer. */
export class StreamError extends Error {
  /** `status`: the HTTP status. `code`: the code of the error object, or null. */
  constructor(message, { status = 0, code = null, retryAfter = null } = {}) {
    super(message);
    Object.assign(this, { name: "StreamError", status, code, retryAfter });
  }

  /** Return the error of a response whose status is not 2xx. */
  static async from(response) {
    const details = { status: response.status, retryAfter: response.headers.get("retry-after") };
    try {
      const { error } = await response.json();
      const { message, code } = errorFieldOf(error) ?? {};
      if (message) return new StreamError(message, { ...details, code });
      return new StreamError(`The server returned the status ${response.status}.`, details);
    } catch {
      return new StreamError(`The server returned the status ${response.status}.`, details);
    }
  }
}
