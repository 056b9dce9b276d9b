/** One option of a command: data, so that parsing, help and the reference page say the same. */
export interface OptionDefinition {
  /** Long name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** What stands for the value in the help; an option without one is a switch. */
  readonly value?: string;
  readonly repeatable?: boolean;
  /** The values are of the form NAME=VALUE and add up to a mapping. */
  readonly pairs?: boolean;
  readonly summary: string;
  /** The setting it sets, by path. */
  readonly setting?: string;
  /** What a switch sets its setting to; `true` when left out. */
  readonly sets?: boolean | null;
}

/** One command of the command line. */
export interface CommandDefinition {
  readonly name: string;
  readonly summary: string;
  /** Positional arguments as the help shows them; one in brackets may be left out. */
  readonly args: readonly string[];
  readonly options: readonly OptionDefinition[];
  /** Whether words after `--` are passed on. */
  readonly passesOn?: boolean;
}

const json: OptionDefinition = { name: 'json', summary: 'Print JSON instead of text.' };
const stateDir: OptionDefinition = {
  name: 'state-dir',
  value: 'DIR',
  setting: 'stateDir',
  summary: 'Where loops keep their state (.ralph).',
};
const configFile: OptionDefinition = { name: 'config', value: 'FILE', summary: 'Read this instead of ralphd.yml.' };
const everywhere = [json, stateDir, configFile];
const dryRun: OptionDefinition = { name: 'dry-run', summary: 'Only say what would be done.' };

const bounds: readonly OptionDefinition[] = [
  {
    name: 'max-iterations',
    short: 'n',
    value: 'N',
    setting: 'maxIterations',
    summary: 'Most iterations (100); 0 for no limit, which needs another one.',
  },
  { name: 'max-time', value: 'DUR', setting: 'maxTime', summary: 'Longest running time, such as 8h or 1h 30m.' },
  { name: 'max-cost', value: 'USD', setting: 'maxCostUsd', summary: 'Most money, as the agent reports it.' },
  { name: 'max-tokens', value: 'N', setting: 'maxTokens', summary: 'Most tokens, as the agent reports them.' },
  {
    name: 'max-output-tokens',
    value: 'N',
    setting: 'maxOutputTokens',
    summary: 'Most tokens that the agent writes, as it reports them.',
  },
  {
    name: 'max-tool-calls',
    value: 'N',
    setting: 'maxToolCalls',
    summary: 'Most uses of tools, as the agent reports them.',
  },
];

const allowBrokenBaseline: OptionDefinition = {
  name: 'allow-broken-baseline',
  setting: 'allowBrokenBaseline',
  summary: 'Start although the checks cannot judge anything yet: the task is to write or repair them.',
};

