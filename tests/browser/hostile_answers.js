// Functions that show hostile answers, for the tests of the components.

const ODD = [
  null,
  undefined,
  true,
  false,
  0,
  -1,
  1.5,
  NaN,
  Infinity,
  1e300,
  "",
  "x",
  "1",
  " 2 ",
  "-3",
  [],
  [null],
  [[]],
  ["x", 1],
  {},
  { a: null },
  Object.create(null),
];

const SPAN = {
  choice: 0,
  start: 0,
  end: 10,
  covers: [[0, 10]],
  support: 0.9,
  status: "verified",
  quote: "It is red.",
  quote_start: 0,
  quote_end: 10,
};
const REFERENCE = {
  number: 1,
  evidence_number: 1,
  id: "e1",
  document_id: "d",
  file_name: "a.pdf",
  title: "Red",
  url: "https://example.org/a",
  link: "https://example.org/a#:~:text=red",
  chunk_index: 1,
  page_number: 2,
  row: 3,
  score: 0.5,
  chunk_type: "text",
  is_generated_artifact: true,
  artifact_kind: "table",
  label: "Table",
  support: 0.9,
  snippet: "It is red.",
  snippet_start: 0,
  snippet_end: 10,
  spans: [SPAN],
};
const DECISION = {
  evidence_number: 1,
  cited: true,
  hinted: true,
  decided: "cited",
  support: 0.9,
  threshold: 0.5,
  features: { token: 1 },
  gate: { detail: "x" },
};

/** Return an answer with a value in every field of `citestream.d.ts`. */
globalThis.fullAnswer = () =>
  structuredClone({
    text: "It is red. [1] It is blue.",
    model: "m",
    references: [REFERENCE],
    grounding: {
      claims: 2,
      supported: 1,
      supported_share: 0.5,
      abstained: [1],
      unsupported: [{ choice: 0, start: 15, end: 26 }],
      rejected: [{ choice: 0, number: 2, reason: "no_support" }],
      verdicts: [
        {
          choice: 0,
          start: 15,
          end: 26,
          verdict: "contradicted",
          evidence: [],
          conflict: { evidence_number: 1, quote: "It is red.", quote_start: 0, quote_end: 10, detail: "red" },
        },
      ],
      quotations: [
        {
          choice: 0,
          start: 15,
          end: 26,
          status: "altered",
          evidence_number: 1,
          changes: [{ start: 15, end: 17, quoted: "It", evidence: "He" }],
        },
      ],
      degraded: true,
    },
    explained: {
      claims: [{ choice: 0, start: 0, end: 10, evidence: [DECISION] }],
      evidence: [{ ...REFERENCE, number: 2, text: "It is not cited." }],
    },
    annotations: [{ type: "url_citation", url_citation: { url: "https://example.org/b" } }],
    error: { message: "failed", code: "x" },
  });

/** Return the same answer as a chunk of a chat completion. */
const asChunk = ({ text, annotations, ...rest }) => ({
  ...rest,
  choices: [{ index: 0, delta: { content: text, annotations } }],
});
const asCompletion = ({ text, annotations, ...rest }) => ({
  ...rest,
  choices: [{ index: 0, message: { content: text, annotations } }],
});
const asResponses = ({ text, ...rest }) => ({
  type: "response.completed",
  response: { ...rest, output: [{ content: [{ type: "output_text", text }] }] },
});

/** Return the paths of all fields of a value: ["references", 0, "spans", 0, "start"]. */
function paths(value, path = []) {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.keys(value).flatMap((key) => paths(value[key], [...path, key]))];
}

function replaced(value, [first, ...rest], odd) {
  if (first === undefined) return odd;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  if (!rest.length && odd === undefined) delete copy[first];
  else copy[first] = replaced(value[first], rest, odd);
  return copy;
}

/** Use everything in an answer: select each sentence, open each card, list the sources. */
function use(element) {
  for (const trigger of element.shadowRoot.querySelectorAll(".marker, .claim")) trigger.click();
  for (const claim of element.claims) element.select(claim);
  element.select(null);
  for (const reference of element.answer.references) element.linkOf(reference);
  for (const button of element.shadowRoot.querySelectorAll(".open")) if (button.localName === "button") button.click();
}

const FORMS = { finished: (answer) => answer, chunk: asChunk, completion: asCompletion, responses: asResponses };

/** Show an answer with each odd value in each field, in each form. Return what was thrown, and the number of answers. */
globalThis.showOddAnswers = async (form) => {
  document.body.innerHTML =
    '<citestream-answer id="a"></citestream-answer><citestream-sources for="a"></citestream-sources>';
  const element = document.querySelector("citestream-answer");
  const full = FORMS[form](fullAnswer());
  const thrown = [];
  let count = 0,
    where = null;
  const report = (error) => thrown.push(`${JSON.stringify(where)}: ${error}`);
  globalThis.addEventListener("error", (event) => report(event.message)); // errors in event listeners
  for (const path of paths(full)) {
    for (const odd of ODD) {
      where = [path, `${typeof odd} ${JSON.stringify(odd) ?? odd}`];
      const answer = replaced(full, path, odd);
      count += 1;
      try {
        if (form === "finished" || form === "completion") element.show(answer);
        else await element.stream([answer, ...(path.length ? [] : [null])]);
        use(element);
        if (element.answer.error?.code === "connection") report(element.answer.error.message);
        if (typeof element.answer.text !== "string") report("the text is no text");
      } catch (error) {
        report(error);
      }
    }
  }
  return { thrown: thrown.slice(0, 20), count, fields: new Set(paths(full).map((path) => path.at(-1))).size };
};

/** Show `count` sentences with a reference each. */
globalThis.longAnswer = (count, perParagraph) => {
  let text = "";
  const references = [];
  for (let number = 1; number <= count; number += 1) {
    const start = text.length;
    text += `Sentence ${number} is about item ${number}.`;
    const quote = `Item ${number} has sentence ${number}.`;
    const span = {
      choice: 0,
      start,
      end: text.length,
      support: 0.9,
      status: "added",
      quote,
      quote_start: 0,
      quote_end: quote.length,
    };
    references.push({
      number,
      evidence_number: number,
      id: `e${number}`,
      title: `Source ${number}`,
      support: 0.9,
      snippet: quote,
      spans: [span],
    });
    text += ` [${number}]${number % perParagraph ? " " : "\n\n"}`;
  }
  return {
    text,
    references,
    grounding: { claims: count, supported: count, unsupported: [], rejected: [], degraded: false },
  };
};
