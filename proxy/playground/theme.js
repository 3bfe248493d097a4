// Before the first paint, so that nobody who wants a dark page sees a white one.
(() => {
  const chosen = localStorage.getItem("theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
})();
