import { expect, test } from 'vitest';
import { configSchema, encodeConfig } from './schema.ts';

const minimal = { name: 'backup', at: ['post_iteration'], run: './backup.sh' };

function problemOf(...hooks: readonly object[]): string | undefined {
  const issue = configSchema.safeParse({ hooks }).error?.issues[0];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
}

test('B069: a hook needs a name, a point and a command; the rest has defaults', () => {
  const { hooks } = configSchema.parse({ hooks: [minimal] });
  expect(hooks).toEqual([{ ...minimal, timeout: 30_000, priority: 0, enabled: true, everyN: 1, fatal: false }]);
  expect(configSchema.parse({}).hooks).toEqual([]);
});

test('a hook is written to a file in the form in which it was read', () => {
  const hooks = [
    { ...minimal, run: ['./a b', '$x'], timeout: '1m 30s', ifStatus: ['failed' as const], ifPattern: 'x|y' },
  ];
  const config = configSchema.parse({ hooks });
  expect(configSchema.parse(encodeConfig(config))).toEqual(config);
  expect(encodeConfig(config).hooks?.[0]).toMatchObject({ timeout: '1m 30s', run: ['./a b', '$x'] });
});

test.each<[string, object, string]>([
  ['a point that does not exist', { at: ['pre_iteraton'] }, 'hooks.0.at.0: one of pre_iteration, post_iteration, '],
  ['no point', { at: [] }, 'hooks.0.at: a list of at least one point'],
  ['no name', { name: '' }, 'hooks.0.name: a name of letters'],
  ['a name that could be a path', { name: '../x' }, 'hooks.0.name: a name of letters'],
  ['an empty command', { run: ' ' }, 'hooks.0.run: a command line'],
  ['no time at all', { timeout: '0' }, 'hooks.0.timeout: a duration of at least 1ms'],
  ['every iteration but none', { everyN: 0 }, 'hooks.0.everyN: a whole number of at least 1'],
  ['a status that is no end', { ifStatus: ['executing'] }, 'hooks.0.ifStatus.0: one of completed, failed, timed_out'],
  ['a setting that does not exist', { timout: '5s' }, 'hooks.0: '],
  [
    'a condition on an outcome before there is one',
    { at: ['pre_iteration', 'on_error'], ifStatus: ['failed'] },
    'hooks.0: without ifStatus, ifTestStatus and ifPattern',
  ],
  [
    'checks that are asked for between two iterations',
    { at: ['pre_reboot'], ifTestStatus: 'passed' },
    'hooks.0: without',
  ],
  ['a mode that does not exist', { inMode: ['alone'] }, 'hooks.0.inMode.0: one of unattended'],
  ['neither a command nor an address', { run: undefined }, 'hooks.0: either with "run" or with "url"'],
  ['both', { url: 'https://example.com/x' }, 'hooks.0: either with "run" or with "url"'],
  ['a key for a command', { secret: 'env:KEY' }, 'hooks.0: without "secret"'],
  [
    'an address with a password',
    { run: undefined, url: 'https://a:b@example.com' },
    'hooks.0.url: an http or https URL',
  ],
  ['an address with a token', { run: undefined, url: 'https://example.com/?key=x' }, 'hooks.0.url: an http or https'],
  ['an address of another kind', { run: undefined, url: 'ftp://example.com' }, 'hooks.0.url: an http or https URL'],
  ['a key in plain text', { run: undefined, url: 'https://example.com', secret: 'x' }, 'hooks.0.secret: a reference'],
])('a hook with %s is refused', (_case, change, problem) => {
  expect(problemOf({ ...minimal, ...change })).toContain(problem);
});

test('two hooks with the same name are refused', () => {
  expect(problemOf(minimal, { ...minimal, at: ['pre_iteration'] })).toBe('hooks: a list of hooks with unique names');
});
