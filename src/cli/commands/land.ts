import { type LandingReport, landLoop, placeOf } from '../../app/index.ts';
import { exitCodes, failures, LoopError, scrub } from '../../base/index.ts';
import type { CheckProgress } from '../../protocol/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { oneLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { fleetAddressOf, placeFor } from '../place.ts';
import { projectFolder } from '../project-folder.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';
import { consentFor } from '../trust/consent.ts';

const methods = ['merge', 'ff-only', 'squash'];

/** `ralphd land`: brings the branch of a loop back into the branch that it started from. */
export async function landCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { stdout, stderr, cwd, env } = surroundings;
  const consent = consentFor(invocation, surroundings);
  const [first, second] = methods.filter((name) => options[name] === true);
  if (first !== undefined && second !== undefined) {
    throw new LoopError(failures.conflictingOptions(`--${first}`, `--${second}`));
  }
  const { config } = await settingsFor(invocation, surroundings);
  const place =
    fleetAddressOf(invocation, surroundings) === undefined
      ? placeOf(config, projectFolder(invocation, surroundings))
      : await placeFor(invocation, surroundings);
  const asJson = options['json'] === true;
  const into = options['into'];
  using interrupts = listenForInterrupts();
  const report = await landLoop(place, args[0], {
    context: { cwd, env, consent },
    method: config.land,
    into: typeof into === 'string' ? into : undefined,
    commit: options['commit'] === true,
    keep: options['keep'] === true,
    force: options['force'] === true,
    dryRun: options['dry-run'] === true,
    signal: interrupts.signal,
    ...(asJson ? {} : { onCheck: (check) => printLines(stderr, checkLines(check)) }),
  });
  if (asJson) stdout.write(jsonLine(report));
  else printLines(stdout, lines(report).map(scrub));
  return exitCodes.completed;
}

function listenForInterrupts(): Disposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  const dispose = () => {
    process.off('SIGINT', end);
    process.off('SIGTERM', end);
  };
  return { signal: stop.signal, [Symbol.dispose]: dispose };
}

function checkLines({ command, verdict }: CheckProgress): readonly string[] {
  return verdict === undefined ? [] : [`${verdict.replaceAll('_', ' ')}: ${oneLine(command, 200)}`];
}

function lines(report: LandingReport): string[] {
  const { branch, into, committed, removed, kept } = report;
  return [
    resultText(report),
    ...(committed.length === 0 ? [] : [`  committed first: ${oneLine(committed.join(', '), 200)}`]),
    ...removed.map((name) => `  removed: ${name}`),
    ...kept.map(({ what, why }) => `  kept: ${what} (${why})`),
    ...(report.result === 'would_land'
      ? [`  Nothing was changed. ${branch} merges into ${into} without conflicts.`]
      : []),
  ];
}

function resultText({ result, loopId, into, method, commit, ...report }: LandingReport): string {
  const how = method === undefined ? '' : ` (${method}, ${commit?.slice(0, 12)})`;
  if (result === 'already_landed') return `${loopId} has already landed in ${into}${how}.`;
  if (result === 'would_land') return `${loopId} would land in ${into} (${method}); the checks would run first.`;
  return `${loopId} has landed in ${into}${how}: ${proofText(report)}.`;
}

function proofText({ verified, checks }: Pick<LandingReport, 'verified' | 'checks'>): string {
  if (checks === 0) return 'unverified, because the loop has no checks';
  const passed = `${checks === 1 ? 'its check' : `all ${checks} checks`} passed on the merged work`;
  return verified ? passed : `${passed}, but the loop itself is unverified`;
}
