import { offeredCommands } from '../protocol/index.ts';
import type { CommandDefinition, OptionDefinition } from './definition.ts';
import { db, everywhere, json, runOptions } from './options.ts';

/** A loop of a fleet has no terminal, and its work tree is made by its worker. */
const ownToThisMachine = [
  'detach',
  'restart',
  'force',
  'discard-state',
  'state-dir',
  'worktree',
  'no-worktree',
  'dir',
  'trust-project',
  'plain',
  'quiet',
  'verbose',
];

const submission: readonly OptionDefinition[] = [
  { name: 'repo', value: 'URL', summary: 'Repository that the loop works on (default: the remote "origin" here).' },
  { name: 'ref', value: 'REF', summary: 'Branch, tag or commit to start from (default: the current branch).' },
  { name: 'priority', value: 'N', summary: 'Loops with a higher number go first, from -100 to 100 (default: 0).' },
  { name: 'account', value: 'NAME', summary: 'Account that its agent uses, whose limits it obeys.' },
  { name: 'label', value: 'NAME', repeatable: true, summary: 'Only workers with this label drive it.' },
  {
    name: 'every',
    value: 'WHEN',
    summary: 'Start such a loop again and again: an interval such as 6h, @daily, or five fields of cron.',
  },
  { name: 'zone', value: 'ZONE', summary: 'With --every: the time zone of the rule (default: that of this machine).' },
  {
    name: 'missed',
    value: 'one|skip|all',
    summary: 'With --every: what happens to due times at which no worker was there (default: one loop for all).',
  },
];

/** Commands about loops that many machines drive. */
export const fleetDefinitions: readonly CommandDefinition[] = [
  {
    name: 'submit',
    example: 'ralphd submit "Fix the tests" --verify "npm test" --priority 5',
    summary: 'Queue a loop for the workers of a fleet; it takes the options of "run".',
    args: ['[TASK]'],
    options: [...submission, db, ...runOptions.filter(({ name }) => !ownToThisMachine.includes(name))],
    passesOn: true,
  },
  {
    name: 'worker',
    example: 'ralphd worker --capacity 4 --trust https://git.example.org/team/',
    summary:
      'Drive loops of a fleet on this machine. SIGTERM hands them over when their iteration ends, a second one at once.',
    args: [],
    options: [
      db,
      {
        name: 'trust',
        value: 'URL',
        repeatable: true,
        summary: 'Run loops of this repository, or of all in this folder of a git server; "all" for any.',
      },
      { name: 'capacity', value: 'N', summary: 'How many loops to drive at once (default: 2).' },
      {
        name: 'offer',
        value: 'AGENT',
        repeatable: true,
        summary: 'Agent whose loops to drive (default: all that are installed).',
      },
      {
        name: 'account',
        value: 'NAME',
        repeatable: true,
        summary: 'Account whose loops to drive (default: any).',
      },
      { name: 'label', value: 'NAME', repeatable: true, summary: 'Label of this worker, which loops can ask for.' },
      {
        name: 'metrics',
        value: '[ADDRESS:]PORT',
        summary: 'Answer Prometheus at /metrics, on this machine only unless an address is given.',
      },
      {
        name: 'dir',
        value: 'DIR',
        summary: 'Folder for its work trees and its copies of loops (default: "worker" in the user\'s state folder).',
      },
    ],
  },
  {
    name: 'fleet',
    example: 'ralphd fleet status',
    summary:
      'A fleet: "status" shows what needs you, its workers, loops and accounts; "migrate" prepares its database or brings it up to date; "account" NAME sets limits; "requeue" ID continues a loop that was set aside or is paused, "withdraw" ID takes back one that has not started, "unschedule" ID removes a schedule; "prune" removes loops that ended long ago, "keep" DUR has workers do that by themselves; "forget" ID leaves a lost worker out.',
    args: ['ACTION', '[NAME|ID]'],
    words: ['status', 'migrate', 'account', 'requeue', 'withdraw', 'unschedule', 'prune', 'keep', 'forget'],
    options: [
      db,
      { name: 'max-loops', value: 'N', summary: 'account: the maximum number of loops that may use it at once.' },
      { name: 'reserve', value: 'N', summary: 'account: how many of them are kept from scheduled loops.' },
      { name: 'unblock', summary: 'account: forget that its provider refused it or was overloaded.' },
      { name: 'all', summary: 'status: every loop, not only the first of each kind.' },
      { name: 'older-than', value: 'DUR', summary: 'prune: only loops that ended longer ago than this, such as 90d.' },
      { name: 'yes', summary: 'prune: remove them; without this, they are only listed.' },
      json,
    ],
  },
];

/** Commands that work on the loops of a fleet as on those of this machine. */
const alsoOfFleets: ReadonlySet<string> = new Set([
  'ls',
  'status',
  'explain',
  'inspect',
  'report',
  'logs',
  'audit',
  'proof',
  'export',
  'land',
  'rm',
  'events',
  'watch',
  'stats',
  'resume',
  ...offeredCommands,
  'doctor',
]);

const ownCommand = { instead: 'Leave --db out.' };
const here = { ...ownCommand, why: 'it is about this machine, not about loops' };
const project = { ...ownCommand, why: 'it is about this project, not about loops' };
const document = { ...ownCommand, why: 'it reads a file, not loops' };

/** Why a command has nothing to do with the loops of a fleet, and what does instead. */
export const notOfFleets: Readonly<Record<string, { readonly why: string; readonly instead: string }>> = {
  run: { why: 'it drives a loop on this machine', instead: 'Queue a loop for a worker with "ralphd submit".' },
  backup: {
    why: 'the database has the loops of a fleet, and its own tools back it up',
    instead: 'Use pg_dump or continuous archiving; for what agents print, give the loops backup targets.',
  },
  restore: {
    why: 'the database has the loops of a fleet, and its own tools restore it',
    instead: 'Restore the database as a whole, with the tools of PostgreSQL.',
  },
  recover: {
    why: 'the journal of a fleet cannot be damaged by what damages files',
    instead: 'Continue a loop that was set aside with "ralphd fleet requeue ID".',
  },
  gc: { why: 'it removes files of this machine', instead: 'Remove a loop from the fleet with "ralphd rm ID".' },
  import: { why: 'it continues a loop on this machine', instead: 'Queue its task with "ralphd submit".' },
  key: {
    why: 'loops of a fleet are not encrypted by ralphd',
    instead: 'Encrypt the disk of the database, and its connections with sslmode=verify-full in the address.',
  },
  notify: {
    why: 'it is about the channels of this project',
    instead: 'See what a worker sent with "ralphd events ID --type notification.*".',
  },
  hook: { why: 'it is about sessions on this machine', instead: 'Leave --db out.' },
  init: project,
  config: project,
  trust: project,
  agents: here,
  completions: here,
  demo: here,
  selftest: here,
  validate: document,
  'parse-agent': document,
  'parse-tests': document,
};

/** A command with the options that lead to a fleet, if it works there. */
export function alsoOfFleet(definition: CommandDefinition): CommandDefinition {
  if (!alsoOfFleets.has(definition.name)) return definition;
  const last = definition.options.length - everywhere.length;
  return { ...definition, options: [...definition.options.slice(0, last), db, ...definition.options.slice(last)] };
}
