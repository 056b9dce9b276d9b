import { type CurrentSettings, changedSettings, type DrivenLoop, showDifference } from '../../app/index.ts';
import { type SettingChange, whyFixed } from '../../protocol/index.ts';
import type { Surroundings } from '../surroundings.ts';
import { printLines } from './fit-lines.ts';
import { paintFor } from './paint.ts';
import { changeText } from './setting-change.ts';

/** Lists the settings from files and variables that differ from those of a resumed loop, and how to apply them. */
export async function printKeptSettings(
  { drive, redactor: { redact } }: DrivenLoop,
  { stderr }: Surroundings,
  { current, isReloaded }: { readonly current: CurrentSettings; readonly isReloaded: boolean },
): Promise<void> {
  const differences = (await changedSettings(drive.loop, current)).map(showDifference);
  if (differences.length === 0) return;
  const title = isReloaded
    ? 'These settings cannot change once a loop exists; it keeps its own:'
    : 'These settings have changed, but the loop keeps its own; "resume --reload" applies them:';
  const lines = differences.map((each) => `    ${redact(changeText(each))}${isReloaded ? reasonText(each) : ''}`);
  printLines(stderr, [paintFor(stderr).warn(`! ${title}`), ...lines]);
}

function reasonText({ setting }: SettingChange): string {
  const why = whyFixed(setting);
  return why === undefined ? '' : ` (${why})`;
}