const runOptions: readonly OptionDefinition[] = [
  { name: 'prompt', short: 'p', value: 'TEXT', setting: 'prompt', summary: 'The task as text.' },
  {
    name: 'prompt-file',
    short: 'P',
    value: 'FILE',
    setting: 'promptPath',
    summary: 'A file with the task, read afresh each iteration (PROMPT.md or prompt.md).',
  },
  {
    name: 'var',
    value: 'NAME=VALUE',
    repeatable: true,
    pairs: true,
    setting: 'vars',
    summary: 'What {{NAME}} stands for in the prompt file.',
  },
  {
    name: 'agent',
    short: 'a',
    value: 'NAME',
    setting: 'agent',
    summary: 'Which agent: claude, codex, gemini, opencode, command or demo.',
  },
  {
    name: 'agent-command',
    value: 'CMD',
    setting: 'agentCommand',
    summary: 'The program of agent "command": reads the prompt on stdin, prints text.',
  },
  { name: 'model', value: 'M', setting: 'model', summary: 'The model the agent shall use.' },
  ...bounds,
  {
    name: 'verify',
    value: 'CMD',
    repeatable: true,
    setting: 'verify',
    summary: 'A check that must pass before the loop counts as done.',
  },
  {
    name: 'completion-promise',
    value: 'TEXT',
    setting: 'completionPromise',
    summary: 'What the agent prints in <promise>…</promise> when it is done (DONE).',
  },
  {
    name: 'no-promise',
    setting: 'completionPromise',
    sets: null,
    summary: 'Try the checks after every iteration, without a promise.',
  },
  {
    name: 'trust-promise',
    setting: 'trustPromise',
    summary: "Accept the agent's word when there is nothing to verify.",
  },
  { name: 'no-auto-test', setting: 'autoTest', sets: false, summary: "Leave out the project's own test command." },
  {
    name: 'protect',
    value: 'PATTERN|strict',
    setting: 'protect',
    summary: 'Name changes of these files (usual tests); "strict" runs the checks with the tests as they were.',
  },
  {
    name: 'verify-in',
    value: 'tree|clean|sealed',
    setting: 'verifyIn',
    summary:
      'Run the checks in the work tree, in a checkout without ignored files, or where the agent never was (tree).',
  },
  {
    name: 'no-guard',
    setting: 'guard',
    sets: false,
    summary: 'Let the agent change the files that the checks name.',
  },
  {
    name: 'no-baseline',
    setting: 'baseline',
    sets: false,
    summary: 'Do not try the checks before the first iteration.',
  },
  allowBrokenBaseline,
  {
    name: 'permissions',
    value: 'ask|edit|full',
    setting: 'permissions',
    summary: 'What the agent may do without asking (edit).',
  },
  { name: 'delay', value: 'DUR', setting: 'iterationDelay', summary: 'Pause between two iterations (5s).' },
  {
    name: 'iteration-timeout',
    value: 'DUR',
    setting: 'iteration.timeout',
    summary: 'Longest time for one iteration (30m).',
  },
  {
    name: 'idle-timeout',
    value: 'DUR',
    setting: 'iteration.idleTimeout',
    summary: 'Longest silence before an agent is ended (15m).',
  },
  {
    name: 'redline',
    value: 'PCT',
    setting: 'contextRedlinePercent',
    summary: 'How full a continued session may get (85).',
  },
  { name: 'attended', setting: 'attended', summary: 'Ask before each iteration.' },
  { name: 'detach', summary: 'Run in the background (not available yet).' },
  { name: 'exclusive', setting: 'exclusive', summary: 'Refuse to share the folder with another live loop.' },
  { name: 'force', summary: 'Start although four loops are live already, or the folder is taken.' },
  { name: 'loop-id', value: 'ID', setting: 'loopId', summary: 'Name the loop yourself.' },
  ...everywhere,
];

const onLoop = (name: string, summary: string, options: readonly OptionDefinition[] = []): CommandDefinition => ({
  name,
  summary,
  args: ['[ID]'],
  options: [...options, ...everywhere],
});

