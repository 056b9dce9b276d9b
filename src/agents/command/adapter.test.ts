import { expect, test } from 'vitest';
import { configSchema, type Ending, type LoopConfigInput } from '../../protocol/index.ts';
import { commandAgent } from './adapter.ts';

function configOf(agentCommand: LoopConfigInput['agentCommand'], agentArgs: string[] = []) {
  return configSchema.parse({ agent: 'command', agentCommand, agentArgs });
}

test.each<[LoopConfigInput['agentCommand'], string | undefined]>([
  ['./agent.sh', './agent.sh'],
  [' ./agent.sh ', './agent.sh'],
  ['my-agent', 'my-agent'],
  ['./agent.sh --fast "a b"', './agent.sh'],
  [['my agent', '--fast'], 'my agent'],
  ['my-agent --fast', undefined],
  ['cd sub && ./agent.sh', undefined],
  ['~/agent.sh', undefined],
  ['$AGENT', undefined],
  ['./a"b".sh', undefined],
])('the program of %j that must be there is %j', (command, expected) => {
  expect(commandAgent.binary(configOf(command))).toBe(expected);
});

test('a command is started as the user wrote it, and further arguments are data', () => {
  const launched = (config: ReturnType<typeof configOf>) =>
    commandAgent.launch({ config, program: '', env: {}, isRoot: false, session: 'fresh' }).command;
  expect(launched(configOf('./agent.sh --fast'))).toBe('./agent.sh --fast');
  expect(launched(configOf(['./agent.sh', 'a b']))).toEqual(['./agent.sh', 'a b']);
  expect(launched(configOf(['./agent.sh'], ['$(x)', '']))).toEqual(['./agent.sh', '$(x)', '']);
  expect(launched(configOf('cd sub; ./agent.sh', ['$(x)', '']))).toEqual([
    '/bin/sh',
    '-c',
    'cd sub; ./agent.sh "$@"',
    'sh',
    '$(x)',
    '',
  ]);
});

test('without a command there is nothing to start', () => {
  expect(() => commandAgent.binary(configSchema.parse({ agent: 'command' }))).toThrow(/no command is set for it/);
});

test('A083: only the exit code decides: 0 worked, anything else failed with its last error output', () => {
  const read = (ending: Ending, stderr = '') => {
    const reader = commandAgent.createReader({ now: () => new Date(0) });
    reader.push(Buffer.from('said\n'));
    return reader.finish({ stderr, ending });
  };
  expect(read({ kind: 'exited', code: 0 }, 'a warning')).toMatchObject({ outcome: 'completed', lastMessage: 'said\n' });
  expect(read({ kind: 'exited', code: 1 }, ' no such model\n')).toMatchObject({
    outcome: 'unknown',
    lastMessage: 'said\n',
    message: 'no such model',
  });
  expect(read({ kind: 'signalled', signal: 'SIGKILL' })).not.toHaveProperty('message');
  expect(read({ kind: 'exited', code: 1 }, `${'x'.repeat(5_000)}the end`).message).toMatch(/^x{1993}the end$/);
});

test('what it cannot report is not promised', () => {
  expect(Object.values(commandAgent.reports).some(Boolean)).toBe(false);
});
