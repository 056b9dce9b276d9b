import type { ServerWords } from '../../server/index.ts';
import { phraseExplanation } from '../words/explanation.ts';
import { reasonText } from '../words/reasons.ts';
import { phraseReport } from '../words/report.ts';

/** The texts that the page shares with the lines of the command line. */
export const serverWords: ServerWords = {
  explain: phraseExplanation,
  reason: (reason) => reasonText(reason).what,
  report: phraseReport,
  reportDocument: async (text) => (await import('../output/report/report-markdown.ts')).reportMarkdown(text),
};
