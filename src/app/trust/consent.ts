import { failures, headText, LoopError, visible } from '../../base/index.ts';
import type { BroughtLine } from '../../config/index.ts';
import { look, nodeFiles, quietly, resolveForeignFile } from '../../files/index.ts';
import { repositoryOf } from '../find-project.ts';
import { timestamp } from '../machine.ts';
import { isGranted, type Subject, writeGrant } from './grants.ts';

/** What a person, or a policy, decides about. */
export interface TrustRequest {
  /** The project, or the state folder of a loop. */
  readonly folder: string;
  /** The loop whose settings these are; without it, they are those of the project. */
  readonly loop?: string;
  /** What is not trusted yet, and all that comes with it. */
  readonly lines: readonly BroughtLine[];
  /** The user id of somebody else to whom the folder belongs. */
  readonly owner?: number;
}

/** The answer: yes from now on, yes for this time, or no. */
export type Trust = 'always' | 'once' | 'no';

/** Decides whether what a project brings may run. */
export type Consent = (request: TrustRequest) => Promise<Trust>;

/** The consent of whoever knows the project: a script, or the policy of a worker. */
export const trustProject: Consent = async () => 'once';

/** Who decides, and where that is remembered. */
export interface TrustPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asked about what is not trusted yet; without it, that is refused. */
  readonly consent?: Consent | undefined;
}

/** Refuses lines that nobody trusts. What is granted here is exactly what was parsed: nothing is read again. */
export async function assertTrusted(
  { folder, loop, lines }: Subject & { readonly lines: readonly BroughtLine[] },
  { env, consent }: TrustPlace,
): Promise<void> {
  const subject = { folder, ...(loop === undefined ? {} : { loop }) };
  if (isGranted(subject, lines, env)) return;
  const owner = foreignOwner(folder);
  const trust = (await consent?.({ ...subject, lines, ...(owner === undefined ? {} : { owner }) })) ?? 'no';
  if (trust === 'no') throw new LoopError(failures.projectNotTrusted(folder, summaryOf(lines), loop));
  if (trust === 'always') grantLines({ ...subject, lines }, env);
}

/** Remembers that the user trusts these lines of a project. */
export function grantLines({ lines, ...subject }: TrustRequest, env: TrustPlace['env']): void {
  // Without their values, which may be secrets, or those of an encrypted loop.
  const kept = lines.map(({ setting, where, id }) => ({ setting, where, id }));
  const { folder, loop } = subject;
  writeGrant(
    { folder, ...(loop === undefined ? {} : { loop }), scope: 'lines', lines: kept },
    { env, at: timestamp() },
  );
}

/** The same where it is only a convenience: without a place for it, the user is asked later. */
export function rememberLines(request: TrustRequest, env: TrustPlace['env']): void {
  quietly(() => grantLines(request, env));
}

/** Remembers that the user trusts whatever a folder and those below it bring. */
export function grantAny(folder: string, env: TrustPlace['env']): void {
  writeGrant({ folder, scope: 'any', lines: [] }, { env, at: timestamp() });
}

/** The project by which trust is remembered: a linked worktree counts as the repository that it belongs to. */
export function trustedFolder(cwd: string): string {
  const real = realPath(cwd);
  return repositoryOf(real) ?? real;
}

/** A path without symbolic links, as far as it exists. */
export function realPath(place: string): string {
  try {
    return resolveForeignFile(place);
  } catch {
    return place;
  }
}

const maxShown = 5;

/** The first lines, for those who cannot be shown all of them. */
function summaryOf(lines: readonly BroughtLine[]): string {
  const shown = lines
    .slice(0, maxShown)
    .map(({ where, setting, text }) => visible(`${where} ${setting}: ${headText(text, 200)}`));
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
}

function foreignOwner(folder: string): number | undefined {
  const owner = look(nodeFiles, folder)?.userId;
  return owner === process.getuid?.() ? undefined : owner;
}
