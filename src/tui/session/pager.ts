import { openPager } from '../../app/index.ts';
import type { ScreenSetting } from './setting.ts';

/** Shows lines in the person's pager; returns what to tell them afterwards, if anything. */
export async function pageLines(lines: readonly string[], { context }: ScreenSetting): Promise<string | undefined> {
  if (await openPager(`${lines.join('\n')}\n`, context)) return undefined;
  return `The pager ${JSON.stringify(context.env['PAGER'] ?? 'less')} was not found: set PAGER to one that is installed.`;
}