/** Every command, in the order of the help. */
export const commandDefinitions: readonly CommandDefinition[] = [
  {
    name: 'run',
    summary: 'Start a loop: ralphd run "TASK" --verify CMD. With a task of several words, "run" may be left out.',
    args: ['[TASK]'],
    options: runOptions,
    passesOn: true,
  },
  onLoop('resume', 'Go on with a loop that is paused or whose process died.', [
    ...bounds,
    allowBrokenBaseline,
    { name: 'accept-gate', summary: 'Take what the checks depend on, and strictly protected tests, as they are now.' },
    { name: 'accept-conditions', summary: 'Take "stopConditions" as your settings have them now: you changed them.' },
  ]),
  onLoop('status', 'What a loop is doing, and how near each stop rule is.'),
  onLoop('explain', 'Why a loop stopped, waits or rests, or what would stop it next, and what to do about it.', [
    { name: 'history', summary: 'Tell how the rules and conditions moved in the newest 100 iterations.' },
  ]),
  { name: 'ls', summary: 'All loops of this project.', args: [], options: everywhere },
  onLoop('pause', 'Pause a loop at the end of its iteration.', [
    { name: 'now', summary: 'Interrupt the iteration; it is tried again after the resume.' },
  ]),
  onLoop('stop', 'End a loop for good, giving its agent time to end in good order.'),
  onLoop('abort', 'End a loop for good, at once.'),
  onLoop('skip', 'Give up the iteration under way and go on with the next.'),
  onLoop('retry', 'End the wait of a loop: try again now instead of when its limit is over.'),
  onLoop('reboot', 'Give the agent a fresh session before the next iteration.'),
  {
    name: 'guide',
    summary: 'Tell the agent something with its next prompt.',
    args: ['[ID]', 'TEXT'],
    options: everywhere,
  },
  {
    name: 'proof',
    summary: 'The proof of a completed loop as a document, or, as "proof verify FILE", whether such a document holds.',
    args: ['[ID|verify]', '[FILE]'],
    options: [
      { name: 'out', value: 'FILE', summary: 'Write to a new file instead of standard output.' },
      { name: 'markdown', summary: 'A short text for a pull request instead of JSON.' },
      { name: 'repo', value: 'DIR', summary: 'With "verify": compare the proof with the files in this checkout.' },
      { name: 'run', summary: 'With "verify": run the commands of the proof again there. They come from FILE.' },
      ...everywhere,
    ],
  },
  onLoop('export', "Print the state of a loop as another system's document.", [
    { name: 'to', value: 'aiwg-v2|tachikoma', summary: 'Which document (aiwg-v2).' },
  ]),
  onLoop('backup', 'Copy the state of a loop into its folder of backups.', [dryRun]),
  {
    name: 'restore',
    summary: 'Put a loop that nobody drives back to a checkpoint or backup; what came later is kept aside.',
    args: ['ID'],
    options: [
      {
        name: 'from',
        value: 'FILE|latest',
        summary: "One of the loop's checkpoints or backups by name, any file by path, or the newest.",
      },
      dryRun,
      ...everywhere,
    ],
  },
  onLoop('recover', 'Rebuild the state of a loop from whatever is left of it, and say what was found.', [
    { name: 'mark-crashed', summary: 'End a loop whose process died for good, as crashed.' },
    dryRun,
  ]),
  {
    name: 'gc',
    summary: 'Remove what finished loops no longer need: checkpoints but the newest five, and scraps, after 30 days.',
    args: [],
    options: [
      { name: 'loops', summary: 'Remove whole loops, too, that ended more than 30 days ago.' },
      dryRun,
      ...everywhere,
    ],
  },
  {
    name: 'doctor',
    summary: 'Check everything on disk, every journal whole, and name the fix for what is wrong.',
    args: [],
    options: [{ name: 'dry-run', summary: 'Makes no difference: it never changes anything.' }, ...everywhere],
  },
  {
    name: 'agents',
    summary: 'Which agents are on this machine, their versions, and what each can report.',
    args: [],
    options: everywhere,
  },
  {
    name: 'parse-agent',
    summary: "What ralphd reads out of an agent's stream: of a file, or of standard input.",
    args: ['AGENT', '[FILE]'],
    options: [
      { name: 'stderr', value: 'FILE', summary: 'What the agent printed on its error channel.' },
      { name: 'exit-code', value: 'N', summary: 'What it exited with (0).' },
      { name: 'signal', value: 'NAME', summary: 'What it was killed by.' },
      json,
    ],
  },
  {
    name: 'parse-tests',
    summary: "What ralphd reads out of a test runner's output: of a file, or of standard input.",
    args: ['[FILE]'],
    options: [json],
  },
  {
    name: 'demo',
    summary: 'Watch a loop catch a false claim: a scripted agent, no account, no network.',
    args: [],
    options: [json, { name: 'dir', value: 'DIR', summary: 'Where to put the demo project (a new temporary folder).' }],
  },
];
