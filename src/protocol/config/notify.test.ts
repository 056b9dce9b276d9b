import { expect, test } from 'vitest';
import { channelFromText } from '../notifications.ts';
import { configSchema, encodeConfig } from './schema.ts';

function problemOf(...notify: readonly object[]): string | undefined {
  const issue = configSchema.safeParse({ notify }).error?.issues[0];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
}

test('B074: nothing is sent by default; a channel has the documented limits', () => {
  expect(configSchema.parse({}).notify).toEqual([]);
  expect(configSchema.parse({ notify: [{ type: 'desktop' }] }).notify).toEqual([
    { type: 'desktop', timeout: 10_000, minInterval: 60_000, maxPerHour: 20, debounce: 5_000 },
  ]);
});

test('a channel is written to a file in the form in which it was read', () => {
  const notify = [
    { type: 'webhook' as const, url: 'https://example.org/hook', secret: 'env:KEY', quietHours: '22:00-07:00' },
    { type: 'command' as const, run: ['./send', 'a b'] as [string, string], on: ['failed' as const] },
  ];
  const config = configSchema.parse({ notify });
  expect(configSchema.parse(encodeConfig(config))).toEqual(config);
});

test.each<[string, object, string]>([
  ['an unknown type', { type: 'pager' }, 'notify.0.type: one of command, webhook, ntfy, slack, discord, desktop, log'],
  ['an unknown trigger', { type: 'desktop', on: ['finished'] }, 'notify.0.on.0: one of started, '],
  ['no trigger at all', { type: 'desktop', on: [] }, 'notify.0.on: a list of at least one trigger'],
  ['no URL', { type: 'webhook' }, 'notify.0.url: set for a channel of the type webhook'],
  ['no command', { type: 'command' }, 'notify.0.run: set for a channel of the type command'],
  ['a field of another type', { type: 'desktop', url: 'env:X' }, 'notify.0.url: left out for a channel of the type'],
  ['a secret in a URL', { type: 'webhook', url: 'https://u:p@example.org' }, 'notify.0.url: an http or https URL'],
  ['a token in a URL', { type: 'webhook', url: 'https://example.org/?t=1' }, 'notify.0.url: an http or https URL'],
  ['a Slack URL itself', { type: 'slack', url: 'https://hooks.slack.com/x' }, 'notify.0.url: a reference to a secret'],
  ['a key itself', { type: 'webhook', url: 'env:X', secret: 'abc' }, 'notify.0.secret: a reference to a secret'],
  ['hours that are none', { type: 'desktop', quietHours: 'night' }, 'notify.0.quietHours: hours such as'],
  ['a day without end', { type: 'desktop', quietHours: '00:00-24:00' }, 'notify.0.quietHours: hours such as'],
  ['two halves of a day', { type: 'desktop', quietHours: '00:00-12:00, 12:00-24:00' }, 'notify.0.quietHours: hours'],
  ['a place that is no time zone', { type: 'desktop', timeZone: 'Narnia' }, 'notify.0.timeZone: the name of a time'],
  [
    'an unknown placeholder',
    { type: 'desktop', title: '{{loop}} ended' },
    'notify.0.title: a text in which {{loopId}}',
  ],
  ['a placeholder that is none', { type: 'desktop', text: '{{ }}' }, 'notify.0.text: a text in which {{loopId}}'],
  ['a limit of none', { type: 'desktop', maxPerHour: 0 }, 'notify.0.maxPerHour: a whole number from 1 to 1000'],
])('a channel with %s is refused', (_case, channel, problem) => {
  expect(problemOf(channel) ?? '').toContain(problem);
});

test('channels of the same type need names', () => {
  const both = [{ type: 'desktop' }, { type: 'desktop' }];
  expect(problemOf(...both)).toContain('notify: a list of channels with unique names');
  expect(problemOf({ type: 'desktop' }, { type: 'desktop', name: 'other' })).toBeUndefined();
});

test.each([
  ['desktop', { type: 'desktop' }],
  ['log:notices.log', { type: 'log', path: 'notices.log' }],
  ['command:mail -s "a: b" me', { type: 'command', run: 'mail -s "a: b" me' }],
  ['webhook:https://example.org/x', { type: 'webhook', url: 'https://example.org/x' }],
  ['slack:env:SLACK_URL', { type: 'slack', url: 'env:SLACK_URL' }],
])('a flag gives a channel as %s', (text, channel) => {
  expect(channelFromText(text)).toEqual(channel);
});
