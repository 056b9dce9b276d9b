import { failures, LoopError } from '../base/index.ts';
import { describeSchedule, nextOpening } from '../core/index.ts';
import type { LoopConfig } from '../protocol/index.ts';
import { isInRepository } from '../workspace/index.ts';
import { findScarce, scarceMessage } from './adapters/disk-space.ts';
import { thisMachine } from './machine.ts';

/** The configuration with the machine's time zone, where its schedules name none, because the loop may be resumed elsewhere. */
export function withTimeZone(config: LoopConfig): LoopConfig {
  const { schedule, modeSchedule } = config;
  if (schedule === undefined && modeSchedule.length === 0) return config;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return {
    ...config,
    ...(schedule === undefined ? {} : { schedule: { ...schedule, timeZone: schedule.timeZone ?? timeZone } }),
    modeSchedule: modeSchedule.map((each) => ({ ...each, timeZone: each.timeZone ?? timeZone })),
  };
}

/** Refuses limits that cannot be measured here, and a schedule under which no iteration could ever start. */
export async function assertBoundsWork(
  config: LoopConfig,
  { workingDirectory, env }: { readonly workingDirectory: string; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  const { maxLinesChanged, schedule } = config;
  assertSpace(config, workingDirectory);
  if (schedule !== undefined && nextOpening(schedule, thisMachine.clock.nowMs()) === undefined) {
    throw new LoopError(failures.scheduleNeverOpens(describeSchedule(schedule)));
  }
  if (maxLinesChanged === undefined) return;
  if (!(await isInRepository(workingDirectory, env))) {
    throw new LoopError(
      failures.changesNotCounted('maxLinesChanged', `${workingDirectory} is not in a git repository`),
    );
  }
}

/** Refuses to start or resume a loop that would pause at once because too little space is free. */
export function assertSpace({ resources: { minFreeDisk } }: LoopConfig, workingDirectory: string): void {
  const scarce =
    minFreeDisk === undefined ? undefined : findScarce({ minFreeBytes: minFreeDisk, folders: [workingDirectory] });
  if (scarce !== undefined) throw new LoopError(failures.diskLow(scarceMessage(scarce)));
}
