// Edit a question of the conversation, and send it again.

import { el } from "../component/dom.js";
import { t } from "../component/text.js";

/** Replace the question of a turn by a field. `send(turn, question)` is called with the new question. */
export function editQuestion(turn, send) {
  const field = el("textarea", { "aria-label": t("Question"), dir: "auto", rows: 2, required: true });
  const form = el(
    "form",
    { class: "edit-question" },
    field,
    el(
      "div",
      { class: "row end" },
      el("button", { type: "button", class: "quiet", onclick: () => end() }, t("Cancel")),
      el("button", { type: "submit", class: "main" }, t("Send")),
    ),
  );
  const end = () => {
    form.replaceWith(turn.heading);
    turn.edit.hidden = false;
    turn.edit.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const question = field.value.trim();
    end();
    if (question) send(turn, question);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      end();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  field.value = turn.question;
  turn.edit.hidden = true;
  turn.heading.replaceWith(form);
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}
