// Functions that the tests of the components run in the page.

const frame = () => new Promise(requestAnimationFrame);
const answerElement = () => document.querySelector("citestream-answer");

globalThis.cite = async (server, body) => {
  const response = await fetch(`${server}/v1/cite`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
};

/** Return a response whose body arrives in pieces of three bytes. */
globalThis.inPieces = (text) => {
  const bytes = new TextEncoder().encode(text);
  const stream = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 3) controller.enqueue(bytes.slice(at, at + 3));
      controller.close();
    },
  });
  return new Response(stream, { headers: { "Content-Type": "text/event-stream" } });
};

/** Return the HTML of the answer without the spans of claims and the attributes of markers, which need references. */
function snapshot() {
  const copy = answerElement().textElement.cloneNode(true);
  for (const claim of copy.querySelectorAll(".claim")) claim.replaceWith(...claim.childNodes);
  for (const marker of copy.querySelectorAll(".marker")) marker.replaceWith(`{${marker.textContent}}`);
  copy.normalize();
  return copy.innerHTML;
}

/** Stream a cited text in pieces of `size` characters. Return the answer before and after the references have arrived. */
globalThis.streamAnswer = async (cited, size) => {
  let streamed = null;
  async function* chunks() {
    for (let at = 0; at < cited.text.length; at += size) {
      yield { choices: [{ index: 0, delta: { content: cited.text.slice(at, at + size) } }] };
      if (at % (10 * size) === 0) await frame();
    }
    await frame();
    await frame();
    streamed = snapshot();
    yield {
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
      references: cited.references,
      grounding: cited.grounding,
    };
  }
  await answerElement().stream(chunks());
  const claims = [...answerElement().textElement.querySelectorAll(".claim")].map((one) => one.dataset.claim);
  return { streamed, final: snapshot(), claims: new Set(claims).size };
};

/** Return the markers that are on another line than the character before them, at any of these widths. */
globalThis.wrappedMarkers = (widths) => {
  const element = answerElement();
  const alone = [];
  for (const width of widths) {
    element.style.width = `${width}px`;
    for (const marker of element.textElement.querySelectorAll(".marker")) {
      const before = textBefore(marker, element.textElement);
      const range = document.createRange();
      range.setStart(before, before.length - 1);
      range.setEnd(before, before.length);
      const character = [...range.getClientRects()].at(-1),
        own = marker.getClientRects();
      if (own[0].top >= character.bottom || own.length > 1) alone.push([width, marker.textContent]);
    }
  }
  element.style.width = "";
  return alone;
};

function textBefore(marker, root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let before = null;
  while (walker.nextNode() && !marker.contains(walker.currentNode)) before = walker.currentNode;
  return before;
}

/** Begin to collect the layout shifts that Chromium measures in `globalThis.shifts`. */
globalThis.observeShifts = () => {
  globalThis.shifts = [];
  new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value))).observe({
    type: "layout-shift",
  });
};
