import type { EventFacts } from "../upstream/facts.ts";
import type { Judgement } from "../upstream/language-model.ts";
import { hasOutsideText } from "./outside-text.ts";
import { score, scorerName } from "./scorer.ts";

/** A model may go this far below the built-in scorer on a question with text from outside. */
const mostBelow = 20;

type Judged = Extract<Judgement, { kind: "judged" }>;

/**
 * Keeps the score of a model at 20 points below that of the built-in scorer, or above, if the question held text that other people chose:
 * such a text may have told the model to give a low one. The note then says that the floor held.
 */
export function withFloor(judgement: Judged, facts: EventFacts): Judged {
  if (!hasOutsideText(facts, judgement.pictures ?? 0)) return judgement;
  const builtIn = score(facts).risk_score;
  const floor = Math.max(0, builtIn - mostBelow);
  const { verdict, analyzedBy, note } = judgement;
  if (verdict.riskScore >= floor) return judgement;
  const reason = `a floor held: the question had text or pictures from outside, ${analyzedBy} said ${verdict.riskScore}, and the ${scorerName} ${builtIn}; homesec stored ${floor}`;
  const factor = {
    name: "floor",
    contribution: floor - verdict.riskScore,
    detail: `${mostBelow} below the ${builtIn} of the ${scorerName}`,
  };
  return {
    ...judgement,
    verdict: { ...verdict, riskScore: floor, riskFactors: [...verdict.riskFactors, factor] },
    note: note === undefined ? reason : `${note}; ${reason}`,
  };
}
