// Citestream's web components: <citestream-answer> and <citestream-sources>. See docs/component.md.

import { CitestreamAnswer } from "./answer.js";
import { CitestreamSources } from "./sources.js";

export { claimsOf, finishedAnswer, locationOf, nameOf } from "./answer-state.js";
export { decidingWords } from "./highlight.js";
export { MarkdownView } from "./markdown.js";
export { setTranslations } from "./text.js";
export { StreamError, readChunks, readEvents } from "./stream.js";
export { CitestreamAnswer, CitestreamSources };

for (const [name, element] of [
  ["citestream-answer", CitestreamAnswer],
  ["citestream-sources", CitestreamSources],
]) {
  if (!customElements.get(name)) customElements.define(name, element); // a page may load two copies
}
