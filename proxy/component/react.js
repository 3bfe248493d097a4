// A React component around <citestream-answer>. It needs no build step: it uses `createElement` and no JSX.

import { createElement, useEffect, useRef } from "react";
import "./citestream.js";

/**
 * Show an answer. `source`: a streamed response, see `CitestreamAnswer.stream`. `answer`: a finished one, see `show`. Give one of them.
 * `onDone(answer)`, `onSelect(claim)` and `onOpen(support, event)` are optional. Other properties become attributes.
 */
export function CitestreamAnswer({ source, answer, question, onDone, onSelect, onOpen, ...attributes }) {
  const element = useRef(null);
  const shown = useRef(null); // in development, React runs effects twice, but a stream can be read once only

  useEffect(() => {
    element.current.question = question;
  }, [question]);
  useEffect(() => {
    if (answer && !source) element.current.show(answer);
  }, [answer, source]);
  useEffect(() => {
    if (!source || shown.current === source) return;
    shown.current = source;
    element.current.stream(source);
  }, [source]);

  useListener(element, "citestream-done", onDone && ((event) => onDone(event.detail.answer)));
  useListener(element, "citestream-error", onDone && ((event) => onDone(event.detail.answer)));
  useListener(element, "citestream-select", onSelect && ((event) => onSelect(event.detail.claim)));
  useListener(element, "citestream-open", onOpen && ((event) => onOpen(event.detail, event)));
  return createElement("citestream-answer", { ...attributes, ref: element });
}

function useListener(element, name, listener) {
  useEffect(() => {
    const current = element.current;
    if (!listener) return undefined;
    current.addEventListener(name, listener);
    return () => current.removeEventListener(name, listener);
  });
}
