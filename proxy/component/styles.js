// Styles of the components. Every color and size is a CSS variable that a page can set on the elements or above them.

import { styleSheet } from "./dom.js";

export const SHARED_STYLE = styleSheet(`
:host {
  --ink: var(--citestream-ink, light-dark(#1b2225, #e6ebeb));
  --soft: var(--citestream-soft, light-dark(#586469, #a2afb3));
  --line: var(--citestream-line, light-dark(#d9dedf, #374348));
  --surface: var(--citestream-surface, light-dark(#fff, #1d2427));
  --shade: var(--citestream-shade, light-dark(#f3f4f3, #262f33));
  --accent: var(--citestream-accent, light-dark(#0b5d66, #7fd6cb));
  --tint: var(--citestream-tint, light-dark(#e1f0f0, #21393c));
  --mark: var(--citestream-mark, light-dark(#ffeda6, #5b4c10));
  --warning: var(--citestream-warning, light-dark(#a3261d, #ffa198));
  --radius: var(--citestream-radius, .6rem);
  display: block; min-width: 0; color: var(--ink); font: inherit; line-height: var(--citestream-line-height, 1.6);
}
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
p { margin: 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 0; border-radius: .2rem; }
.source { display: flex; gap: .5rem; align-items: baseline; }
.source .name { display: flex; flex-wrap: wrap; gap: .15rem .5rem; align-items: baseline; min-width: 0; }
.contradiction { color: var(--warning); }
.source strong { font-weight: 600; overflow-wrap: anywhere; min-width: 0; }
.number { flex: none; font-size: .75rem; font-weight: 600; line-height: 1.3rem; min-width: 1.3rem; text-align: center; border-radius: .65rem; background: var(--tint); color: var(--accent); }
.where, .note, .support { color: var(--soft); font-size: .875em; }
.label { font-size: .8em; border: 1px dashed var(--soft); border-radius: .7rem; padding: 0 .5rem; color: var(--soft); }
blockquote { margin: .4rem 0; padding-inline-start: .75rem; border-inline-start: 3px solid var(--line); overflow-wrap: anywhere; white-space: pre-line; }
mark { background: var(--mark); color: inherit; border-radius: .2rem; padding: 0 .1em; }
.support { display: flex; flex-wrap: wrap; gap: .1rem .45rem; align-items: center; }
.meter { display: inline-flex; gap: 2px; vertical-align: .15em; margin-inline-end: .15rem; }
.meter i { width: .55rem; height: .3rem; border-radius: .15rem; background: var(--line); }
.meter i.full { background: var(--accent); }
.open, .all { font: inherit; color: var(--accent); background: none; border: 0; padding: .2rem 0; cursor: pointer; text-decoration: underline; text-underline-offset: .2em; }
.open { margin-inline-start: auto; }
.citations { list-style: none; margin: 0; padding: 0; display: grid; gap: .6rem; }
.citations > li:not(.more) { overflow: clip; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: .6rem .8rem; font-size: .9375em; min-width: 0; }
`);

