import { commandTable, isOption, offeredCommands } from '../protocol/index.ts';
import { aiwgDefinitions } from './aiwg-definitions.ts';
import { backupDefinitions } from './backup-definitions.ts';
import { controlDefinition, onLoop } from './control-definitions.ts';
import type { CommandDefinition, OptionDefinition } from './definition.ts';
import { documentDefinitions } from './document-definitions.ts';
import { alsoOfFleet, fleetDefinitions } from './fleet-definitions.ts';
import {
  allowBrokenBaseline,
  bounds,
  detach,
  display,
  dryRun,
  everywhere,
  json,
  notify,
  onLimit,
  resources,
  restart,
  runOptions,
  trustProject,
} from './options.ts';
import { serveDefinition } from './serve-definition.ts';

export type { CommandDefinition, OptionDefinition };

const attending = ['attended', 'mode', 'ask-before', 'auto-approve-after'];

/** Options of `run` that change a loop when it is resumed with them. */
const laterOptions = runOptions.filter(({ name }) =>
  [
    'agent',
    'agent-command',
    'model',
    'verify',
    'permissions',
    'delay',
    'iteration-timeout',
    'idle-timeout',
    'notify',
    ...attending,
  ].includes(name),
);

/** Options of `run` for a loop in a session. */
const startOptions = [
  'prompt',
  'prompt-file',
  'agent',
  'max-iterations',
  'verify',
  'completion-promise',
  'no-promise',
  'trust-promise',
  'no-auto-test',
  'no-baseline',
  'loop-id',
  'force',
  'trust-project',
];

const follow = (summary: string): OptionDefinition => ({ name: 'follow', short: 'f', summary });

