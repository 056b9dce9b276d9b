import { explain } from '../../core/index.ts';
import type { ScreenWords } from '../../tui/index.ts';
import { localInstant } from '../output/instants.ts';
import { phraseExplanation } from '../words/explanation.ts';
import { reasonText } from '../words/reasons.ts';
import { levelText, outcomeOf } from '../words/report.ts';

/** The texts that the screen shares with the lines of the command line. */
export const screenWords: ScreenWords = {
  explain: (loop, at) => phraseExplanation(explain(loop, at), loop),
  instant: localInstant,
  reason: (reason) => reasonText(reason).what,
  outcome: outcomeOf,
  level: levelText,
};
