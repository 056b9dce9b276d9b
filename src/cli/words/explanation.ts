import { type DescribedDoubt, describeDoubts, type Explanation, type Loop } from '../../core/index.ts';
import { causeText } from './causes.ts';
import { evidenceLines } from './evidence.ts';
import { type Advice, adviceFor } from './next-steps.ts';
import { situationText } from './situation.ts';

/** An explanation in the words of the command line; `ralphd explain --json` prints it unchanged. */
export interface ExplanationText extends Pick<Explanation, 'rules' | 'pace' | 'session' | 'warnings' | 'proof'> {
  /** One sentence. */
  readonly headline: string;
  readonly because: readonly string[];
  readonly evidence: readonly string[];
  readonly doubts: readonly DescribedDoubt[];
  readonly next: readonly Advice[];
}

/** Phrases an explanation for the command line. */
export function phraseExplanation(explanation: Explanation, loop: Loop): ExplanationText {
  const { situation, because, evidence, rules, pace, session, warnings, proof, next } = explanation;
  return {
    headline: situationText(situation),
    because: because.map(causeText),
    evidence: evidence.flatMap(evidenceLines),
    rules,
    pace,
    ...(session === undefined ? {} : { session }),
    doubts: describeDoubts(loop),
    warnings,
    proof,
    next: next.map((step) => adviceFor(step, loop.id)),
  };
}
