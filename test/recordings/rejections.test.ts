import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import type { KnownAgent } from '../../src/protocol/index.ts';

/** The most notices in a row that a recorded run retries what cannot succeed, and why. */
function rejectionIn(agent: KnownAgent, recording: string) {
  const reader = agentNamed(agent).createReader({});
  const text = readFileSync(path.join(import.meta.dirname, `${recording}.stdout`), 'utf8');
  let found: typeof reader.rejection;
  for (const line of text.split('\n')) {
    reader.push(Buffer.from(`${line}\n`));
    if ((reader.rejection?.notices ?? 0) > (found?.notices ?? 0)) found = reader.rejection;
  }
  return found;
}

test.each<[KnownAgent, string, object]>([
  ['claude', 'claude/2.1.325/e401-default', { outcome: 'auth', why: 'authentication_failed (401)', notices: 10 }],
  ['claude', 'claude/2.1.325/e401', { outcome: 'auth', notices: 1 }],
  ['codex', 'codex/0.166.0/e401', { outcome: 'auth', notices: 1 }],
])('%s: a wrong key is recognised from its first retry notice: %s', (agent, recording, expected) => {
  expect(rejectionIn(agent, recording)).toMatchObject(expected);
});

test.each<[KnownAgent, string]>([
  ['claude', 'claude/2.1.325/e429'],
  ['claude', 'claude/2.1.325/e429-once'],
  ['claude', 'claude/2.1.325/e500'],
  ['claude', 'claude/2.1.325/e529-default'],
  ['claude', 'claude/2.1.325/hang-timeout'],
  ['claude', 'claude/2.1.325/truncated'],
  ['codex', 'codex/0.166.0/e500-defaults'],
  ['codex', 'codex/0.166.0/e503'],
  ['codex', 'codex/0.166.0/e529-once'],
])('%s: what may get better is left to the agent: %s', (agent, recording) => {
  expect(rejectionIn(agent, recording)).toBeUndefined();
});
