import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { casesOf, type Format, type UnpackedLoop } from './unpack.ts';

/** What a version of ralphd says about a loop that it finds. */
export interface Answers {
  readonly status: Readonly<Record<string, unknown>>;
  readonly explain: Readonly<Record<string, unknown>>;
  readonly recover: Readonly<Record<string, unknown>>;
}

type Answer = Readonly<Record<string, unknown>>;

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

/** Asks a version of ralphd about a loop, without changing anything. Only what no change of wording touches is kept. */
export function askAbout(launcher: string, { project, loopId }: UnpackedLoop): Answers {
  const status = ask(launcher, project, 'status', loopId);
  const explained = ask(launcher, project, 'explain', loopId);
  const recovered = ask(launcher, project, 'recover', loopId, '--dry-run');
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

/** Runs a command with `--json`; `exit` is its exit code, and `code` that of its error. */
export function ask(launcher: string, project: string, ...args: readonly string[]): Answer {
  const env = { PATH: '/usr/bin:/bin', HOME: path.join(project, 'home') };
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args, '--json'], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const code = /code: (\w+)/.exec(stderr)?.[1];
  return { exit: status, ...(code && { code }), ...(last === '' ? {} : (JSON.parse(last) as Answer)) };
}

/** What a version of ralphd says about every recorded loop of a format, and about the damaged ones. */
function allAnswers(launcher: string, format: Format): Readonly<Record<string, Answers>> {
  const base = mkdtempSync(path.join(os.tmpdir(), 'ralphd-answers-'));
  try {
    const cases = casesOf(format).map((each) => [
      each.name,
      askAbout(launcher, each.unpack(path.join(base, each.name))),
    ]);
    return Object.fromEntries(cases) as Record<string, Answers>;
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

// answers.ts LAUNCHER FORMAT writes down what the version that made the recordings says about them.
const [, script, launcher, format] = process.argv;
if (script === import.meta.filename && launcher !== undefined && format !== undefined) {
  const answers = allAnswers(path.resolve(launcher), format as Format);
  writeFileSync(path.join(import.meta.dirname, format, 'answers.json'), `${JSON.stringify(answers, undefined, 2)}\n`);
}
