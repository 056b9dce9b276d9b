import type { AskReason, Breakpoint, LoopConfig, Mode, QuestionPoint } from '../../protocol/index.ts';
import { firstMatch } from '../reports/patterns.ts';
import type { Loop } from '../state/loop.ts';

const hybridPatienceMs = 60_000;

/** How a loop is run now. */
export function modeOf({ config, supervision }: Pick<Loop, 'config' | 'supervision'>): Mode {
  return supervision.mode ?? configuredMode(config);
}

/** How a loop is run according to its settings. */
export function configuredMode({ mode, attended }: Pick<LoopConfig, 'mode' | 'attended'>): Mode {
  return mode ?? (attended ? 'attended' : 'unattended');
}

/** Whether a loop waits for a person, however long that takes. */
export function mustAsk(loop: Pick<Loop, 'config' | 'supervision'>): boolean {
  return modeOf(loop) === 'attended' && loop.config.ask.autoApproveAfter === undefined;
}

/** Where a loop asks in every mode. */
export function breakpointsOf({ config, supervision }: Pick<Loop, 'config' | 'supervision'>): readonly Breakpoint[] {
  return supervision.breakpoints ?? config.ask.breakpoints;
}

/** Why the loop has to ask before it goes on; nothing if it need not, or if this was decided already. */
export function reasonsToAsk(loop: Loop, point: QuestionPoint): readonly AskReason[] {
  const { approved } = loop.supervision;
  if (approved?.point === point && approved.iteration === iterationAt(loop, point)) return [];
  return point === 'completion' ? reasonsAtCompletion(loop) : reasonsBeforeIteration(loop);
}

/** The iteration that a question at a point is about. */
export function iterationAt({ position: { finished } }: Loop, point: QuestionPoint): number {
  return point === 'completion' ? finished : finished + 1;
}

/** What makes a hybrid loop switch to attended mode by itself: only what happened since the last decision. */
export function triggersToAttend(loop: Loop): readonly AskReason[] {
  const { config, supervision, position, totals } = loop;
  if (modeOf(loop) !== 'hybrid' || position.finished <= supervision.decidedAt.iteration) return [];
  const { onFailures, onTestRegression } = config.ask;
  return [
    ...(onFailures > 0 && totals.stats.iterationFailureStreak >= onFailures ? (['failures'] as const) : []),
    ...(onTestRegression && supervision.regressed ? (['test_regression'] as const) : []),
    ...(supervision.marks === undefined ? [] : (['pattern'] as const)),
  ];
}

/** How long a question waits for its answer; undefined for ever. */
export function patienceMs(loop: Loop): number | undefined {
  return loop.config.ask.autoApproveAfter ?? (modeOf(loop) === 'hybrid' ? hybridPatienceMs : undefined);
}

/** The patterns in an agent's output that make a loop ask; none unless it is hybrid. */
export function marksIn(loop: Loop, output: string): readonly string[] {
  if (modeOf(loop) !== 'hybrid') return [];
  return loop.config.ask.onPatterns.filter((pattern) => firstMatch([pattern], output) !== undefined);
}

/** The files that a loop has changed, summed over its iterations. */
export function filesChanged({ totals: { stats } }: Pick<Loop, 'totals'>): number {
  return stats.filesModified + stats.filesCreated + stats.filesDeleted;
}

function reasonsAtCompletion(loop: Loop): readonly AskReason[] {
  return [
    ...(modeOf(loop) === 'unattended' ? [] : (['completion'] as const)),
    ...(breakpointsOf(loop).includes('completion') ? (['breakpoint'] as const) : []),
  ];
}

function reasonsBeforeIteration(loop: Loop): readonly AskReason[] {
  const { config, supervision, position } = loop;
  const { before, everyIterations, everyFiles } = config.ask;
  const breakpoints = breakpointsOf(loop);
  const mode = modeOf(loop);
  const { iteration, files } = supervision.decidedAt;
  const isNews = position.finished > iteration;
  const hasRegressed = supervision.regressed === true && isNews && breakpoints.includes('test_regression');
  const isHybrid = mode === 'hybrid' && isNews;
  return [
    ...(mode === 'attended' && before === 'iteration' ? (['attended'] as const) : []),
    ...(breakpoints.includes(position.finished + 1) ? (['breakpoint'] as const) : []),
    ...(hasRegressed ? (['test_regression'] as const) : []),
    ...(isHybrid && position.finished - iteration >= everyIterations ? (['interval'] as const) : []),
    ...(isHybrid && filesChanged(loop) - files >= everyFiles ? (['files_changed'] as const) : []),
  ];
}
