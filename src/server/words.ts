import type { LoopReport } from '../app/index.ts';
import type { Explanation, Loop } from '../core/index.ts';
import type { Advised, Explained, ReceiptText, StopReason } from '../protocol/index.ts';

/** A text with next steps as command lines. */
type WithCommands<Text extends { readonly next: readonly Advised[] }> = Omit<Text, 'next'> & {
  readonly next: readonly Pick<Advised, 'command' | 'does'>[];
};

/** The texts of the command line that the page shows as well, so that both say the same. */
export interface ServerWords {
  /** An explanation in words; its next steps are in the order of the explanation. */
  explain(explanation: Explanation, loop: Loop): WithCommands<Explained>;
  /** What a stop reason means, as a clause. */
  reason(reason: StopReason): string;
  report(found: LoopReport, nowMs: number): WithCommands<ReceiptText>;
  /** A report as a document. */
  reportDocument(text: WithCommands<ReceiptText>): Promise<string>;
}
