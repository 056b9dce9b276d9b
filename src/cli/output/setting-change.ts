import type { SettingChange } from '../../protocol/index.ts';
import { oneLine } from './plain.ts';

/** A changed setting in one line: its path, its old value, its new value. */
export function changeText({ setting, from, to }: SettingChange): string {
  if (from === undefined && to === undefined) return `${setting}: changed`;
  return `${setting}: ${oneLine(from ?? 'not set', 80)} -> ${oneLine(to ?? 'not set', 80)}`;
}
