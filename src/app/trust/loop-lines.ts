import { type BroughtLine, broughtLines, lineOf } from '../../config/index.ts';
import type { Loop } from '../../core/index.ts';
import { quietly } from '../../files/index.ts';
import { encodeConfig } from '../../protocol/index.ts';
import { assertTrusted, realPath, rememberLines, type TrustPlace } from './consent.ts';
import { removeGrants, type Subject } from './grants.ts';

/** A loop, by its state folder and its id. */
interface LoopRoot {
  readonly root: string;
}

/**
 * Refuses a loop whose settings neither this user started nor trusts: a repository can bring its own state folder, and an
 * agent can write into that of its loop.
 */
export async function assertLoopTrusted(loop: Loop, place: LoopRoot, trust: TrustPlace): Promise<void> {
  await assertTrusted(loopSubject(loop, place), trust);
}

/** Remembers the settings with which a loop runs, so that it can be resumed without a question. */
export function rememberLoop(loop: Loop, place: LoopRoot, env: TrustPlace['env']): void {
  const subject = loopSubject(loop, place);
  // Without a place for it, or with a full disk, the loop runs all the same, but is asked about when it is resumed.
  if (subject.lines.length > 0) rememberLines(subject, env);
}

/** Forgets what was remembered of a loop that is removed. */
export function forgetLoop(loopId: string, { root }: LoopRoot, env: TrustPlace['env']): void {
  const folder = realPath(root);
  quietly(() => void removeGrants((grant) => grant.folder === folder && grant.loop === loopId, env));
}

/** What a loop would run, send or weaken when it is resumed. */
export function loopSubject(loop: Loop, { root }: LoopRoot): Subject & { readonly lines: readonly BroughtLine[] } {
  return { folder: realPath(root), loop: loop.id, lines: linesOf(loop) };
}

function linesOf(loop: Loop): readonly BroughtLine[] {
  const { config, gate, origin } = loop;
  const before = latest.get(config);
  if (before !== undefined && before.checks === gate.checks && before.folder === origin.workingDirectory)
    return before.lines;
  const lines = findLines(loop);
  latest.set(config, { checks: gate.checks, folder: origin.workingDirectory, lines });
  return lines;
}

// What is remembered of a loop is usually what was just checked. A loop that is read again is checked again.
const latest = new WeakMap<
  Loop['config'],
  { readonly checks: unknown; readonly folder: string; readonly lines: readonly BroughtLine[] }
>();

function findLines({ config, gate, origin: { workingDirectory } }: Loop): readonly BroughtLine[] {
  const locate = (path: readonly PropertyKey[]) => `the loop's ${path.map(String).join('.')}`;
  const settings = broughtLines({ values: encodeConfig(config), given: config, locate, folder: workingDirectory });
  const checks = gate.checks.map((value) =>
    lineOf({ setting: 'check', asks: 'runs', where: "the loop's checks", value }),
  );
  return [...settings.filter(({ setting }) => setting !== 'verify'), ...checks];
}
