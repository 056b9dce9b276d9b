import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { ProcessIdentity } from '../identity.ts';
import { runToEnd } from '../run-to-end.ts';
import type { SuperviseOptions } from '../supervise.ts';

/**
 * Lets a separate ralphd start the agent and then die by SIGKILL, once the agent has printed a text if one is given;
 * returns the agent that was left.
 */
export async function abandon(options: SuperviseOptions, printed = ''): Promise<ProcessIdentity> {
  const { folder } = options;
  const program = `
    import { readFileSync, writeFileSync } from 'node:fs';
    import { supervise } from ${JSON.stringify(path.join(import.meta.dirname, '../supervise.ts'))};
    const onStarted = (identity) => {
      writeFileSync('identity.json', JSON.stringify(identity));
      const turn = new Int32Array(new SharedArrayBuffer(4));
      const printed = ${JSON.stringify(printed)};
      while (printed !== '' && !readFileSync('stdout', 'utf8').includes(printed)) Atomics.wait(turn, 0, 0, 5);
      process.kill(process.pid, 'SIGKILL');
    };
    await supervise({ ...${JSON.stringify(options)}, onStarted });`;
  const command = [process.execPath, '--input-type=module', '-e', program];
  const killed = await runToEnd({ command, cwd: folder, env: { PATH: '/usr/bin:/bin' } });
  expect(killed.ending, killed.output).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  return JSON.parse(readFileSync(path.join(folder, 'identity.json'), 'utf8')) as ProcessIdentity;
}
