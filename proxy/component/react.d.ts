import type { HTMLAttributes, ReactElement } from "react";
import type { Answer, AnswerSource, Claim, FinishedAnswer, Support } from "./citestream.js";

export interface CitestreamAnswerProps extends Omit<HTMLAttributes<HTMLElement>, "onSelect"> {
  source?: AnswerSource | Promise<AnswerSource>;
  answer?: FinishedAnswer;
  question?: string;
  references?: "none";
  summary?: "none";
  onDone?: (answer: Answer) => void;
  onSelect?: (claim: Claim | null) => void;
  onOpen?: (support: Support, event: Event) => void;
}

export function CitestreamAnswer(props: CitestreamAnswerProps): ReactElement;
