// Functions that the tests of containment run in the page.

/** Show a page with a pattern, a button and an answer in its middle. */
globalThis.buildPage = async (base) => {
  await import(`${base}/component/citestream.js`);
  document.body.innerHTML = `<button id="above" style="position:absolute;left:300px;top:250px">Delete the account</button>
    <div id="place" style="position:absolute;left:250px;top:300px;width:400px">
      <citestream-answer></citestream-answer></div>`;
  document.documentElement.style.height = "100%";
  document.documentElement.style.background = "repeating-linear-gradient(45deg, #fff 0 8px, #dde 8px 16px)";
};

const loaded = async (root, selector) => {
  for (let frame = 0; frame < 300 && root.querySelector(selector) === null; frame += 1)
    await new Promise(requestAnimationFrame);
};

/** Show an answer, wait for its formulas, and return the box of the component. */
globalThis.showAnswer = async (response, formula) => {
  const element = document.querySelector("citestream-answer");
  element.show(response);
  if (formula) await loaded(element.shadowRoot, "math");
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  const box = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
  const blocks = [...element.textElement.children].map((one) => box(one.getBoundingClientRect()));
  return { element: box(element.getBoundingClientRect()), blocks };
};

/** Return the number of pixels that differ between two screenshots, outside of a box or inside of it. */
globalThis.differences = async ([one, other, box, inside]) => {
  const [first, second] = await Promise.all(
    [one, other].map(async (data) => {
      const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context.drawImage(bitmap, 0, 0);
      return context.getImageData(0, 0, bitmap.width, bitmap.height);
    }),
  );
  let count = 0;
  for (let at = 0; at < first.data.length; at += 4) {
    const x = (at / 4) % first.width,
      y = Math.floor(at / 4 / first.width);
    const within = x >= box.left - 1 && x <= box.right && y >= box.top - 1 && y <= box.bottom; // a pixel may be shared
    if (within !== inside) continue;
    if ([0, 1, 2].some((channel) => first.data[at + channel] !== second.data[at + channel])) count += 1;
  }
  return count;
};
