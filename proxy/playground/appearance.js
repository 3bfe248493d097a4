// The button of the theme. `theme.js` applies the chosen one before the page is painted.

import { byId } from "./page.js";

function update() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const dark = (document.documentElement.dataset.theme ?? system) === "dark";
  byId("theme").setAttribute("aria-pressed", `${dark}`);
  return dark;
}

byId("theme").addEventListener("click", () => {
  const next = update() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("theme", next);
  update();
});
update();
