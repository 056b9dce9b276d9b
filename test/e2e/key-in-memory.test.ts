import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseKeyText } from '../../src/vault/index.ts';
import { usual } from '../support/agents.ts';
import { createProject, eventually, type Project } from '../support/project.ts';

/** The first run dumps core on purpose when it may go on; the second one is done. */
function writeDyingAgent(project: Project): void {
  project.script(
    'agent.sh',
    'cat > heard',
    'if [ -e core-wanted ]; then echo "<promise>DONE</promise>"; touch done; exit 0; fi',
    'echo "$$ $PPID" > agent.new; mv agent.new agent',
    'until [ -e core-wanted ]; do sleep 0.05; done',
    'ulimit -c unlimited',
    'kill -ABRT $$',
  );
  project.script(
    'check.sh',
    'env >> environment',
    'tr "\\0" "\\n" < /proc/$PPID/environ >> environment',
    'test -f done',
  );
}

/** The ways in which a key may be in memory: as its text, as its bytes, and as what is printed of bytes. */
function formsOf(text: string): readonly Buffer[] {
  const { bytes } = parseKeyText(text, { source: 'the test' });
  const texts = [text.split('.')[1] ?? '', bytes.toString('base64').slice(0, -1), bytes.toString('hex')];
  return [bytes, ...texts.map((each) => Buffer.from(each)), ...texts.map((each) => Buffer.from(each, 'utf16le'))];
}

function contains(pieces: Iterable<Buffer>, forms: readonly Buffer[]): boolean {
  for (const piece of pieces) if (forms.some((form) => piece.includes(form))) return true;
  return false;
}

test.skipIf(process.platform !== 'linux')(
  'A115: neither the memory of an agent nor that of its keeper contains the key, nor does the core dump of the agent',
  async (context) => {
    const { memoryOf } = await import('../support/process-memory.ts');
    const project = createProject();
    const keyFile = path.join(path.dirname(project.folder), 'key');
    expect((await project.ralphd('key', 'new', '--file', keyFile)).code).toBe(0);
    const key = readFileSync(keyFile, 'utf8').trim();
    const forms = formsOf(key);
    writeDyingAgent(project);
    const env = { RALPHD_PERSISTENCE_ENCRYPT: 'true', RALPHD_KEY: key, RALPHD_KEY_FILE: keyFile };
    const running = project.start(['run', 'a task', ...usual, '--json'], env);
    await eventually(() => project.has('agent')).toBe(true);
    const [agent = 0, keeper = 0] = project.read('agent').trim().split(' ').map(Number);
    // The method finds what is there: ralphd itself cannot work without the key, and the agent knows its loop.
    expect(contains(memoryOf(running.pid), forms)).toBe(true);
    expect(contains(memoryOf(agent), [Buffer.from('RALPHD_LOOP_ID')])).toBe(true);
    expect(contains(memoryOf(agent), forms)).toBe(false);
    expect(contains(memoryOf(keeper), forms)).toBe(false);
    project.write('core-wanted', '');
    const ended = await running.ended;
    expect(ended.code, ended.stderr + ended.stdout).toBe(0);
    expect(project.read('environment')).not.toMatch(/ralphd-key-1|RALPHD_KEY/);
    const core = readdirSync(project.folder).find((name) => /^core(\.\d+)?$/.test(name));
    if (core === undefined) return context.skip('this system writes no core dump into the working directory');
    const dump = readFileSync(path.join(project.folder, core));
    expect(contains([dump], [Buffer.from('RALPHD_LOOP_ID')])).toBe(true);
    expect(contains([dump], forms)).toBe(false);
  },
);
