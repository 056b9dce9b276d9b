import { type Conversation, iterationOf } from './conversation.ts';
import type { Refusal, Reply, Wish } from './reply.ts';

/**
 * A script: the model's reply, derived from the conversation alone, so that any number of agents can share a server.
 * `earlier` counts the previous requests in the same place, for things that happen only once.
 */
export type Script = (conversation: Conversation, earlier: number) => Reply;

/** The file that the checks of the tests require. */
const neededFile = 'done';

const claim = say('Everything is done.\n\n<promise>DONE</promise>');
const writeNeeded: Wish = { tool: 'write', path: neededFile, content: 'It is done.\n' };
// Two processes that run until stopped, one in the background, one in the foreground; agents refuse a long `sleep`.
const waitForEver = 'tail -f /dev/null & tail -F /dev/null';

/** All scripts by their name in the address. */
export const scenarios = {
  text: () => claim,
  write: after({ wish: writeNeeded, reply: claim }),
  shell: after({ wish: { tool: 'shell', command: `echo 'It is done.' > ${neededFile}` }, reply: claim }),
  'shell-waits': after({ wish: { tool: 'shell', command: waitForEver }, reply: claim }),
  'many-turns': ({ toolResults }) => wants({ tool: 'shell', command: `echo turn ${toolResults + 1}` }),
  auth: () => refuses('auth'),
  'rate-limit-once': (_, earlier) => (earlier === 0 ? refuses('rate_limit') : claim),
  'rate-limit': () => refuses('rate_limit'),
  'rate-limit-later': after({ wish: { tool: 'shell', command: 'echo half > notes' }, reply: refuses('rate_limit') }),
  'long-limit': () => refuses('long_limit'),
  'usage-limit': () => refuses('usage_limit'),
  'daily-quota': () => refuses('daily_quota'),
  'server-error': () => refuses('server'),
  truncated: () => ({ kind: 'truncated' }),
  hang: () => ({ kind: 'hang', begun: false }),
  'hang-midway': () => ({ kind: 'hang', begun: true }),
  'context-full': () => refuses('context'),
  'third-time': thirdTime,
  'third-time-by-script': thirdTimeByScript,
  'in-session': inSession,
  'in-background': after({
    wish: { tool: 'shell', command: 'tail -f /dev/null', inBackground: true },
    reply: claim,
  }),
} as const satisfies Readonly<Record<string, Script>>;

export type Scenario = keyof typeof scenarios;

/** Makes no claim at first, then claims too early, then does the work. */
function thirdTime(conversation: Conversation): Reply {
  switch (iterationOf(conversation)) {
    case 1:
      return after({
        wish: { tool: 'write', path: 'notes.txt', content: 'Half of it.\n' },
        reply: say('Half of it is done; the rest is still open.'),
      })(conversation);
    case 2:
      return claim;
    default:
      return scenarios.write(conversation);
  }
}

/** The same, but the work is a script in the work tree. */
function thirdTimeByScript(conversation: Conversation): Reply {
  if (iterationOf(conversation) < 3) return thirdTime(conversation);
  return after({ wish: { tool: 'shell', command: 'sh ./work.sh' }, reply: claim })(conversation);
}

/** Starts a loop in its own session, stops too early, claims too early, then does the work. */
function inSession(conversation: Conversation): Reply {
  switch (iterationOf(conversation)) {
    case 0:
      return after({ wish: { tool: 'shell', command: './start.sh' }, reply: say('Half of it is done.') })(conversation);
    case 2:
      return claim;
    default:
      return scenarios.write(conversation);
  }
}

function after({ wish, reply }: { readonly wish: Wish; readonly reply: Reply }) {
  return ({ toolResults }: Conversation): Reply => (toolResults === 0 ? wants(wish) : reply);
}

function say(text: string): Reply {
  return { kind: 'text', text };
}

function wants(wish: Wish): Reply {
  return { kind: 'tool', wish };
}

function refuses(refusal: Refusal): Reply {
  return { kind: 'refusal', refusal };
}
