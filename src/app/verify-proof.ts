import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { checkProof, compareWithJournal, type ProofLine, proofLine } from '../core/index.ts';
import { createGate, findTop, namesFromGit, readCandidate } from '../gate/index.ts';
import { configSchema, type ProofBundle, readProofBundle } from '../protocol/index.ts';
import { gitSucceeds, isReadError } from '../workspace/index.ts';
import { digestOfProof, type ProofContext, rebuildProof, revisions } from './prove-loop.ts';
import type { LoopPlace } from './stores.ts';

/** The result of a verification. */
export interface ProofVerification {
  readonly loopId: string;
  /** Whether nothing contradicts the proof. */
  readonly holds: boolean;
  readonly lines: readonly ProofLine[];
}

/** What to compare a proof with. */
export interface VerifyOptions {
  /** The proof's own file, which is not part of the work. */
  readonly file: string;
  /** The checkout to compare it with. */
  readonly repo?: string | undefined;
  /** Whether to run its commands again there. */
  readonly run: boolean;
  readonly signal: AbortSignal;
}

/** Verifies a proof by itself and against a checkout, the journal and a new run, as far as they are available. */
export async function verifyProof(
  text: string,
  place: LoopPlace,
  { options, context }: { readonly options: VerifyOptions; readonly context: ProofContext },
): Promise<ProofVerification> {
  const { raw, bundle } = parse(text, options.file);
  const lines = [
    proofLine('digest', digestProblem(raw, bundle), 'the document is unchanged'),
    ...checkProof(bundle),
    ...journalLines(bundle, place, context),
    ...(options.repo === undefined ? [] : await repositoryLines(bundle, options.repo, { place, options, context })),
    ...(options.run ? await runLines(bundle, options.repo ?? place.workingDirectory, { place, options, context }) : []),
  ];
  return { loopId: bundle.loop.id, holds: lines.every(({ result }) => result !== 'broken'), lines };
}

interface Setting {
  readonly place: LoopPlace;
  readonly options: VerifyOptions;
  readonly context: ProofContext;
}

