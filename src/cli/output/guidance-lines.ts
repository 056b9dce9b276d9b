import { scrub } from '../../base/index.ts';
import type { Guidance } from '../../core/index.ts';
import { senderText } from '../words/sender.ts';
import { localInstant } from './instants.ts';
import { wrapLine } from './plain.ts';

/** What the list depends on besides the guidance. */
export interface GuidanceSetting {
  /** The current iteration, if there is one. */
  readonly current: number | undefined;
  readonly nowMs: number;
  readonly width: number;
}

const indent = '   ';

/** A list of guidance: a heading for each piece, its text below, and where it came from. */
export function guidanceLines(guidance: readonly Guidance[], setting: GuidanceSetting): readonly string[] {
  return guidance.flatMap((each) => [
    `${each.number}. ${each.standing ? 'standing' : 'once'}, ${deliveredText(each.delivered, setting.current)}`,
    ...scrub(each.text)
      .split('\n')
      .flatMap((line) => wrapLine(line.trimEnd(), setting.width - indent.length))
      .map((line) => `${indent}${line}`.trimEnd()),
    ...originLines(each, setting),
  ]);
}

/** When it was given, and by whom; guidance recorded by older versions has neither. */
function originLines({ at, sender }: Guidance, { nowMs, width }: GuidanceSetting): readonly string[] {
  const parts = [
    ...(at === undefined ? [] : [`at ${localInstant(Date.parse(at), nowMs)}`]),
    ...(sender === undefined ? [] : [`by ${senderText(sender)}`]),
  ];
  if (parts.length === 0) return [];
  return wrapLine(`given ${parts.join(' ')}`, width - indent.length).map((line) => `${indent}${line}`);
}

function deliveredText(delivered: Guidance['delivered'], current: number | undefined): string {
  if (delivered === undefined) return 'not delivered yet';
  const { first, last } = delivered;
  const underWay = last === current ? ' (under way)' : '';
  return first === last ? `in iteration ${first}${underWay}` : `in iterations ${first} to ${last}${underWay}`;
}
