import type { SupervisedRun } from '../../process/index.ts';
import type { AttemptKey } from '../../runner/index.ts';
import type { Outcome, Sandbox } from '../../sandbox/index.ts';

/** How an attempt is named among the runs in a sandbox. */
export function runNameOf({ iteration, attempt }: AttemptKey): string {
  return `${iteration}-${attempt}`;
}

/** A run of the agent, and what its sandbox knows about it. */
export interface EnclosedRun {
  readonly run: SupervisedRun;
  readonly denied: readonly string[];
}

/** What a run in a sandbox means: one that could not be created started no agent. */
export function settleSandbox(
  run: SupervisedRun,
  { sandbox, key, report }: { sandbox: Sandbox | undefined; key: AttemptKey; report?: (message: string) => void },
): EnclosedRun {
  if (sandbox === undefined) return { run, denied: [] };
  const { failed, denied, warnings }: Outcome = sandbox.outcome(runNameOf(key));
  for (const warning of warnings) report?.(warning);
  if (!failed || run.ending.kind !== 'exited') return { run, denied };
  const why = run.stderr.toString().trim().split('\n').at(-1) || 'bubblewrap gave no reason';
  const ending = {
    kind: 'not_started',
    what: 'command',
    code: 'SANDBOX',
    message: `no sandbox could be created: ${why}`,
  } as const;
  return { run: { ...run, ending }, denied };
}
