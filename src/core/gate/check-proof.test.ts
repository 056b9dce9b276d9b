import { expect, test } from 'vitest';
import type { ProofBundle } from '../../protocol/index.ts';
import { checkProof, compareWithJournal } from './check-proof.ts';
import { canonicalJson } from './proof-bundle.ts';

const at = '2026-01-01T00:00:00.000Z';
const sha = 'a'.repeat(64);
const passed = { command: 'npm test', verdict: 'passed', exitCode: 0, durationMs: 5 } as const;
const sound: ProofBundle = {
  format: 'ralphd-proof/1',
  createdAt: at,
  loop: {
    id: 'ralph-x',
    uuid: 'u',
    task: 'x',
    status: 'completed',
    verified: true,
    iterations: 1,
    startedAt: at,
    endedAt: at,
    runningMs: 5,
  },
  proof: { level: 'tree', tree: { id: 't', files: 1, bytes: 1 }, folder: '', commit: null },
  commands: [['npm', 'test']],
  baseline: null,
  final: {
    verdict: 'passed',
    checks: [passed],
    tests: { framework: 'tap', total: 2, passed: 1, failed: 0, skipped: 1 },
    iteration: 1,
    attempt: 1,
    durationMs: 5,
  },
  environment: { ralphd: '1', node: '24', platform: 'linux', arch: 'x64', programs: [] },
  agents: [],
  usage: { tokens: 0, costUsd: 0, runs: 1, unreportedTokens: 0, unreportedCost: 0 },
  doubts: [],
  warnings: [],
  guardsChanged: [],
  journal: {
    facts: ['loop.started', 'gate.finished', 'loop.ended'].map((type, index) => ({
      type,
      seq: index + 2,
      at,
      crc: '0000000a',
    })),
    segments: [{ name: '0001-0001', bytes: 5, sha256: sha }],
    end: { seq: 4, crc: '0000000a' },
  },
  digest: sha,
};

const broken = (bundle: ProofBundle) =>
  checkProof(bundle)
    .filter(({ result }) => result === 'broken')
    .map(({ name, detail }) => `${name}: ${detail}`);

test('R6: a sound proof has no contradiction', () => {
  expect(broken(sound)).toEqual([]);
});

const { loop, proof, final, journal } = sound;
const contradictions: readonly (readonly [ProofBundle, string])[] = [
  [{ ...sound, loop: { ...loop, status: 'failed' } }, 'status: the loop is failed, verified: true'],
  [{ ...sound, proof: { ...proof, level: 'none' } }, 'status: nothing was checked: the level is "none"'],
  [{ ...sound, commands: [] }, 'checks: there is no check'],
  [{ ...sound, commands: ['true'] }, 'checks: the checks that ran are not the commands of the gate'],
  [{ ...sound, final: { ...final, verdict: 'contradicted' } }, 'checks: the verdict is "contradicted"'],
  [
    { ...sound, final: { ...final, checks: [{ ...passed, exitCode: 1 }] } },
    'checks: "npm test" has verdict "passed" and exit code 1',
  ],
  [
    { ...sound, final: { ...final, tests: { framework: 'tap', total: 2, passed: 1, failed: 1, skipped: 0 } } },
    'tests: 1 of 2 counted tests failed',
  ],
  [
    { ...sound, final: { ...final, tests: { framework: 'tap', total: 2, passed: 9, failed: 0, skipped: 0 } } },
    'tests: passed, failed and skipped tests add up to more than the total',
  ],
  [{ ...sound, journal: { ...journal, facts: journal.facts.toReversed() } }, 'chain: facts are out of order'],
  [{ ...sound, journal: { ...journal, facts: journal.facts.slice(0, 2) } }, 'chain: it lacks loop.ended'],
  [{ ...sound, journal: { ...journal, segments: [] } }, 'chain: it lists no journal file'],
  [{ ...sound, journal: { ...journal, end: { seq: 3, crc: '0000000a' } } }, 'chain: the journal ends before its facts'],
];

test.each(contradictions)('R6: a contradiction inside a proof is found (%#)', (bundle, problem) => {
  expect(broken(bundle)).toEqual([problem]);
});

test('R6: every part that differs from the journal is named', () => {
  const { digest: _digest, ...rebuilt } = sound;
  const forged = { ...sound, loop: { ...loop, task: 'y' }, warnings: ['w'] };
  expect(compareWithJournal(forged, rebuilt)[0]).toEqual({
    name: 'journal',
    result: 'broken',
    detail: 'the journal differs in: loop, warnings',
  });
  expect(compareWithJournal(sound, rebuilt).map(({ result }) => result)).toEqual(['holds', 'holds']);
  expect(compareWithJournal(sound, undefined)[0]?.result).toBe('broken');
});

test('R6: the canonical form does not depend on the order of keys, and leaves out what is undefined', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'ü' }], a: undefined })).toBe('{"b":[1,{"c":"ü","d":null}]}');
});
