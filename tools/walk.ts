import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { filesOfChanges } from './architecture/changes.ts';
import { type Import, readImports, roomOf } from './architecture/imports.ts';

/*
 * Walks one iteration and prints which files take part: `npm run walk`.
 *   npm run walk -- --files          also lists the files
 *   npm run walk -- --changes        the files that ten kinds of change touch, instead
 *   npm run walk -- --source DIR     another checkout's src/
 * An agent that claims, a check that passes: everything from `iteration.started` to `iteration.finished` is counted.
 */
const source = path.resolve(option('--source') ?? path.join(import.meta.dirname, '..', 'src'));
if (process.argv.includes('--changes')) listChanges();
else await showWalk();

function listChanges(): void {
  for (const { what, example, files } of filesOfChanges(source)) {
    console.log(`${what} (as ${example}): ${files.length} files`);
    if (process.argv.includes('--files')) for (const file of files) console.log(`  ${file}`);
  }
}

async function showWalk(): Promise<void> {
  const executed = await walkOneIteration();
  const imports = readImports(source);
  const between = imports.filter(({ from, to }) => roomOf(from) !== roomOf(to));
  const walked = between.filter(({ from, to }) => executed.has(from) && executed.has(to));
  const outer = walked.filter(({ from, to }) => !inOneRoom(from, to));
  console.log(`files executed in one iteration: ${executed.size}`);
  console.log(`rooms they are in: ${new Set([...executed].map(roomOf)).size}`);
  console.log(`imports from one room to another among them: ${walked.length}, ${outer.length} of them outside core`);
  console.log(`imports from one room to another in the whole product: ${between.length} of ${imports.length}`);
  console.log(`rooms that import each other: ${mutualImports(between).join(', ') || 'none'}`);
  if (process.argv.includes('--files')) for (const file of [...executed].sort()) console.log(`  ${file}`);
}

async function walkOneIteration(): Promise<ReadonlySet<string>> {
  const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'ralphd-walk-'));
  try {
    writeFileSync(path.join(folder, 'check.sh'), 'test -f done.txt\n');
    return await executedIn(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function executedIn(cwd: string): Promise<ReadonlySet<string>> {
  const { LoopRunner } = (await import(pathToFileURL(path.join(source, 'index.ts')).href)) as Library;
  const coverage = createCoverage();
  const config = {
    prompt: 'Make done.txt.',
    agent: 'command',
    agentCommand: "cat > /dev/null; touch done.txt; echo '<promise>DONE</promise>'",
    verify: ['sh check.sh'],
    iterationDelay: '0',
  };
  const runner = new LoopRunner(config, { cwd, env: { PATH: process.env['PATH'], HOME: cwd } });
  runner.subscribe(({ type }) => {
    if (type === 'iteration.started') coverage.forget();
    if (type === 'iteration.finished') coverage.keep();
  });
  const { verified } = await runner.run();
  if (!verified) throw new Error('The loop did not complete, so this was no whole iteration.');
  return coverage.files();
}

interface Library {
  readonly LoopRunner: new (
    config: object,
    context: object,
  ) => {
    subscribe(listener: (fact: { readonly type: string }) => void): unknown;
    run(): Promise<{ readonly verified: boolean }>;
  };
}

/** Which files run a function between `forget` and `keep`. */
function createCoverage() {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const files = new Set<string>();
  const take = (note: (file: string) => void) =>
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      for (const { url, functions } of result) {
        // What begins at 0 is the file itself, which runs when it is loaded.
        const calls = functions
          .flatMap(({ ranges }) => ranges.slice(0, 1))
          .filter(({ startOffset }) => startOffset > 0);
        const isUsed = calls.some(({ count }) => count > 0);
        if (isUsed && url.startsWith('file:')) note(path.relative(source, fileURLToPath(url)));
      }
    });
  return {
    forget: () => take(() => {}),
    keep: () => take((file) => file.startsWith('..') || files.add(file)),
    files: (): ReadonlySet<string> => files,
  };
}

/** Whether two files are in one room when all of `core` is one. */
function inOneRoom(from: string, to: string): boolean {
  return roomOf(from).split('/')[0] === roomOf(to).split('/')[0];
}

function mutualImports(between: readonly Import[]): readonly string[] {
  const pairs = new Map<string, number>();
  for (const { from, to } of between) {
    const pair = `${roomOf(from)} > ${roomOf(to)}`;
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return [...pairs].flatMap(([pair, count]) => {
    const [from = '', to = ''] = pair.split(' > ');
    const back = from < to ? pairs.get(`${to} > ${from}`) : undefined;
    return back === undefined ? [] : [`${from} and ${to} (${count + back} imports)`];
  });
}

function option(name: string): string | undefined {
  const index = process.argv.indexOf(name);
  return index === -1 ? undefined : process.argv[index + 1];
}
