import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { GateRun, GateTask } from '../../core/index.ts';
import { protectionOf } from '../../protocol/index.ts';
import {
  createPathMatcher,
  isReadError,
  joinRaw,
  type RawPath,
  realFolder,
  toBytes,
  toRaw,
  toText,
} from '../../workspace/index.ts';
import { withNote } from '../check-run.ts';
import type { GateSetting } from '../setting.ts';
import { type Candidate, type CandidateFile, readCandidate, touchedSince } from './candidate.ts';
import { findTop, namesFromGit } from './git-files.ts';

const maxNamed = 10;
const maxWrites = 200;

/** Binds a run in the work tree to the files as they were before it, and lists those that changed while it ran. */
export async function bindToTree(
  run: GateRun,
  before: Candidate | undefined,
  { setting, task }: { readonly setting: GateSetting; readonly task: GateTask },
): Promise<GateRun> {
  if (before === undefined) return run;
  const tree = run.verdict === 'passed' ? { tree: before.tree } : {};
  const writes = (await touchedIn(before, setting)).slice(0, maxWrites);
  const expected = new Set(task.expectedWrites);
  const unexpected = task.purpose === 'baseline' ? [] : writes.filter((file) => !expected.has(file));
  const warning = `These files changed while the checks ran: ${listed(unexpected)}.`;
  return {
    ...run,
    ...tree,
    ...(writes.length === 0 ? {} : { writes }),
    ...(unexpected.length === 0 ? {} : { warnings: [...(run.warnings ?? []), warning] }),
  };
}

async function touchedIn(before: Candidate, setting: GateSetting): Promise<readonly string[]> {
  try {
    return touchedSince(before, await readingOptions(before.top, setting));
  } catch (error) {
    if (!isReadError(error)) throw error;
    return [];
  }
}

/**
 * Binds a passed run to the files of the checkout in which it ran, as they were before it. Where git, a filter or another
 * process altered the work on checkout, the checks prove nothing.
 */
export function bindToCheckout(
  run: GateRun,
  { work, checkout }: { readonly work: Candidate | undefined; readonly checkout: Candidate | undefined },
  setting: GateSetting,
): GateRun {
  if (run.verdict !== 'passed' || checkout === undefined || work === undefined) return run;
  const { differing, lineEndings } = compare(work, checkout, isRestored(work.top, setting));
  if (differing.length > 0) return refused(run, differing);
  const warning = `git converts line endings on checkout, so the checks saw different bytes in ${listed(lineEndings)}`;
  const warnings = [...(run.warnings ?? []), ...(lineEndings.length === 0 ? [] : [warning])];
  return { ...run, tree: checkout.tree, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** Reads the files of the work tree that contains a folder; undefined where they cannot be read. */
export async function readFolder(folder: string, setting: GateSetting): Promise<Candidate | undefined> {
  try {
    const top = findTop(folder);
    // A checkout contains links to the folders that it shares with the work tree.
    const shared = setting.config.verifyShare.map((name) => path.join(folder, name)).filter(isLink);
    const { exclude, names } = await readingOptions(top, setting);
    return readCandidate(top, { exclude: [...exclude, ...shared], names });
  } catch (error) {
    if (!isReadError(error)) throw error;
    return undefined;
  }
}

async function readingOptions(top: string, { env, own = [] }: GateSetting) {
  return { exclude: own, names: await namesFromGit(top, env) };
}

function isLink(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** With strict protection a checkout contains the original protected files. */
function isRestored(top: string, { config, workingDirectory }: GateSetting): (file: RawPath) => boolean {
  const { mode, paths } = protectionOf(config.protect);
  const isProtected = createPathMatcher(paths);
  const prefix = path.relative(top, realFolder(workingDirectory));
  return (file) => mode === 'strict' && isProtected(path.relative(prefix, toText(file)));
}

interface Differences {
  readonly differing: readonly string[];
  /** Files that differ only in their line endings. */
  readonly lineEndings: readonly string[];
}

/** Modes are not compared: not every file system has them. */
function compare(work: Candidate, checkout: Candidate, isExempt: (file: RawPath) => boolean): Differences {
  const rest = new Map(checkout.files.map((file) => [file.path, file]));
  const differing: string[] = [];
  const lineEndings: string[] = [];
  for (const file of work.files) {
    const checked = rest.get(file.path);
    rest.delete(file.path);
    if (isExempt(file.path) || (checked !== undefined && isSame(file, checked))) continue;
    const isText = checked !== undefined && hasSameLines(file, [work.top, checkout.top]);
    (isText ? lineEndings : differing).push(toText(file.path));
  }
  const added = [...rest.keys()].filter((file) => !isExempt(file)).map(toText);
  return { differing: [...differing, ...added], lineEndings };
}

function isSame(one: CandidateFile, other: CandidateFile): boolean {
  return one.id === other.id && (one.mode === '120000') === (other.mode === '120000');
}

function hasSameLines({ path: file, mode }: CandidateFile, tops: readonly string[]): boolean {
  if (mode === '120000') return false;
  const [one, other] = tops.map((top) => {
    const place = joinRaw(toRaw(top), file);
    return isLink(toText(place)) ? undefined : readFileSync(toBytes(place), 'latin1').replaceAll('\r\n', '\n');
  });
  return one !== undefined && one === other;
}

function refused(run: GateRun, differing: readonly string[]): GateRun {
  const note = `Nothing is proven, because the checkout differs from the work tree: ${listed(differing)}`;
  const checks = run.checks.map((check) => ({
    ...check,
    verdict: 'unverifiable' as const,
    output: withNote(check.output, note),
  }));
  return { ...run, verdict: 'unverifiable', checks };
}

function listed(files: readonly string[]): string {
  const rest = files.length - maxNamed;
  return `${files.slice(0, maxNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
