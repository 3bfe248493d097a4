// The citation card: a small panel at a marker or at an unsupported sentence. It opens on hover, focus and tap.

import { el } from "./dom.js";

const OPEN_MS = 120; // the pointer only passes over most markers
const CLOSE_MS = 250; // time to move the pointer from the marker into the card
const GAP = 8; // pixels between the card and the marker, and the edge of the window
const NARROW = matchMedia("(max-width: 40rem)"); // the card is a sheet at the bottom

/** One card for all markers of an answer. */
export class Card {
  /**
   * `content(trigger)` returns {label, nodes} for a marker or a sentence, or null if there is nothing to show.
   * `elsewhere(trigger, cause)` returns whether another element shows it; `cause`: "hover", "focus", "click" or "key".
   */
  constructor(root, content, elsewhere) {
    this.content = content;
    this.elsewhere = elsewhere;
    this.trigger = null;
    this.timer = 0;
    this.element = el("div", {
      class: "card",
      part: "card",
      role: "dialog",
      popover: "manual",
      id: "card",
      tabindex: -1,
      onkeydown: (event) => this.#keydown(event),
      onpointerenter: () => clearTimeout(this.timer),
      onpointerleave: (event) => {
        if (event.pointerType === "mouse") this.#later(() => this.close(), CLOSE_MS);
      },
      onfocusout: (event) => this.#focusout(event),
    });
    root.append(this.element);
  }

  /** Make an element open the card. */
  attach(trigger) {
    trigger.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse") this.#later(() => this.open(trigger, "hover"), this.isOpen ? 0 : OPEN_MS);
    });
    trigger.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") this.#later(() => this.close(), CLOSE_MS);
    });
    trigger.addEventListener("focus", () => {
      if (trigger.matches(":focus-visible")) this.open(trigger, "focus");
    });
    trigger.addEventListener("blur", (event) => this.#focusout(event));
    trigger.addEventListener("click", () => this.open(trigger, "click"));
    trigger.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        if (this.open(trigger, "key")) this.element.focus({ preventScroll: true });
      } else this.#keydown(event);
    });
    return trigger;
  }

  get isOpen() {
    return this.trigger !== null;
  }

  /** Open the card at a trigger, and close it at another. Return whether it is open. */
  open(trigger, cause) {
    clearTimeout(this.timer);
    if (this.elsewhere(trigger, cause)) {
      this.close();
      return false;
    }
    if (this.trigger === trigger) return true;
    const content = this.content(trigger);
    if (!content) return false;
    this.trigger?.setAttribute("aria-expanded", "false");
    this.trigger = trigger;
    trigger.setAttribute("aria-expanded", "true");
    this.element.setAttribute("aria-label", content.label);
    this.element.replaceChildren(...content.nodes.filter(Boolean));
    if (!this.element.matches(":popover-open")) this.element.showPopover();
    this.#position();
    for (const kind of ["scroll", "resize"])
      window.addEventListener(kind, this.#position, { capture: true, passive: true });
    document.addEventListener("pointerdown", this.#outside, true);
    return true;
  }

  /** Close the card. If the focus is in it, it returns to the trigger. */
  close() {
    clearTimeout(this.timer);
    if (!this.trigger) return;
    const trigger = this.trigger;
    const inside = this.element.contains(this.element.getRootNode().activeElement);
    this.trigger = null;
    trigger.setAttribute("aria-expanded", "false");
    if (this.element.matches(":popover-open")) this.element.hidePopover();
    if (inside) trigger.focus({ preventScroll: true });
    for (const kind of ["scroll", "resize"]) window.removeEventListener(kind, this.#position, { capture: true });
    document.removeEventListener("pointerdown", this.#outside, true);
  }

  #later(action, milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(action, milliseconds);
  }

  #keydown(event) {
    if (event.key !== "Escape" || !this.isOpen) return;
    event.stopPropagation();
    this.close();
  }

  /** Close when the focus leaves both the trigger and the card. */
  #focusout(event) {
    const next = event.relatedTarget;
    if (!this.isOpen || this.element.contains(next) || next === this.trigger || this.element.matches(":hover")) return;
    this.close();
  }

  #outside = (event) => {
    const path = event.composedPath();
    if (!path.includes(this.element) && !path.includes(this.trigger)) this.close();
  };

  /** Place the card below its trigger, or above it if there is more space. On phones the style sheet places it. */
  #position = () => {
    const { element, trigger } = this;
    if (!trigger?.isConnected) return this.close();
    element.classList.toggle("sheet", NARROW.matches);
    if (NARROW.matches) {
      element.style.removeProperty("left");
      element.style.removeProperty("top");
      return;
    }
    const at = trigger.getClientRects()[0] ?? trigger.getBoundingClientRect();
    if (at.bottom < 0 || at.top > innerHeight) return this.close();
    const { offsetWidth: width, offsetHeight: height } = element;
    const below = at.bottom + GAP;
    const top = below + height + GAP <= innerHeight || at.top < innerHeight / 2 ? below : at.top - GAP - height;
    element.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - width - GAP))}px`;
    element.style.top = `${Math.max(GAP, Math.min(top, innerHeight - height - GAP))}px`;
  };
}
