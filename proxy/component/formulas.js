// Formulas: Temml, which is loaded at the first formula, turns TeX into MathML. Until then a formula is its TeX text.

const MAX_SIZE = 10; // em; of kerns and rules. Larger ones would only make an answer long
const MOST_TEX = 2_000; // characters; longer formulas are shown as text, because Temml and the layout take seconds
const MATHML = "http://www.w3.org/1998/Math/MathML";
const MOST_LEVELS = 60; // levels of MathML; the layout recurses into each

let temml = null;
let loading = null;

/**
 * Render the TeX text in `place`. Temml builds elements, and with `trust: false` it creates no links. A formula can raise and
 * move its parts, so `place` clips them: they must not cover other sentences or the page. The styles are set here, because
 * pages use `MarkdownView` without the style sheet of the components.
 */
export function renderFormula(place, tex, displayMode) {
  place.textContent = tex;
  if (tex.length > MOST_TEX) return;
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
  const elements = [...made.querySelectorAll("*")];
  if (elements.some((one) => one.namespaceURI !== MATHML || one.hasAttribute("href")) || depth(made) > MOST_LEVELS)
    return;
  place.replaceChildren(...made.childNodes);
  if (displayMode) Object.assign(place.style, { overflow: "auto hidden", contain: "paint" });
  else {
    Object.assign(place.style, { display: "inline-block", maxWidth: "100%", overflow: "clip", contain: "paint" });
    sizes.observe(place);
  }
}

/** Return the number of levels of elements. The queue replaces a recursion, which a formula could make too deep. */
function depth(root) {
  let levels = 0;
  for (let level = [root]; level.length; levels += 1) level = level.flatMap((one) => [...one.children]);
  return levels;
}

/** Formulas in a line that are wider than the text scroll. The others are clipped, because scrolling elements lose their baseline. */
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const isWide = target.firstElementChild?.getBoundingClientRect().width > target.getBoundingClientRect().width + 1;
    target.style.overflow = isWide ? "auto hidden" : "clip";
  }
});
