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
  const hidden = isFailed(run) ? sandbox.hiddenPlace(run.stderr.toString()) : undefined;
  if (hidden !== undefined) report?.(hiddenWarning(hidden));
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

function isFailed({ ending }: SupervisedRun): boolean {
  return ending.kind === 'exited' && ending.code !== 0;
}

function hiddenWarning(place: string): string {
  return `The agent did not find ${place}, which the sandbox hides. To show it, list it or a folder around it in "sandboxPaths.show".`;
}