const definitions: readonly CommandDefinition[] = [
  {
    name: 'init',
    summary: 'Write a commented ralphd.yml that fits this project: its agent, tests and task.',
    args: [],
    options: [{ name: 'dry-run', summary: 'Print the file instead of writing it.' }, json],
    example: 'ralphd init --dry-run',
  },
  {
    name: 'run',
    summary: 'Start a loop. "run" may be omitted: ralphd "fix the tests" --verify "npm test".',
    args: ['[TASK]'],
    options: runOptions,
    example: 'ralphd run "Fix the failing tests" --verify "npm test" -n 20',
    passesOn: true,
  },
  onLoop('resume', commandTable.resume.help, [
    ...bounds,
    ...resources,
    onLimit,
    ...laterOptions,
    { name: 'reload', summary: 'Apply settings that have changed in ralphd.yml, RALPHD_* or the prompt file.' },
    { name: 'as-new', summary: 'Continue the work of an ended loop in a new loop.' },
    allowBrokenBaseline,
    { name: 'accept-gate', summary: 'Accept the current version of the files that the checks depend on.' },
    { name: 'accept-conditions', summary: 'Apply "stopConditions" from the current configuration.' },
    detach,
    restart,
    {
      name: 'unattended',
      summary: 'Do nothing and exit with 0 if the loop has ended or needs a person (used by --restart).',
    },
    {
      name: 'force',
      summary:
        'Take the loop over: end its process here, frozen or not, or once its process on another machine is gone. Resume it even if four loops already run.',
    },
    trustProject,
    ...display,
  ]),
  onLoop('watch', 'Watch a loop from any terminal; Ctrl-C stops watching and does not disturb the loop.', [
    { name: 'exit-when-paused', summary: 'Also exit when the loop pauses or its process dies.' },
    ...display,
  ]),
  ...fleetDefinitions,
  serveDefinition,
  onLoop('status', 'Show what a loop is doing and how close each stop rule is.'),
  onLoop('explain', 'Explain why a loop stopped, paused or is waiting, and what to do next.', [
    { name: 'history', summary: 'Also show how the stop rules changed over the last 100 iterations.' },
  ]),
  {
    name: 'inspect',
    example: 'ralphd inspect fix-tests 3 --diff',
    summary: 'Show what one iteration did and why it was judged that way (default: the newest).',
    args: ['[ID]', '[N]'],
    options: [
      { name: 'prompt', summary: 'Show the whole prompt.' },
      { name: 'diff', summary: 'Show the changed lines, not only their number.' },
      ...everywhere,
    ],
  },
  onLoop('report', 'Report the task, the result, how well it is proven and what to do next.', [
    { name: 'markdown', summary: 'Print Markdown, for a pull request or a chat.' },
    { name: 'html', summary: 'Print a page that needs no other file.' },
    { name: 'out', value: 'FILE', summary: 'Write to a new file instead of stdout.' },
  ]),
  {
    name: 'logs',
    example: 'ralphd logs fix-tests --follow',
    summary: 'Show what the agent wrote and did in an iteration (default: the newest).',
    args: ['[ID]', '[N]'],
    options: [
      follow('Follow the agent and the next iterations until the loop ends or pauses.'),
      { name: 'attempt', value: 'K', summary: 'Attempt of the iteration to show (default: the newest).' },
      { name: 'text', summary: "Show the agent's own words and one line for each tool call (default)." },
      { name: 'tools', summary: 'Show only the tool calls, each with its result.' },
      { name: 'raw', summary: 'Print stdout unchanged; on a terminal, without control characters.' },
      { name: 'stderr', summary: 'Print stderr instead of stdout.' },
      ...everywhere,
    ],
  },
  onLoop('events', 'Show the facts recorded about a loop.', [
    follow('Follow new facts until the loop ends.'),
    { name: 'from', value: 'SEQ', summary: 'Start at the fact with this number (default: 1).' },
    { name: 'type', value: 'PATTERN', summary: 'Show only facts of these types, such as "iteration.*".' },
  ]),
  onLoop('audit', 'Show who did what in a loop: iterations, changed files, decisions and commands.'),
  onLoop('stats', 'Show totals of all loops of this project, or of one: results, time, tokens, cost, failures.', [
    { name: 'since', value: 'WHEN', summary: 'Only loops that started since a date, or in the last 12h or 7d.' },
    { name: 'csv', summary: 'Print CSV: a line for each loop, or for each iteration of one loop.' },
    { name: 'markdown', summary: 'Print the same as Markdown.' },
    { name: 'prometheus', summary: 'Print metrics as Prometheus reads them.' },
    { name: 'openmetrics', summary: 'Print metrics in the OpenMetrics format.' },
    { name: 'statsd', summary: 'Print metrics as lines for StatsD; nothing is sent.' },
    { name: 'brief', summary: 'Of one loop: leave out its iterations.' },
  ]),
  {
    name: 'ls',
    example: 'ralphd ls --all',
    summary: 'List all loops of this project.',
    args: [],
    options: [{ name: 'all', summary: 'List the loops of all your projects on this machine.' }, ...everywhere],
  },
  ...offeredCommands.filter((name) => name !== 'resume' && !isOption(name)).map(controlDefinition),
  {
    name: 'proof',
    example: 'ralphd proof fix-tests --out proof.json',
    summary: 'Create the proof of a completed loop, or check one with "proof verify FILE".',
    args: ['[ID|verify]', '[FILE]'],
    options: [
      { name: 'out', value: 'FILE', summary: 'Write to a new file instead of stdout.' },
      { name: 'markdown', summary: 'Print a summary for a pull request instead of JSON.' },
      { name: 'repo', value: 'DIR', summary: 'With "verify": compare the proof with the files in this checkout.' },
      { name: 'run', summary: 'With "verify": also run the commands listed in FILE; only do this if you trust it.' },
      ...everywhere,
    ],
  },
  onLoop('export', "Print a loop's state in another system's format.", [
    { name: 'to', value: 'aiwg-v2|tachikoma|ultraplan', summary: 'Format to print (default: aiwg-v2).' },
    { name: 'strict', summary: 'Only the fields that the format defines; keep nothing of an imported document.' },
    { name: 'out', value: 'FILE', summary: 'Write to a new file instead of stdout.' },
  ]),
  ...documentDefinitions,
  ...backupDefinitions,
  onLoop('recover', 'Rebuild the state of a damaged loop and report what was found.', [
    { name: 'mark-crashed', summary: 'Permanently end a loop whose process died, as crashed.' },
    dryRun,
  ]),
  {
    ...onLoop(
      'land',
      'Bring the branch of a completed loop back: merge it, run the checks on the result, move the branch.',
      [
        { name: 'merge', setting: 'land', sets: 'merge', summary: 'Always create a merge commit.' },
        { name: 'ff-only', setting: 'land', sets: 'ff-only', summary: 'Refuse anything but a fast-forward.' },
        { name: 'squash', setting: 'land', sets: 'squash', summary: 'Bring the work in as one commit.' },
        { name: 'into', value: 'BRANCH', summary: 'Branch to land in (default: the one the loop started from).' },
        { name: 'commit', summary: 'Commit what the loop left uncommitted.' },
        { name: 'keep', summary: 'Keep the worktree and its branch.' },
        { name: 'force', summary: 'Also land a loop that has not completed; its work is unverified.' },
        trustProject,
        dryRun,
      ],
    ),
    example: 'ralphd land fix-tests --dry-run',
  },
  {
    name: 'rm',
    example: 'ralphd rm fix-tests',
    summary: 'Remove a loop that has ended and everything stored for it; your files stay.',
    args: ['ID'],
    options: [
      {
        name: 'force',
        summary: 'Also remove a loop that could still be resumed; ends its process and its agent first.',
      },
      ...everywhere,
    ],
  },
  {
    name: 'gc',
    example: 'ralphd gc --loops --dry-run',
    summary: 'Remove old checkpoints and temporary files of loops that ended more than 30 days ago.',
    args: [],
    options: [{ name: 'loops', summary: 'Also remove those loops entirely.' }, dryRun, ...everywhere],
  },
  {
    name: 'doctor',
    example: 'ralphd doctor --json',
    summary:
      'Check what loops need here and all state on disk, or with --db a fleet and its database, and suggest a fix for each problem.',
    args: [],
    options: [{ name: 'dry-run', summary: 'Accepted for consistency; doctor never changes anything.' }, ...everywhere],
  },
  {
    name: 'notify',
    example: 'ralphd notify test --notify desktop',
    summary:
      'Notifications: "test" sends one to every channel or to NAME; "history" shows those of a loop, "ack" marks them as seen, "send" sends those that a dead process did not.',
    args: ['ACTION', '[NAME]'],
    words: ['test', 'history', 'ack', 'send'],
    options: [notify, trustProject, ...everywhere],
  },
  {
    name: 'key',
    example: 'ralphd key new --file ~/.config/ralphd/key',
    summary:
      'Keys of encrypted loops: "new" creates one, "check" shows which keys are found and which loops they unlock, "encrypt" encrypts the loop ID, "rotate" moves loops to another key.',
    args: ['ACTION', '[ID]'],
    words: ['new', 'check', 'encrypt', 'rotate'],
    options: [
      { name: 'file', value: 'FILE', summary: 'new: the file to create; only you can read it.' },
      { name: 'keyring', summary: 'new: store the key in the keyring of the system.' },
      { name: 'to', value: 'FILE', summary: 'rotate: the file with the new key.' },
      ...everywhere,
    ],
  },
  {
    name: 'hook',
    example: 'ralphd hook install claude',
    summary:
      'Loops inside a session of claude or codex: "install", "remove" and "status" are about the Stop hook, "start" starts a loop.',
    args: ['ACTION', '[WHAT]'],
    words: ['install', 'remove', 'status', 'start'],
    options: [
      { name: 'project', summary: 'install, remove: for sessions in this project (default).' },
      { name: 'user', summary: 'install, remove: for all of your sessions.' },
      { name: 'timeout', value: 'DUR', summary: 'install: how long the checks may take in the hook (default: 15m).' },
      { name: 'session', value: 'ID', summary: 'start: the session that works on the loop (default: this one).' },
      { name: 'from', value: 'FILE', summary: "start: take over a loop of Claude Code's plugin." },
      ...runOptions.filter(({ name }) => startOptions.includes(name)),
      ...everywhere,
    ],
  },
  {
    name: 'agents',
    example: 'ralphd agents',
    summary: 'List the installed agents, their versions and what each can report.',
    args: [],
    options: everywhere,
  },
  {
    name: 'parse-agent',
    example: 'ralphd parse-agent claude output.jsonl',
    summary: "Show what ralphd reads from an agent's output (a file or stdin).",
    args: ['AGENT', '[FILE]'],
    options: [
      { name: 'stderr', value: 'FILE', summary: "The agent's stderr output." },
      { name: 'exit-code', value: 'N', summary: 'The exit code of the agent (default: 0).' },
      { name: 'signal', value: 'NAME', summary: 'The signal that killed the agent.' },
      json,
    ],
  },
  {
    name: 'parse-tests',
    example: 'ralphd parse-tests test-output.txt',
    summary: "Show what ralphd reads from a test runner's output (a file or stdin).",
    args: ['[FILE]'],
    options: [json],
  },
  {
    name: 'config',
    summary: 'Settings: "show" those in effect and their origin, "explain" KEY, or print the JSON "schema".',
    args: ['[WHAT]', '[KEY]'],
    words: ['show', 'explain', 'schema'],
    options: [
      { name: 'all', summary: 'With "show": also list the settings that have their default value.' },
      ...runOptions.filter(({ setting, name }) => setting !== undefined && name !== 'state-dir'),
      ...everywhere,
    ],
    example: 'ralphd config explain verifyIn',
    passesOn: true,
  },
  {
    name: 'trust',
    example: 'ralphd trust grant',
    summary:
      'What this project would run, send or weaken with your rights: "show" it, "grant" your trust, "list" what you trust, or "revoke" it.',
    args: ['[ACTION]', '[FOLDER]'],
    words: ['show', 'grant', 'list', 'revoke'],
    options: [
      { name: 'always', summary: 'grant: trust whatever FOLDER and the folders in it bring, now and later.' },
      { name: 'all', summary: 'revoke: everything that you trust.' },
      ...everywhere,
    ],
  },
  {
    name: 'completions',
    summary: 'Print a script that completes commands, flags and loops in bash, zsh or fish.',
    args: ['SHELL'],
    words: ['bash', 'zsh', 'fish', 'ids'],
    options: everywhere.filter(({ name }) => name !== 'json'),
    example: 'ralphd completions bash >> ~/.bash_completion',
  },
  {
    name: 'demo',
    example: 'ralphd demo --dir /tmp/shop',
    summary: 'Watch a loop catch a false claim, using a scripted agent (no account, no network).',
    args: [],
    options: [
      json,
      { name: 'dir', value: 'DIR', summary: 'Folder for the demo project (default: a new temporary folder).' },
    ],
  },
  {
    name: 'selftest',
    example: 'ralphd selftest --only kills --seed 7',
    summary: 'Put ralphd to the test on this machine: kills, a full disk, a lying agent (no account, no network).',
    args: [],
    options: [
      { name: 'only', value: 'NAME', repeatable: true, summary: 'Play only the scenario with this name.' },
      { name: 'seed', value: 'N', summary: 'Repeat the random choices of an earlier run.' },
      { name: 'keep', summary: 'Keep the temporary folder for inspection.' },
      json,
    ],
  },
  ...aiwgDefinitions,
];

/** Every command, in the order of the help. */
export const commandDefinitions: readonly CommandDefinition[] = definitions.map(alsoOfFleet);
