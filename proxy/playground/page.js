// Elements of the page that several modules use, and its dialogs.

export const byId = (id) => document.getElementById(id);

/** Show a message above the question until the next action. `kind`: "error", or "status" for one without a problem. */
export function notice(message, kind = "error") {
  byId("notice").textContent = message;
  byId("notice").dataset.kind = kind;
  byId("notice").hidden = !message;
}

/** Open a modal dialog. A click on its backdrop closes it. The browser returns the focus to the opener. */
export function openDialog(id) {
  byId(id).showModal();
}

for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  for (const button of dialog.querySelectorAll(".close")) button.addEventListener("click", () => dialog.close());
}
