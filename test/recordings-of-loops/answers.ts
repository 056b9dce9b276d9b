import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { casesOf, type Format, type UnpackedLoop } from './unpack.ts';

/** What a version of ralphd reports about a loop. */
export interface Answers {
  readonly status: Readonly<Record<string, unknown>>;
  readonly explain: Readonly<Record<string, unknown>>;
  readonly recover: Readonly<Record<string, unknown>>;
}

type Answer = Readonly<Record<string, unknown>>;

/** Runs a command in a project to its end. */
export type RunIn = (
  project: string,
  args: readonly string[],
) => Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;

/** Runs the program of any version as a process. */
export function programOf(launcher: string): RunIn {
  return async (cwd, args) => {
    const options = { cwd, env: environmentIn(cwd), encoding: 'utf8' } as const;
    const { status, ...output } = spawnSync(process.execPath, [launcher, ...args], options);
    return await Promise.resolve({ code: status, ...output });
  };
}

/** The whole environment of a program. */
export function environmentIn(project: string): Readonly<Record<string, string>> {
  return { PATH: '/usr/bin:/bin', HOME: path.join(project, 'home') };
}

const shown = [
  'status',
  'phase',
  'reason',
  'verified',
  'iteration',
  'attempt',
  'agent',
  'task',
  'startedAt',
  'endedAt',
];
const alsoShown = ['runningMs', 'stats', 'spent', 'proof', 'notes', 'best', 'lastGate', 'tests', 'measures'];

/** Queries a version of ralphd about a loop without changing anything. Keeps only what does not depend on wording. */
export async function askAbout(run: RunIn, { project, loopId }: UnpackedLoop): Promise<Answers> {
  const status = await ask(run, project, 'status', loopId);
  const explained = await ask(run, project, 'explain', loopId);
  const recovered = await ask(run, project, 'recover', loopId, '--dry-run');
  return {
    status: { ...pick(status, ['exit', 'code', ...shown, ...alsoShown]), problems: lengthOf(status['problems']) },
    explain: pick(explained, ['exit', 'code', 'status', 'reason']),
    recover: {
      ...pick(recovered, ['exit', 'code', 'status', 'iteration', 'lastSeq']),
      source: (recovered['source'] as { readonly kind: string } | undefined)?.kind ?? 'none',
      problems: lengthOf(recovered['problems']),
      done: lengthOf(recovered['done']),
    },
  };
}

/** Runs a command with `--json`; `exit` is its exit code, `code` the code of its error. */
export async function ask(run: RunIn, project: string, ...args: readonly string[]): Promise<Answer> {
  const { code: exit, stdout, stderr } = await run(project, [...args, '--json']);
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const code = /code: (\w+)/.exec(stderr)?.[1];
  return { exit, ...(code && { code }), ...(last === '' ? {} : (JSON.parse(last) as Answer)) };
}

/** What a version of ralphd reports about every recorded loop of a format, and about the damaged ones. */
async function allAnswers(run: RunIn, format: Format): Promise<Readonly<Record<string, Answers>>> {
  const base = mkdtempSync(path.join(os.tmpdir(), 'ralphd-answers-'));
  try {
    const answers: Record<string, Answers> = {};
    for (const { name, unpack } of casesOf(format)) answers[name] = await askAbout(run, unpack(path.join(base, name)));
    return answers;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function pick(answer: Answer, names: readonly string[]): Answer {
  return Object.fromEntries(names.flatMap((name) => (name in answer ? [[name, answer[name]]] : [])));
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

// `answers.ts LAUNCHER FORMAT` writes the answers of the version that made the recordings.
const [, script, launcher, format] = process.argv;
if (script === import.meta.filename && launcher !== undefined && format !== undefined) {
  const answers = await allAnswers(programOf(path.resolve(launcher)), format as Format);
  writeFileSync(path.join(import.meta.dirname, format, 'answers.json'), `${JSON.stringify(answers, undefined, 2)}\n`);
}
