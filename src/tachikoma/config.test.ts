import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LoopConfigInput } from '../protocol/index.ts';
import { LoopConfig, settingsOf } from './config.ts';
import { LoopError } from './errors.ts';

test('A003 A004 A006 A007 A008 A009 A010 A011 A012 A013 A014 A015 A016 A017: the defaults are those of the document', () => {
  expect(LoopConfig.default()).toEqual({
    workingDir: '.',
    promptPath: 'prompt.md',
    maxIterations: 100,
    iterationDelay: '5s',
    contextRedlinePercent: 85,
    attendedMode: false,
    stopConditions: { maxTestFailureStreak: 3, maxNoProgressIterations: 5, stopOnPatterns: [], customScripts: [] },
    session: { claudeCommand: 'claude', sessionTimeout: '1h', persistSessions: true, stateDir: '.ralph/sessions' },
  });
});

test('A009: the settings mean the settings of ralphd', () => {
  const settings = settingsOf(
    LoopConfig.from({
      attendedMode: true,
      iterationDelay: 1_500,
      stopConditions: { stopOnPatterns: ['^fatal'], customScripts: ['enough.sh', 'bin/stop now'] },
      session: {
        claudeCommand: '/opt/claude',
        sessionTimeout: '90m',
        persistSessions: false,
        stateDir: 'state/sessions',
      },
      ralphd: { verify: ['npm test'], session: { strategy: 'continue' } },
    }),
  );
  expect(settings).toMatchObject({
    attended: true,
    promptPath: 'prompt.md',
    iterationDelay: '1s 500ms',
    trustPromise: true,
    stateDir: 'state',
    verify: ['npm test'],
    stopConditions: {
      maxTestFailureStreak: 3,
      stopOnPatterns: ['^fatal'],
      customScripts: [['./enough.sh'], ['bin/stop now']],
    },
    session: { timeout: '1h 30m', persist: false, strategy: 'continue' },
    agents: { claude: { command: '/opt/claude' } },
  });
});

test('A018: any configuration survives being written as a document and read back, with durations as text', () => {
  const duration = fc.oneof(fc.integer({ min: 1, max: 86_400_000 }), fc.constantFrom('5s', '1h 30m', '250ms'));
  const anyConfig = fc.record(
    {
      workingDir: fc.constantFrom('.', 'packages/core'),
      maxIterations: fc.integer({ min: 1, max: 1_000 }),
      iterationDelay: duration,
      contextRedlinePercent: fc.integer({ min: 0, max: 100 }),
      attendedMode: fc.boolean(),
      stopConditions: fc.record({
        maxTestFailureStreak: fc.nat(99),
        customScripts: fc.constantFrom<string[]>([], ['a', 'b']),
      }),
      session: fc.record({ claudeCommand: fc.constantFrom('claude', 'other'), sessionTimeout: duration }),
      ralphd: fc.constantFrom<LoopConfigInput>({ verify: ['npm test'] }, {}),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(anyConfig, (given) => {
      const config = LoopConfig.from(given);
      const document = LoopConfig.toDocument(config);
      const read = LoopConfig.fromDocument(JSON.parse(JSON.stringify(document)));
      expect(LoopConfig.toDocument(read)).toEqual(document);
      expect(settingsOf(read)).toEqual(settingsOf(config));
    }),
    { numRuns: 40 },
  );
});

test('A018: the document has names in snake case and human durations', () => {
  const document = LoopConfig.toDocument(LoopConfig.from({ iterationDelay: 90_000 }));
  expect(document).toEqual({
    working_dir: '.',
    prompt_path: 'prompt.md',
    max_iterations: 100,
    iteration_delay: '1m 30s',
    context_redline_percent: 85,
    attended_mode: false,
    stop_conditions: {
      max_test_failure_streak: 3,
      max_no_progress_iterations: 5,
      stop_on_patterns: [],
      custom_scripts: [],
    },
    session: { claude_command: 'claude', session_timeout: '1h', persist_sessions: true, state_dir: '.ralph/sessions' },
  });
});

test.each([
  [() => LoopConfig.from({ contextRedlinePercent: 101 }), /contextRedlinePercent/],
  [() => LoopConfig.from({ maxIterations: -1 }), /maxIterations/],
  [() => LoopConfig.from({ iterationDelay: 'soon' }), /iterationDelay must be a duration/],
  [() => LoopConfig.from({ session: { sessionTimeout: 1.5 } }), /sessionTimeout must be a duration/],
  [() => LoopConfig.fromDocument([]), /The configuration must be a mapping/],
  [() => LoopConfig.fromDocument({ max_iteration: 3 }), /Unknown setting "max_iteration"/],
  [() => LoopConfig.fromDocument({ session: { command: 'x' } }), /Unknown setting "session.command"/],
  [() => LoopConfig.fromDocument({ ralphd: 'fast' }), /ralphd must be a mapping/],
])('A018: wrong settings are refused with their name (%#)', (make, message) => {
  const refused = () => {
    try {
      make();
    } catch (error) {
      expect(error).toBeInstanceOf(LoopError);
      expect((error as LoopError).kind).toBe('InvalidConfig');
      throw error;
    }
  };
  expect(refused).toThrow(message);
});