function parse(text: string, file: string): { readonly raw: object; readonly bundle: ProofBundle } {
  const raw = parseJson(text);
  if (typeof raw !== 'object' || raw === null)
    throw new LoopError(failures.proofUnreadable(file, 'it is not a JSON object'));
  const bundle = readProofBundle(raw);
  if (typeof bundle === 'string') throw new LoopError(failures.proofUnreadable(file, bundle));
  return { raw, bundle };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function digestProblem(raw: object, { digest }: ProofBundle): string | undefined {
  const actual = digestOfProof(raw);
  return actual === digest ? undefined : `the document was changed: its digest is ${actual}, not ${digest}`;
}

function journalLines(bundle: ProofBundle, place: LoopPlace, context: ProofContext): readonly ProofLine[] {
  const found = rebuildProof(place, bundle, context);
  if (found === undefined) {
    return [{ name: 'journal', result: 'unknown', detail: `loop ${bundle.loop.id} is not in ${place.root}` }];
  }
  const [problem] = found.problems;
  return problem === undefined ? compareWithJournal(bundle, found.proof) : [proofLine('journal', problem, '')];
}

async function repositoryLines(bundle: ProofBundle, repo: string, setting: Setting): Promise<readonly ProofLine[]> {
  const top = findTop(repo);
  return [await treeLine(bundle, top, setting), await commitLine(bundle, top, setting.context.env)];
}

async function treeLine({ proof }: ProofBundle, top: string, setting: Setting): Promise<ProofLine> {
  const { tree } = proof;
  if (tree === null) return { name: 'tree', result: 'unknown', detail: 'the proof names no tree' };
  const { env } = setting.context;
  const own = [setting.options.file, setting.place.root];
  const found = await readTree(top, own, env);
  if (typeof found === 'string') return proofLine('tree', found, '');
  if (found.id === tree.id) return proofLine('tree', undefined, `${found.files} files, tree ${found.id}`);
  const what = `this checkout is tree ${found.id} with ${found.files} files, but the proof is for ${tree.id} with ${tree.files}`;
  return proofLine('tree', `${what}${await explainDifference(top, proof, env)}`, '');
}

/** Files that git reports as unchanged can still differ from the commit in their bytes, so that is no proof. */
async function explainDifference(
  top: string,
  { tree, commit }: ProofBundle['proof'],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const [head, headTree] = await revisions(top, ['HEAD', 'HEAD^{tree}'], env);
  if (!(await gitSucceeds(top, { args: ['diff-index', '--quiet', 'HEAD', '--'], env }))) return '';
  if (headTree === tree?.id) {
    return '; HEAD has exactly the files of the proof, but line endings, a filter or new files make this checkout differ';
  }
  return head !== undefined && head === commit?.id
    ? '; HEAD is the commit of the proof, so line endings, a filter or uncommitted files make the difference'
    : '';
}

async function readTree(top: string, exclude: readonly string[], env: NodeJS.ProcessEnv) {
  try {
    return readCandidate(top, { exclude, names: await namesFromGit(top, env) }).tree;
  } catch (error) {
    if (!isReadError(error)) throw error;
    return `the files cannot be read: ${error.message}`;
  }
}

async function commitLine({ proof }: ProofBundle, top: string, env: NodeJS.ProcessEnv): Promise<ProofLine> {
  const { commit, tree } = proof;
  const unknown = (detail: string): ProofLine => ({ name: 'commit', result: 'unknown', detail });
  if (commit === null) return unknown('the proof names no commit');
  if (!/^[0-9a-f]{40,64}$/.test(commit.id)) return proofLine('commit', `${commit.id} is not a commit id`, '');
  const [present] = await revisions(top, [`${commit.id}^{tree}`], env);
  if (present === undefined) return unknown(`${commit.id} is not in this repository`);
  if (present === tree?.id) return proofLine('commit', undefined, `${commit.id} holds exactly these files`);
  if (!commit.holdsEverything) return unknown(`${commit.id} does not hold everything: some files were not committed`);
  return unknown(
    `${commit.id} holds everything as git stores it; a filter, line endings or a submodule make its tree differ`,
  );
}

async function runLines(bundle: ProofBundle, repo: string, setting: Setting): Promise<readonly ProofLine[]> {
  const { place, options, context } = setting;
  const config = configSchema.parse({ verifyIn: 'tree' });
  const workingDirectory = path.join(findTop(repo), bundle.proof.folder);
  const gate = createGate({
    config,
    workingDirectory,
    env: context.env,
    uuid: randomUUID(),
    loopId: bundle.loop.id,
    own: [options.file, place.root],
  });
  const task = { checks: bundle.commands, guards: [], purpose: 'gate', isRepeat: false } as const;
  const run = await gate.run(task, { signal: options.signal, kill: options.signal });
  if (run === undefined) return [proofLine('run', 'it was interrupted', '')];
  const failed = run.checks.filter(({ verdict }) => verdict !== 'passed');
  const named = failed.map(({ command, verdict }) => `"${command}" is ${verdict}`).join(', ');
  return [
    proofLine('run', failed.length === 0 ? undefined : named, 'every check passes again'),
    countsLine(bundle.final.tests, run.tests),
  ];
}

type Counts = Pick<NonNullable<ProofBundle['final']['tests']>, 'total' | 'passed'>;

function countsLine(before: Counts | undefined, now: Counts | undefined): ProofLine {
  const text = (tests: Counts | undefined) =>
    tests === undefined ? 'no tests were counted' : `${tests.passed} of ${tests.total} tests passed`;
  const isSame = before?.total === now?.total && before?.passed === now?.passed;
  return proofLine('run.tests', isSame ? undefined : `${text(now)}; in the proof ${text(before)}`, text(now));
}