export const ANSWER_STYLE = styleSheet(`
/* An answer is untrusted: nothing in it may cover the page. Accents that are stacked stay in their block, too. The padding leaves
   room for the outline of what has the focus. */
.text, .notes { padding: 2px; margin: -2px 0; overflow: clip; }
.text { overflow-wrap: anywhere; }
.text > * { overflow: clip; overflow-clip-margin: .25em; }
li, td, th, blockquote > * { overflow-y: clip; } /* not to the sides, where a list has its bullets */
.plain { white-space: pre-wrap; }
.text > * { margin: 0 0 .8em; }
p, li, h3, h4, h5, h6, th, td { unicode-bidi: plaintext; } /* each has the direction of its own first letter */
.text > :last-child { margin-bottom: 0; }
h3, h4, h5, h6 { line-height: 1.3; font-size: 1.05em; margin-top: 1.2em; }
.text > :first-child { margin-top: 0; }
ul, ol { padding-inline-start: 1.5em; }
li > ul, li > ol { margin: .2em 0; }
li > p { margin: 0 0 .4em; }
.task { list-style: none; margin-inline-start: -1.2em; }
a { color: var(--accent); text-underline-offset: .2em; }
.code { position: relative; }
@media print { .copy-code { display: none; } }
.code pre { margin: 0; }
.copy-code { position: absolute; inset-block-start: .35rem; inset-inline-end: .35rem; min-height: 1.5rem; font: inherit; font-size: .8125em; line-height: 1.2; color: var(--soft); background: var(--surface); border: 1px solid var(--line); border-radius: .4rem; padding: .1rem .5rem; cursor: pointer; }
.copy-code::before { content: attr(data-label); }
.copy-code:hover { color: var(--ink); border-color: var(--soft); }
pre { background: var(--shade); border-radius: var(--radius); padding: .7rem .9rem; overflow-x: auto; font-size: .875em; line-height: 1.5; }
pre { direction: ltr; text-align: left; }
code { font-family: var(--citestream-mono, ui-monospace, monospace); font-size: .9em; direction: ltr; unicode-bidi: isolate; }
:not(pre) > code { background: var(--shade); border-radius: .25rem; padding: .1em .3em; }
pre code { font-size: inherit; }
.html { white-space: pre-wrap; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9375em; }
th, td { border-bottom: 1px solid var(--line); padding-block: .35rem; padding-inline: 0 .8rem; text-align: start; vertical-align: top; overflow-wrap: normal; min-width: 3.5rem; }
td.long { min-width: 11rem; } /* on phones the table scrolls, instead of having a word a line */
th { font-weight: 600; border-bottom-width: 2px; }
.align-right { text-align: end; }
.align-center { text-align: center; }
hr { border: 0; border-top: 1px solid var(--line); }

/* A marker is inline text that begins with a word joiner: no line break can separate it from the word before it.
   It is isolated, because in text from right to left its number would join a number before it. */
.marker { white-space: nowrap; unicode-bidi: isolate; color: var(--accent); background: var(--tint); border-radius: .6em; padding: .1em .42em; margin-inline-start: .2em; font-size: .72em; font-weight: 600; line-height: 1; vertical-align: .22em; cursor: pointer; text-decoration: none; position: relative; }
.marker::before { content: "\\2060"; }
.marker::after { content: ""; position: absolute; inset: -.7em -.25em; } /* a larger target for fingers */
.marker:hover, .marker[aria-expanded="true"] { background: var(--accent); color: var(--surface); }
.claim { border-radius: .2rem; }
.claim.selected { background: var(--tint); box-shadow: 0 0 0 .12em var(--tint); }
/* Only a contradiction has a colour. A sentence without a source is often right, and has a thin line. */
.claim.unsupported { text-decoration: underline solid color-mix(in srgb, var(--soft) 45%, transparent) 1px; text-underline-offset: .3em; cursor: help; }
.claim.partly { text-decoration: underline dashed color-mix(in srgb, var(--soft) 70%, transparent) 1px; text-underline-offset: .3em; }
.claim.contradicted { color: var(--warning); text-decoration: underline solid var(--warning) .11em; text-underline-offset: .25em; cursor: help; }

.notes { display: grid; gap: .5rem; }
.notes:not(:empty) { margin-top: .7rem; }
.notes summary { cursor: pointer; }
.notes ul { margin: .3rem 0 0; }
.error, .contradictions { color: var(--warning); }
.contradictions { font: inherit; background: none; border: 0; padding: 0; cursor: pointer; text-decoration: underline; text-underline-offset: .2em; }

.card { position: fixed; inset: auto; margin: 0; width: min(27rem, calc(100vw - 1rem)); max-height: min(24rem, 60vh); overflow-y: auto; color: var(--ink); background: var(--surface); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.3); padding: .8rem 1rem; box-shadow: 0 .4rem 1.6rem rgb(0 0 0 / .16); font-size: .9375rem; line-height: 1.5; text-align: start; }
.card:focus-visible { outline-offset: -2px; }
.card.sheet { inset: auto 0 0; width: 100vw; max-width: 100vw; max-height: 55vh; border-radius: 1rem 1rem 0 0; padding: 1rem 1.1rem 1.4rem; border-width: 1px 0 0; }
`);

export const PANEL_STYLE = styleSheet(`
.panel { display: grid; gap: .8rem; padding: 2px; margin: -2px 0; overflow: clip; }
.panel > * { overflow: clip; overflow-clip-margin: 2px; }
.selection { display: grid; gap: .8rem; border-radius: var(--radius); }
.none { font-size: .9375em; }
.conflict { background: var(--surface); border: 1px solid var(--line); border-inline-start: 3px solid var(--warning); border-radius: var(--radius); padding: .6rem .8rem; font-size: .9375em; min-width: 0; overflow: clip; }
.all { justify-self: start; }
.uncited summary { cursor: pointer; color: var(--soft); font-size: .875em; }
.uncited ol { margin-top: .6rem; }
.beginning { color: var(--soft); font-size: .9375em; overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
`);
