/** The passage of a document that supports one sentence of an answer. Offsets count code points. */
export interface Span {
  choice: number;
  start: number;
  end: number;
  /** The parts of the sentence that this evidence supports; null if no other evidence supports the sentence. */
  covers?: [number, number][] | null;
  support: number;
  status: "verified" | "added";
  quote: string;
  quote_start: number;
  quote_end: number;
  /** Opens the quote in its document. */
  link: string | null;
}

export interface Reference {
  number: number;
  evidence_number: number;
  id: string;
  document_id: string | null;
  file_name: string | null;
  title: string | null;
  url: string | null;
  /** Opens the snippet in its document. */
  link: string | null;
  chunk_index: number | null;
  page_number: number | null;
  row: number | null;
  score: number | null;
  chunk_type: string;
  is_generated_artifact: boolean;
  artifact_kind: string | null;
  label: string;
  support: number;
  snippet: string;
  snippet_start: number;
  snippet_end: number;
  spans: Span[];
}

export interface Conflict {
  evidence_number: number;
  quote: string;
  quote_start: number;
  quote_end: number;
  detail: string;
}

export interface Grounding {
  claims: number;
  supported: number;
  /** `supported` divided by `claims`; null if there is no claim. */
  supported_share: number | null;
  /** The choices whose text is replaced by a message. */
  abstained: number[];
  unsupported: { choice: number; start: number; end: number }[];
  rejected: { choice: number; number: number; reason: string }[];
  /** One for each claim. `conflict` is the passage that says otherwise. */
  verdicts: { choice: number; start: number; end: number; verdict: string; evidence: number[]; conflict: Conflict | null }[];
  /** Text in quotation marks and block quotations. `status`: exact, altered, stitched, misattributed or absent. */
  quotations: {
    choice: number;
    start: number;
    end: number;
    status: string;
    evidence_number: number | null;
    changes: { start: number; end: number; quoted: string; evidence: string }[];
  }[];
  degraded: boolean;
}

export interface Answer {
  text: string;
  references: Reference[];
  /** The addresses of the annotations by the number of the reference: pages that show the passage in its document. */
  links: Record<number, string>;
  grounding: Grounding | null;
  /** The decision for each claim and the evidence, if the request asks for it with `"citations": {"explain": true}`. */
  explained: { claims: unknown[]; evidence: Record<string, unknown>[] } | null;
  model: string | null;
  done: boolean;
  /** The request was aborted. */
  stopped: boolean;
  error: { message: string; code: string | null; status?: number; retryAfter?: string | null } | null;
}

export interface Support {
  reference: Reference;
  span: Span;
}

/** A sentence with a claim. Offsets count UTF-16 code units: `answer.text.slice(start, end)`. */
export interface Claim {
  start: number;
  end: number;
  supports: Support[];
  unsupported: boolean;
  /** The supports state only a part of the sentence. */
  partly: boolean;
  conflict: Conflict | null;
}

/** A response of a chat completion, of the Responses API or of `POST /v1/cite`, or its text with its references. */
export type FinishedAnswer =
  { text: string; references?: Reference[]; grounding?: Grounding | null } | Record<string, unknown>;

/** The response of a streamed request, a stream of its bytes, or its chunks, such as the stream of the `openai` package. */
export type AnswerSource = Response | ReadableStream<Uint8Array> | AsyncIterable<unknown> | Iterable<unknown>;

export class CitestreamAnswer extends HTMLElement {
  readonly answer: Answer;
  readonly claims: Claim[];
  readonly selected: Claim | null;
  question: string;
  show(response: FinishedAnswer): void;
  stream(source: AnswerSource | Promise<AnswerSource>): Promise<Answer>;
  select(claim: Claim | null): void;
  textOf(claim: Claim): string;
  linkOf(reference: Reference): string | null;
  open(detail: Support & { link?: string | null }): boolean;
}

export class CitestreamSources extends HTMLElement {
  answer: CitestreamAnswer | null;
}

export class StreamError extends Error {
  status: number;
  code: string | null;
  retryAfter: string | null;
}

/** Translate the texts of the components that are made from now on; `texts` has the translations by their English text. */
export function setTranslations(language: string, texts: Record<string, string | Record<string, string>>): void;

export class MarkdownView {
  /** `address` is that of a marker that is a link. */
  constructor(root: HTMLElement, marker: (number: number, offset: number, address?: string) => HTMLElement | null);
  update(text: string, claims?: { start: number; end: number }[], version?: string): void;
}

export function claimsOf(answer: Answer): Claim[];
export function finishedAnswer(response: FinishedAnswer): Answer;
export function nameOf(item: Partial<Reference>): string;
export function locationOf(item: Partial<Reference>): string;
export function decidingWords(quote: string, sentence: string, question?: string): { text: string; decides: boolean }[];
export function readEvents(source: Response | ReadableStream<Uint8Array>): AsyncGenerator<{ raw: string; chunk: any }>;
export function readChunks(source: AnswerSource): AsyncGenerator<any>;

/** The events of `<citestream-answer>`. They bubble to the document. */
export interface CitestreamEventMap {
  "citestream-change": CustomEvent<{ answer: Answer }>;
  "citestream-select": CustomEvent<{ claim: Claim | null }>;
  "citestream-open": CustomEvent<Support & { link: string | null }>;
  "citestream-done": CustomEvent<{ answer: Answer }>;
  "citestream-error": CustomEvent<{ answer: Answer }>;
}

declare global {
  interface HTMLElementTagNameMap {
    "citestream-answer": CitestreamAnswer;
    "citestream-sources": CitestreamSources;
  }
  interface GlobalEventHandlersEventMap extends CitestreamEventMap {}
}
