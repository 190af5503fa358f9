import { withFloor } from "../monitoring/scorer/floor.ts";
import { score, scorerName } from "../monitoring/scorer/scorer.ts";
import type { Unavailable } from "../monitoring/upstream/call.ts";
import type { EventFacts } from "../monitoring/upstream/facts.ts";
import type { Judgement, LanguageModel } from "../monitoring/upstream/language-model.ts";
import type { Picture } from "../monitoring/upstream/multipart.ts";

/** What follows the first language model while it does not answer. */
export interface JudgeChain {
  /** The first model is the built-in scorer, so there is nothing to follow it and no floor. */
  readonly isBuiltIn: boolean;
  /** The second model. */
  readonly fallback?: LanguageModel | undefined;
  /** The built-in scorer judges an event that has waited this long for the first answer; 0: it never does. */
  readonly patienceMs: number;
  /** Judge such an event again once the first model answers. */
  readonly rejudges: boolean;
}

/** An event to judge. */
export interface Subject {
  readonly facts: EventFacts;
  /** Makes its pictures for a model that sees. */
  readonly pictures: () => Promise<readonly Picture[]>;
  /** Since when it has waited for an answer of the first model, in milliseconds before now. */
  readonly waitedMs: () => number;
  /** It has a score from the chain already, so only the first model matters. */
  readonly isRejudged: boolean;
}

/** A judgement, and whether a substitute gave it because the first model does not answer. */
export interface ChainJudgement {
  readonly answer: Judgement;
  /** Why the first model did not answer. */
  readonly substituteFor?: Unavailable;
}

/**
 * Has the first model judge an event, or if that does not answer, the second, or after a while the built-in scorer. Texts from outside
 * cannot push the score of a model below the floor. Throws the signal's reason if the caller cancelled.
 */
export async function judgeInTurn(first: LanguageModel, chain: JudgeChain, subject: Subject, signal: AbortSignal): Promise<ChainJudgement> {
  const { facts } = subject;
  const picturesFor = async (model: LanguageModel): Promise<readonly Picture[]> =>
    (await model.takesPictures()) ? await subject.pictures() : [];
  const answer = await first.judge(facts, signal, await picturesFor(first));
  if (answer.kind === "judged") return { answer: chain.isBuiltIn ? answer : withFloor(answer, facts) };
  if (answer.kind !== "unavailable" || chain.isBuiltIn || subject.isRejudged) return { answer };
  const second = await chain.fallback?.judge(facts, signal, await picturesFor(chain.fallback));
  if (second?.kind === "judged") {
    const judged = withFloor(second, facts);
    const why = `judged by the second language model, because the first does not answer: ${answer.detail}`;
    return { answer: { ...judged, note: judged.note === undefined ? why : `${why}; ${judged.note}` }, substituteFor: answer };
  }
  if (chain.patienceMs === 0 || subject.waitedMs() < chain.patienceMs) return { answer };
  return { answer: builtInJudgement(facts, answer), substituteFor: answer };
}

function builtInJudgement(facts: EventFacts, { detail }: Unavailable): Judgement {
  const { risk_score: riskScore, summary, reasoning, risk_factors: riskFactors } = score(facts);
  return {
    kind: "judged",
    verdict: { riskScore, summary, reasoning, riskFactors },
    analyzedBy: scorerName,
    answer: JSON.stringify(score(facts)),
    note: `analysis by ${scorerName} because the language model does not answer: ${detail}`,
  };
}
