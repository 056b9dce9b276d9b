import { roughDuration, shortCount } from '../../base/index.ts';
import { amountUsed, boundOf } from '../../core/index.ts';
import { type Limit, limitsToShow, type RuleStanding, stopReasonTable, streakRules } from '../../protocol/index.ts';
import { type LoopModel, runningMsOf } from '../../views/index.ts';
import { cell, faint, type Line, line, span } from '../text.ts';
import { age } from './times.ts';

/** How much of something is used, of how much. */
export interface Meter {
  readonly name: string;
  /** Such as `≥$10.21 of $25.00`. */
  readonly text: string;
  /** 0 to 1; missing where there is no bound, or nothing is known. */
  readonly share?: number;
  /** Where on the bar something happens, 0 to 1. */
  readonly mark?: number;
  readonly note?: string;
}

/** How many in a row, of how many that stop the loop. */
export interface Streak {
  readonly name: string;
  readonly count: number;
  readonly max: number;
}

/** The limits that are set, nearest first, and always the cost. */
export function metersOf(model: LoopModel, nowMs: number): readonly Meter[] {
  const rows = limitsToShow.flatMap((limit) => {
    const bound = boundOf(limit, model.loop.config);
    return bound === undefined && limit.setting !== 'maxCostUsd' ? [] : [meterOf(model, { limit, bound, nowMs })];
  });
  return [...rows.toSorted((one, other) => (other.share ?? -1) - (one.share ?? -1)), ...contextMeter(model)];
}

const shortNames: Readonly<Partial<Record<Limit['setting'], string>>> = {
  maxTime: 'time',
  maxFilesChanged: 'files changed',
  maxLinesChanged: 'lines changed',
};

interface Measured {
  readonly limit: Limit;
  readonly bound: number | undefined;
  readonly nowMs: number;
}

function meterOf(model: LoopModel, { limit, bound, nowMs }: Measured): Meter {
  const { loop } = model;
  const { spent } = loop.totals;
  const used = limit.setting === 'maxTime' ? runningMsOf(model, nowMs) : amountUsed(limit, loop);
  const silent = limit.reported === undefined ? 0 : spent[limit.reported.unreported];
  const isUnknown = limit.reported !== undefined && (spent.runs === 0 ? bound === undefined : silent === spent.runs);
  const amount = isUnknown ? '?' : `${silent > 0 ? '≥' : ''}${amountIn(limit, used)}`;
  const name = shortNames[limit.setting] ?? limit.many;
  if (bound === undefined) return { name, text: isUnknown && spent.runs > 0 ? 'not reported' : amount };
  return {
    name,
    text: `${amount} of ${limit.unit === 'time' ? roughDuration(bound) : amountIn(limit, bound)}`,
    ...(isUnknown ? {} : { share: Math.min(1, used / bound) }),
    ...noteOf(model, limit, { silent, used }),
  };
}

function noteOf({ loop }: LoopModel, { setting }: Limit, { silent, used }: { silent: number; used: number }) {
  if (setting !== 'maxCostUsd') return {};
  if (silent > 0) return { note: `${silent} ${silent === 1 ? 'run' : 'runs'} unknown` };
  const { finished } = loop.position;
  return finished === 0 ? {} : { note: `~$${(used / finished).toFixed(2)} each` };
}

function amountIn({ unit }: Limit, amount: number): string {
  if (unit === 'time') return age(amount);
  return unit === 'money' ? `$${amount.toFixed(2)}` : shortCount(amount);
}

/** How full the context of the agent's session is; no stop rule, so it comes last. */
function contextMeter({ loop: { session, config } }: LoopModel): readonly Meter[] {
  const percent = session.current?.contextPercent;
  if (percent === undefined) return [];
  const redline = config.contextRedlinePercent;
  const isRebooted = config.session.strategy === 'continue';
  return [
    {
      name: 'context',
      text: `${Math.round(percent)} %`,
      share: Math.min(1, percent / 100),
      ...(isRebooted ? { mark: redline / 100, note: `reboot at ${redline} %` } : {}),
    },
  ];
}

const streakNames = {
  same_error: 'same error',
  iteration_failures: 'failed in a row',
  test_failures: 'test failures',
  no_progress: 'no progress',
} as const;

/** The rules that count iterations in a row, nearest first. */
export function streaksOf({ view, loop: { config } }: LoopModel): readonly Streak[] {
  const standing = new Map<string, RuleStanding>(view.rules.map((each) => [each.rule, each]));
  const rows = streakRules.flatMap((name) => {
    const near = standing.get(name)?.near;
    if (near === undefined || near === null) return [];
    const max = config.stopConditions[stopReasonTable[name].streak.setting];
    return [{ name: streakNames[name], count: Math.round(near * max), max }];
  });
  return rows.toSorted((one, other) => other.count / other.max - one.count / one.max);
}

/** A bar of this many columns; above 0 it is never empty, and only what is used up is full. */
export function bar({ share, mark }: Pick<Meter, 'share' | 'mark'>, columns: number): Line {
  if (share === undefined) return line(' '.repeat(columns));
  const halves = share >= 1 ? columns * 2 : Math.min(columns * 2 - 1, Math.ceil(share * columns * 2));
  const full = Math.floor(halves / 2);
  const filled = '━'.repeat(full) + (halves % 2 === 1 ? '╸' : '');
  const rest = '─'.repeat(columns - filled.length);
  const at = mark === undefined ? -1 : Math.min(columns - 1, Math.floor(mark * columns));
  if (at < filled.length) return line(span(filled), faint(rest));
  const before = at - filled.length;
  return line(span(filled), faint(rest.slice(0, before)), span('┃'), faint(rest.slice(before + 1)));
}

const maxPips = 8;

/** A streak as boxes that can be counted; many become a bar. */
export function pips({ count, max }: Streak, columns: number): Line {
  if (max > Math.min(maxPips, columns)) return bar({ share: count / max }, columns);
  const tone = count >= max ? 'bad' : 'plain';
  return cell(line(span('■'.repeat(count), tone), '□'.repeat(Math.max(0, max - count))), columns);
}
