import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { grantAny, realPath } from '../../src/app/index.ts';
import { runInside } from '../support/inside.ts';
import { launcher } from '../support/ralphd-process.ts';
import { type Answers, ask, askAbout, environmentIn, programOf, type RunIn } from './answers.ts';
import {
  type Case,
  casesOf,
  type Format,
  formats,
  loopIdOf,
  recordedLoops,
  type UnpackedLoop,
  unpackAll,
} from './unpack.ts';

const program = programOf(launcher);

/** Inside this process, which changes into the project meanwhile: recorded paths begin with /proc/self/cwd. */
const inside: RunIn = async (cwd, args) => {
  const before = process.cwd();
  process.chdir(cwd);
  try {
    return await runInside(args, { cwd, env: environmentIn(cwd) });
  } finally {
    process.chdir(before);
  }
};

const cases = formats.flatMap((format) => casesOf(format).map((each) => ({ ...each, format })));

function unpack({ unpack }: Case): UnpackedLoop {
  const base = mkdtempSync(path.join(os.tmpdir(), 'ralphd old state '));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 10 }));
  const loop = unpack(path.join(base, 'project'));
  // A loop from before ralphd remembered what was trusted asks once.
  const project = realPath(path.join(base, 'project'));
  grantAny(project, environmentIn(path.join(base, 'project')));
  return loop;
}

function caseOf(format: Format, name: string): Case {
  const found = casesOf(format).find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no recording of ${name}`);
  return found;
}

interface Listed {
  readonly loopId: string;
  readonly status: string;
}

function answersOf(format: Format): Readonly<Record<string, Answers>> {
  const file = path.join(import.meta.dirname, format, 'answers.json');
  return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Answers>>;
}

test.each(cases)(
  'R22: $format: $name is shown, explained and recovered as the version that made it did',
  async (each) => {
    expect(await askAbout(inside, unpack(each))).toEqual(answersOf(each.format)[each.name]);
  },
);

test.each(formats)('%s: no loop is missing from the list', async (format) => {
  const together = { name: 'together', unpack: (project: string) => unpackAll(format, project) };
  const { loops } = (await ask(inside, unpack(together).project, 'ls')) as { readonly loops: readonly Listed[] };
  const listed = loops.map(({ loopId, status }) => [loopId, status]).sort();
  const answers = answersOf(format);
  expect(listed).toEqual(recordedLoops(format).map((name) => [loopIdOf(name), answers[name]?.status['status']]));
});

/** The flags to resume each loop that can be resumed; the others have ended or cannot be repaired. */
const resumable: Readonly<Record<string, readonly string[]>> = {
  'backed-up': ['-n', '6'],
  // The programs that the checks use belong to another machine.
  guarded: ['-n', '6', '--accept-gate'],
  killed: [],
  'killed-in-gate': [],
  orphaned: [],
  paused: ['-n', '6'],
  'several-owners': ['-n', '6'],
  'with-conditions': ['-n', '6'],
  'with-hooks': ['-n', '6'],
  'with-tests': ['-n', '6'],
  'torn tail': [],
  'flipped bit': ['-n', '6'],
  'cut snapshot': ['-n', '6'],
  'missing snapshot': ['-n', '6'],
  'missing journal': ['-n', '6'],
  'only a journal': ['-n', '6'],
  'only a journal with a flipped bit': ['-n', '6'],
};

// The recorded working directory is /proc/self/cwd/tree.
const linuxTest = process.platform === 'linux' ? test : test.skip;

/** Enough for an older format: once the snapshot is read, everything works as with the newest format. */
const enough = ['guarded', 'killed', 'paused', 'cut snapshot', 'only a journal'];

linuxTest.each(
  cases.filter(({ name, format }) => name in resumable && (format === formats.at(-1) || enough.includes(name))),
)('R22: $format: $name is resumed and completed', async (each) => {
  const loop = unpack(each);
  const before = answersOf(each.format)[each.name]?.status['iteration'];
  writeFileSync(path.join(loop.project, 'tree/finish'), '');
  const resumed = await ask(inside, loop.project, 'resume', loop.loopId, ...(resumable[each.name] ?? []));
  expect(resumed).toMatchObject({ exit: 0, status: 'completed', verified: true });
  expect(resumed['iterations']).toBeGreaterThanOrEqual(Number(before));
  const status = await ask(inside, loop.project, 'status', loop.loopId);
  expect(status).toMatchObject({ status: 'completed', problems: [] });
});

linuxTest(
  'R22: a loop that waits for its provider still waits, and completes once it is told to try again',
  async () => {
    const { project, loopId } = unpack(caseOf('format-2', 'waiting'));
    writeFileSync(path.join(project, 'tree/finish'), '');
    const env = environmentIn(project);
    const resumed = spawn(process.execPath, [launcher, 'resume', loopId], { cwd: project, env, stdio: 'ignore' });
    const exit = once(resumed, 'exit');
    onTestFinished(() => void resumed.kill('SIGKILL'));
    await expect.poll(() => ask(program, project, 'status', loopId)).toMatchObject({ status: 'running', wait: {} });
    expect(await ask(program, project, 'retry', loopId)).toMatchObject({ exit: 0 });
    expect(await exit).toEqual([0, null]);
    expect(await ask(program, project, 'status', loopId)).toMatchObject({
      status: 'completed',
      verified: true,
      iteration: 1,
    });
  },
);

test.each(cases.filter(({ name }) => name === 'nothing sound' || name === 'newer format'))(
  'R22: $format: $name is refused and left as it is',
  async (each) => {
    const { project, loopId, folder } = unpack(each);
    const before = readFileSync(path.join(folder, 'state.json'));
    const { exit, code } = answersOf(each.format)[each.name]?.status ?? {};
    expect(await ask(inside, project, 'resume', loopId, '-n', '9')).toMatchObject({ exit, code });
    expect(readFileSync(path.join(folder, 'state.json'))).toEqual(before);
  },
);
