// Advice for users about an answer without sources or with an error.

import { plural, t } from "../component/text.js";

/** Return what a user can do about an answer without sources; empty if all is well. `sent`: excerpts of documents on the page. */
export function adviceFor({ stopped, references, grounding, text }, { source, name, sent }) {
  if (stopped || references.length) return "";
  if (!text.trim())
    return t("The model returned an empty answer. Select Regenerate, or choose another model below the question.");
  if (source && !grounding?.evidence?.received)
    return t("No passage in “{name}” fits this question. Ask with other words, or choose another source below.", { name });
  if (!source && !sent)
    return t("No documents were searched, so nothing in this answer is checked. Drop files on the page, or choose a source below.");
  const count = grounding?.evidence?.injected ?? sent;
  const next = t("Ask with other words, or add a document.");
  const result = grounding?.claims
    ? plural(
        count,
        "The passage that was read does not support this answer.",
        "None of the {count} passages that were read supports this answer.",
      )
    : plural(
        count,
        "The answer does not cite the passage that was read.",
        "The answer cites none of the {count} passages that were read.",
      );
  return `${result} ${next}`;
}

/** Return what a user can do about an error; empty if nothing is known. */
export function adviceForError({ status, code, retryAfter }) {
  if (status === 401) return t("This server requires an access key.");
  if (code === "model_not_found") return t("Choose another model below the question.");
  if (code === "connection") return t("Check that the server is running, and then select Regenerate.");
  if (status === 413 || code === "too_large") return t("Remove some documents, and ask again.");
  if (status === 429 || status === 503)
    return retryAfter
      ? t("Try again in {count} seconds.", { count: retryAfter })
      : t("Wait a moment, and then select Regenerate.");
  if (status >= 500 || !status)
    return t("The model did not complete its answer. Select Regenerate, or choose another model below the question.");
  return "";
}
