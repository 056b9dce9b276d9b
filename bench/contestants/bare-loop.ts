import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Contestant } from '../contestant.ts';

/** The least that a loop can do which loses nothing: a process and a synced line for each iteration. */
const program = `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fdatasyncSync, openSync, writeSync } from 'node:fs';
const [iterations, file, ...args] = process.argv.slice(2);
const log = openSync('journal', 'a');
for (let iteration = 1; iteration <= Number(iterations); iteration += 1) {
  await once(spawn(file, args, { stdio: 'ignore' }), 'exit');
  writeSync(log, JSON.stringify({ iteration }) + '\\n');
  fdatasyncSync(log);
}
`;

export const contestant: Contestant = {
  name: 'a bare loop with one synced line',
  prepare: ({ folder, agent, iterations }) => {
    const file = path.join(folder, 'loop.mjs');
    writeFileSync(file, program);
    return [process.execPath, file, String(iterations), ...agent];
  },
};
