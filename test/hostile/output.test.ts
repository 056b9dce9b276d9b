import { createReadStream, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createHostileProject, expectHealthy, expectNothingLeft, meet } from './meet.ts';

/** Set HOSTILE_BYTES=200000000 for the long version. */
const bytes = Number(process.env['HOSTILE_BYTES'] ?? 64_000_000);
const keptWhole = 64 * 1024 * 1024;
const env = { HOSTILE_BYTES: String(bytes) };

// Everything that could move the cursor, hide or reorder text; line feeds and tabs are harmless.
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

test.each([
  ['millions of lines', 'prints-much.sh'],
  ['one endless line', 'prints-one-line.sh'],
])('A083 A097: an agent that prints %s is captured whole, up to the size that is kept', async (_what, agent) => {
  const meeting = await meet({ agent, env });
  await expectHealthy(meeting, 2);
  expect(meeting.facts('agent.finished')).toMatchObject([{ ending: { kind: 'exited', code: 0 }, claimed: false }, {}]);
  const spool = meeting.file('stdout');
  const { size } = statSync(spool);
  if (bytes <= keptWhole) expect(size).toBe(bytes);
  else expect(size).toBeLessThanOrEqual(keptWhole + 1000);
  expect(await firstBytes(spool, 20)).toBe(agent === 'prints-much.sh' ? 'one of very many lin' : 'x'.repeat(20));
  // The size of the fact is bounded, no matter how much output there was.
  expect(JSON.stringify(meeting.facts('agent.finished')).length).toBeLessThan(20_000);
});

test('A083: an agent that writes to /dev/stdout cuts nothing off', async () => {
  const meeting = await meet({ agent: 'writes-device.sh' });
  await expectHealthy(meeting, 2);
  expect(readFileSync(meeting.file('stdout'), 'utf8')).toBe('first\nsecond\nthird\nfourth\nfifth\n');
  expect(readFileSync(meeting.file('stderr'), 'utf8')).toBe('fault\n');
});

test('A083: an agent that exits 0 with garbage has done nothing, and its bytes are kept as they were', async () => {
  const meeting = await meet({ agent: 'prints-garbage.sh' });
  await expectHealthy(meeting, 2);
  expect(meeting.facts('agent.finished')).toMatchObject([{ ending: { kind: 'exited', code: 0 }, claimed: false }, {}]);
  expect(meeting.facts('gate.finished')).toHaveLength(1);
  const raw = readFileSync(meeting.file('stdout'));
  expect(raw.includes(Buffer.from([0x0a, 0xff, 0xfe, 0x00, 0x80]))).toBe(true);
  expect(readFileSync(meeting.file('stderr'), 'latin1')).toContain('\u001b]52;c;');
  for (const { stdout, stderr } of meeting.runs) expect(stdout + stderr).not.toMatch(unsafe);
});

test('A083: nothing of an agent’s garbage reaches the terminal but plain text', async () => {
  const project = createHostileProject({ agent: 'prints-garbage.sh 3' });
  const { code, stdout, stderr } = await project.ralphd('run', 'x');
  expect(code).toBe(0);
  expect(stderr).toContain('red text');
  expect(stdout + stderr).not.toMatch(unsafe);
  for (const args of [['status'], ['ls'], ['doctor']]) {
    const shown = await project.ralphd(...args);
    expect(shown.stdout + shown.stderr).not.toMatch(unsafe);
  }
  await expectNothingLeft(project);
});

async function firstBytes(file: string, count: number): Promise<string> {
  let text = '';
  for await (const chunk of createReadStream(file, { encoding: 'latin1', end: count - 1 })) text += String(chunk);
  return text;
}
