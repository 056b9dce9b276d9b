import { expect, test } from 'vitest';
import { type AgentOutcome, agentOutcomes, type Ending, type FailureClass } from '../../protocol/index.ts';
import { classify, describeEnding, wasTimedOut } from './classify.ts';

const endings = {
  'exit 0': { kind: 'exited', code: 0 },
  'exit 1': { kind: 'exited', code: 1 },
  'exit 137': { kind: 'exited', code: 137 },
  SIGKILL: { kind: 'signalled', signal: 'SIGKILL' },
  timeout: { kind: 'stopped', by: 'timeout', forced: true },
  start: { kind: 'stopped', by: 'start', forced: false },
  idle: { kind: 'stopped', by: 'idle', forced: false },
  result: { kind: 'stopped', by: 'result', forced: true },
  output: { kind: 'stopped', by: 'output', forced: false },
  lost: { kind: 'lost' },
} as const satisfies Record<string, Ending>;

const classOf: Record<Exclude<AgentOutcome, 'unknown'>, FailureClass | undefined> = {
  completed: undefined,
  turn_limit: undefined,
  budget_limit: 'agent',
  rate_limited: 'limit',
  usage_limited: 'limit',
  auth: 'configuration',
  billing: 'configuration',
  context_overflow: 'agent',
  output_limit: 'agent',
  refused: 'agent',
  transient: 'environment',
  configuration: 'configuration',
  interrupted: 'agent',
};

test.each(Object.entries(classOf))(
  'the outcome in the stream (%s) decides, however the process ended',
  (outcome, expected) => {
    for (const ending of Object.values(endings)) {
      expect(classify(outcome as AgentOutcome, ending)).toBe(expected);
    }
  },
);

test.each(
  Object.entries({
    'exit 0': 'unknown',
    'exit 1': 'agent',
    'exit 137': 'agent',
    SIGKILL: 'agent',
    timeout: 'agent',
    start: 'agent',
    idle: 'agent',
    result: 'agent',
    output: 'agent',
    lost: 'unknown',
  } as const satisfies Record<keyof typeof endings, FailureClass>),
)('if the stream reports no outcome, %s counts as %s', (name, expected) => {
  expect(classify('unknown', endings[name as keyof typeof endings])).toBe(expected);
});

test.each(agentOutcomes.filter((outcome) => outcome !== 'configuration'))(
  'an agent that could not be started is the fault of the environment, even with outcome %s',
  (outcome) => {
    expect(classify(outcome, { kind: 'not_started', code: 'ENOENT', message: 'no such file' })).toBe('environment');
  },
);

test('A055: an agent that was not started because its prompt cannot be read is a matter of configuration', () => {
  const ending = { kind: 'not_started', code: 'PROMPT_UNREADABLE', message: 'no such file' } as const;
  expect(classify('configuration', ending)).toBe('configuration');
});

test('only our own timeouts make an iteration timed out', () => {
  const timedOut = Object.entries(endings).filter(([, ending]) => wasTimedOut(ending));
  expect(timedOut.map(([name]) => name)).toEqual(['timeout', 'start', 'idle']);
});

test.each<[Ending, string]>([
  [endings['exit 1'], 'exited with code 1'],
  [endings.SIGKILL, 'was killed by SIGKILL'],
  [endings.timeout, 'was ended at the iteration timeout'],
  [endings.idle, 'was ended because it showed no sign of life'],
  [endings.start, 'was ended because it printed nothing'],
  [endings.output, 'was ended because it printed too much'],
  [endings.result, 'was ended because it kept running after its result'],
  [{ kind: 'stopped', by: 'request', forced: false }, 'was ended on request'],
  [{ kind: 'not_started', code: 'ENOENT', message: 'no such file' }, 'could not be started: no such file'],
  [endings.lost, 'ended, but its exit was not recorded'],
])('the ending %o has a sentence', (ending, sentence) => {
  expect(describeEnding(ending)).toBe(sentence);
});
