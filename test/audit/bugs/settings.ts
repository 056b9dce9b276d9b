import type { PlantedBug } from '../planted-bug.ts';

/** Bugs against the settings and their defaults. */
export const settingsBugs: readonly PlantedBug[] = [
  {
    requirement: 'A003',
    bug: 'the working folder has no default',
    file: 'protocol/config/schema.ts',
    find: 'text().default(defaultPlaces.workingDir)',
    replace: "text().default('..')",
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A004',
    bug: 'a prompt file is assumed before anybody looks for one',
    file: 'protocol/config/schema.ts',
    find: `  promptPath: text()
    .optional()`,
    replace: `  promptPath: text()
    .default('task.md')`,
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A006',
    bug: 'iterations follow each other without a delay',
    file: 'protocol/config/schema.ts',
    find: "duration().prefault('5s')",
    replace: "duration().prefault('0')",
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A007',
    bug: 'the redline is at 95 percent',
    file: 'protocol/config/schema.ts',
    find: '.default(85)',
    replace: '.default(95)',
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A008',
    bug: 'every loop is attended',
    file: 'protocol/config/schema.ts',
    find: 'attended: toggle().default(false)',
    replace: 'attended: toggle().default(true)',
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A009',
    bug: 'the session settings are left out unless they are given',
    file: 'protocol/config/schema.ts',
    find: 'session: sessionSchema.prefault({})',
    replace: 'session: sessionSchema.optional()',
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A010',
    bug: 'the streak of test failures ends a loop one iteration late',
    file: 'protocol/stop-reasons.ts',
    find: `setting: 'maxTestFailureStreak',
      max: 3,`,
    replace: `setting: 'maxTestFailureStreak',
      max: 4,`,
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A011',
    bug: 'the streak without progress ends a loop one iteration late',
    file: 'protocol/stop-reasons.ts',
    find: `setting: 'maxNoProgressIterations',
      max: 5,`,
    replace: `setting: 'maxNoProgressIterations',
      max: 6,`,
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A012',
    bug: 'an error pattern is set by default',
    file: 'protocol/config/schema.ts',
    find: 'stopOnPatterns: list(text()).default([])',
    replace: "stopOnPatterns: list(text()).default(['error'])",
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A013',
    bug: 'a stop script is set by default',
    file: 'protocol/config/schema.ts',
    find: `customScripts: list(command())
    .default([])`,
    replace: `customScripts: list(command())
    .default(['true'])`,
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A014',
    bug: 'the default agent is another one',
    file: 'protocol/config/schema.ts',
    find: ".default('claude').describe('Agent to run.')",
    replace: ".default('codex').describe('Agent to run.')",
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A015',
    bug: 'a session is too old after half an hour',
    file: 'protocol/config/session.ts',
    find: ".prefault('1h')",
    replace: ".prefault('30m')",
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A016',
    bug: 'session ids are recorded although that is switched off',
    file: 'runner/finished-run.ts',
    find: '...(sessionId === undefined || !session.persist ? {} : { sessionId }),',
    replace: '...(sessionId === undefined ? {} : { sessionId }),',
    test: 'src/runner/drive.test.ts',
  },
  {
    requirement: 'A016',
    bug: 'session ids are not kept by default',
    file: 'protocol/config/session.ts',
    find: `persist: toggle()
    .default(true)
    .describe('Whether the ids`,
    replace: `persist: toggle()
    .default(false)
    .describe('Whether the ids`,
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A017',
    bug: 'the state is kept elsewhere',
    file: 'protocol/config/places.ts',
    find: "stateDir: '.ralph'",
    replace: "stateDir: '.loops'",
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A018',
    bug: 'a minute is read as 61 seconds',
    file: 'base/duration.ts',
    find: 'm: 60_000',
    replace: 'm: 61_000',
    test: 'src/base/duration.test.ts',
  },
  {
    requirement: 'A076',
    bug: 'an iteration may take an hour',
    file: 'protocol/config/schema.ts',
    find: ".prefault('30m').describe('Maximum time for one iteration",
    replace: ".prefault('60m').describe('Maximum time for one iteration",
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A091',
    bug: 'a running loop keeps ten iterations in memory',
    file: 'protocol/config/schema.ts',
    find: 'maxInMemory: count(1).default(100)',
    replace: 'maxInMemory: count(1).default(10)',
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A115',
    bug: 'backups are compressed by default',
    file: 'protocol/config/schema.ts',
    find: 'compress: toggle().default(false)',
    replace: 'compress: toggle().default(true)',
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A154',
    bug: 'ten iterations are the default maximum',
    file: 'protocol/config/schema.ts',
    find: `  maxIterations: count(0)
    .default(100)`,
    replace: `  maxIterations: count(0)
    .default(10)`,
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A155',
    bug: 'a loop has a time limit nobody set',
    file: 'protocol/config/schema.ts',
    find: `  maxTime: duration({ min: 1, max: Number.MAX_SAFE_INTEGER })
    .optional()`,
    replace: `  maxTime: duration({ min: 1, max: Number.MAX_SAFE_INTEGER })
    .prefault('1h')`,
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A156',
    bug: 'a loop asks for decisions by default',
    file: 'protocol/config/schema.ts',
    find: 'attended: toggle().default(false)',
    replace: 'attended: toggle().default(true)',
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A157',
    bug: 'the tests of the project are not run by default',
    file: 'protocol/config/schema.ts',
    find: 'autoTest: toggle().default(true)',
    replace: 'autoTest: toggle().default(false)',
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A158',
    bug: 'checkpoints are made every ten iterations',
    file: 'protocol/config/schema.ts',
    find: 'checkpointInterval: count(1).default(1)',
    replace: 'checkpointInterval: count(1).default(10)',
    test: 'src/protocol/config/schema.test.ts',
  },
  {
    requirement: 'A159',
    bug: 'loops are seeded by default',
    file: 'protocol/config/schema.ts',
    find: `executionMode: choice(['strict', 'seeded', 'logged', 'default'])
    .default('default')`,
    replace: `executionMode: choice(['strict', 'seeded', 'logged', 'default'])
    .default('seeded')`,
    test: 'src/protocol/config/schema.test.ts',
  },
];
