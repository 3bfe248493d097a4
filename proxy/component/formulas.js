// Formulas: Temml, which is loaded at the first formula, turns TeX into MathML. Until then a formula is its TeX text.

const MAX_SIZE = 50; // em; larger kerns and rules could cover the page
const MATHML = "http://www.w3.org/1998/Math/MathML";

let temml = null;
let loading = null;

/** Render the TeX text in `place`. Temml builds elements, and with `trust: false` it creates no links. */
export function renderFormula(place, tex, displayMode) {
  place.textContent = tex;
  if (temml) return show(place, tex, displayMode);
  loading ??= import("./vendor/temml.js").then(
    (module) => {
      temml = module.default;
    },
    () => {},
  );
  loading.then(() => {
    if (temml) show(place, tex, displayMode);
  });
}

function show(place, tex, displayMode) {
  const made = document.createElement("span");
  try {
    temml.render(tex, made, { displayMode, throwOnError: false, trust: false, maxSize: [MAX_SIZE, MAX_SIZE] });
  } catch {
    return; // the text remains
  }
  const foreign = [...made.querySelectorAll("*")].some(
    (one) => one.namespaceURI !== MATHML || one.hasAttribute("href"),
  );
  if (!foreign) place.replaceChildren(...made.childNodes);
}
