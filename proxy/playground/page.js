// Elements of the page that several modules use, and its dialogs.

export const byId = (id) => document.getElementById(id);

/** Show an error above the question until the next action. */
export function notice(message) {
  byId("notice").textContent = message;
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
