// The question field, and the ways to add documents: chosen, dropped anywhere on the page, pasted, or the example.

import * as documents from "./documents.js";
import { EXAMPLE, EXAMPLE_QUESTION } from "./example.js";
import { byId, openDialog } from "./page.js";

const LINE = 70; // characters
const MOST_LINES = 8;

export function resize() {
  const field = byId("question");
  const lines = Math.max(field.value.split("\n").length, Math.ceil(field.value.length / LINE), 1);
  field.rows = Math.min(MOST_LINES, lines);
}

/** Put a question into the field. */
export function setQuestion(text) {
  byId("question").value = text;
  resize();
  byId("question").focus();
}

/** Listen to the field and the buttons. `addFiles(files)` and `showedExample()` are called. */
export function start({ addFiles, showedExample }) {
  byId("question").addEventListener("input", resize);
  byId("question").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    byId("ask").requestSubmit();
  });
  for (const id of ["add-files", "welcome-files"]) byId(id).addEventListener("click", () => byId("files").click());
  byId("files").addEventListener("change", async (event) => {
    await addFiles(event.target.files);
    event.target.value = "";
  });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      document.body.classList.toggle("dropping", kind === "dragover");
      if (kind === "drop") addFiles(event.dataTransfer.files);
    });
  }
  for (const id of ["paste", "welcome-paste"]) byId(id).addEventListener("click", () => openDialog("paste-text"));
  byId("paste-text")
    .querySelector("form")
    .addEventListener("submit", () => {
      const name = byId("paste-name").value.trim() || byId("paste-name").placeholder;
      const hasSuffix = /\.(md|txt|html?|csv|json)$/i.test(name);
      addFiles([new File([byId("paste-body").value], hasSuffix ? name : `${name}.txt`)]);
      byId("paste-text").querySelector("form").reset();
    });
  byId("example").addEventListener("click", () => {
    documents.clear();
    for (const name of new Set(EXAMPLE.map((item) => item.file_name)))
      documents.addEntries(
        name,
        EXAMPLE.filter((item) => item.file_name === name),
      );
    showedExample();
    setQuestion(EXAMPLE_QUESTION);
  });
}
