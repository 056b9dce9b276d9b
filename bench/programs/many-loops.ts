import { readFileSync } from 'node:fs';
import path from 'node:path';

/*
 * Runs loops beside each other in this process through the library, and prints how much memory that took at most, in MB:
 * `node many-loops.ts DIST ITERATIONS AGENT FOLDER…`. The agent notes what it does in the file `agents` of its folder.
 */
const [dist = '', iterations, agentMs, ...folders] = process.argv.slice(2);
const library = (await import(path.join(dist, 'index.js'))) as typeof import('../../src/index.ts');
const ends = folders.map(async (folder) => {
  const note = (word: string) => `echo ${word} $EPOCHREALTIME >> '${folder}.agents'`;
  const handle = await library.runLoop(
    {
      prompt: 'x',
      agent: 'command',
      agentCommand: ['bash', '-c', `${note('began')}; sleep ${Number(agentMs) / 1_000}; ${note('ended')}`],
      workingDir: folder,
      trustPromise: true,
      baseline: false,
      onLimit: 'pause',
      iterationDelay: '0s',
      maxIterations: Number(iterations),
      stopConditions: { maxNoProgressIterations: 0, maxIterationFailureStreak: 0, maxSameErrorStreak: 0 },
    },
    { cwd: folder, force: true },
  );
  await handle.result;
});
await Promise.all(ends);
const [, kibibytes = '0'] = /^VmHWM:\s+(\d+)/mu.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
console.log(Number(kibibytes) / 1_024);
