import { agentNames, limitsToShow } from '../protocol/index.ts';
import type { OptionDefinition } from './definition.ts';

export const json: OptionDefinition = { name: 'json', summary: 'Print JSON instead of text.' };
const stateDir: OptionDefinition = {
  name: 'state-dir',
  value: 'DIR',
  setting: 'stateDir',
  summary: 'Folder for the state of all loops (default: .ralph).',
};
const configFile: OptionDefinition = {
  name: 'config',
  value: 'FILE',
  summary: 'Configuration file to use instead of ralphd.yml.',
};
export const everywhere = [json, stateDir, configFile];
export const db: OptionDefinition = {
  name: 'db',
  value: 'URL',
  summary: 'Loops of the fleet in this PostgreSQL database (default: RALPHD_DB, if it is set).',
};

export const display: readonly OptionDefinition[] = [
  { name: 'plain', summary: 'Print lines instead of showing the screen, as without a terminal.' },
  { name: 'quiet', short: 'q', summary: 'Show only problems and the result.' },
  { name: 'verbose', short: 'v', summary: "Also show each tool call and the agent's messages." },
];
export const dryRun: OptionDefinition = { name: 'dry-run', summary: 'Show what would be done without doing it.' };

const valueOf = { count: 'N', time: 'DUR', money: 'USD' } as const;

export const bounds: readonly OptionDefinition[] = limitsToShow.map(({ setting, option, short, unit, help }) => ({
  name: option,
  ...(short === undefined ? {} : { short }),
  value: valueOf[unit],
  setting,
  summary: help,
}));

export const resources: readonly OptionDefinition[] = [
  {
    name: 'api-calls-per-hour',
    value: 'N',
    setting: 'resources.apiCallsPerHour',
    summary: 'Maximum number of API calls in any hour; then the loop waits until it may continue.',
  },
  {
    name: 'max-memory',
    value: 'SIZE',
    setting: 'resources.maxMemory',
    summary: 'Maximum memory of the agent and what it starts, such as 8GB; more ends its run.',
  },
  {
    name: 'min-free-disk',
    value: 'SIZE',
    setting: 'resources.minFreeDisk',
    summary: 'Pause when less disk space than this is free.',
  },
];

export const detach: OptionDefinition = {
  name: 'detach',
  summary: 'Run in the background: the loop keeps running when the terminal closes.',
};

export const restart: OptionDefinition = {
  name: 'restart',
  summary: 'With --detach: resume the loop after a reboot until it ends (systemd or launchd).',
};

export const allowBrokenBaseline: OptionDefinition = {
  name: 'allow-broken-baseline',
  setting: 'allowBrokenBaseline',
  summary: 'Start even though the checks cannot run yet, for a task that writes or repairs them.',
};

export const onLimit: OptionDefinition = {
  name: 'on-limit',
  value: 'fail|pause',
  setting: 'onLimit',
  summary:
    'Whether reaching a limit ends the loop (default) or pauses it; a paused loop can be resumed with a higher limit.',
};

export const notify: OptionDefinition = {
  name: 'notify',
  value: 'CHANNEL',
  repeatable: true,
  channels: true,
  setting: 'notify',
  summary:
    'Send notifications: desktop, log:FILE, command:CMD, webhook:URL, ntfy:URL, slack:env:NAME, discord:env:NAME.',
};

export const trustProject: OptionDefinition = {
  name: 'trust-project',
  summary: 'Run what the project brings without asking, this time: for scripts that know it. See "ralphd trust".',
};

const [firstAgent, ...otherAgents] = agentNames;
const agentList = `${firstAgent} (default), ${otherAgents.slice(0, -1).join(', ')} or ${otherAgents.at(-1)}`;

export const runOptions: readonly OptionDefinition[] = [
  { name: 'prompt', short: 'p', value: 'TEXT', setting: 'prompt', summary: 'The task as text.' },
  {
    name: 'prompt-file',
    short: 'P',
    value: 'FILE',
    setting: 'promptPath',
    summary: 'File with the task, read again for each iteration (default: PROMPT.md or prompt.md).',
  },
  {
    name: 'var',
    value: 'NAME=VALUE',
    repeatable: true,
    pairs: true,
    setting: 'vars',
    summary: 'Value of {{NAME}} in the prompt file.',
  },
  {
    name: 'agent',
    short: 'a',
    value: 'NAME',
    setting: 'agent',
    summary: `Agent to run: ${agentList}.`,
  },
  {
    name: 'agent-command',
    value: 'CMD',
    setting: 'agentCommand',
    summary: 'Program for agent "command": reads the prompt from stdin and prints text.',
  },
  { name: 'model', value: 'M', setting: 'model', summary: 'Model for the agent to use.' },
  ...bounds,
  ...resources,
  onLimit,
  {
    name: 'verify',
    value: 'CMD',
    repeatable: true,
    setting: 'verify',
    summary: 'Command that must exit with 0 before the loop can complete.',
  },
  {
    name: 'test-every',
    value: 'N',
    setting: 'testEvery',
    summary: 'Also run the checks after every Nth iteration without a claim, to follow the tests.',
  },
  {
    name: 'completion-promise',
    value: 'TEXT',
    setting: 'completionPromise',
    summary: 'Text the agent prints in <promise>…</promise> to claim completion (default: DONE).',
  },
  {
    name: 'no-promise',
    setting: 'completionPromise',
    sets: null,
    summary: 'Expect no promise; run the checks after every iteration.',
  },
  {
    name: 'trust-promise',
    setting: 'trustPromise',
    summary: "Accept the agent's claim without verification when there are no checks.",
  },
  {
    name: 'no-auto-test',
    setting: 'autoTest',
    sets: false,
    summary: "Do not run the project's own test command as a check.",
  },
  {
    name: 'protect',
    value: 'PATTERN|strict',
    setting: 'protect',
    summary: 'Report changes to these files (default: tests); "strict" runs the checks with the original tests.',
  },
  {
    name: 'verify-in',
    value: 'tree|clean|sealed',
    setting: 'verifyIn',
    summary: 'Where to run the checks: in the work tree (default), in a clean checkout, or sealed off from the agent.',
  },
  {
    name: 'no-guard',
    setting: 'guard',
    sets: false,
    summary: 'Allow the agent to change the files that the checks depend on.',
  },
  {
    name: 'no-baseline',
    setting: 'baseline',
    sets: false,
    summary: 'Skip running the checks before the first iteration.',
  },
  allowBrokenBaseline,
  {
    name: 'sandbox',
    value: 'off|on|strict',
    setting: 'sandbox',
    summary:
      'Run the agent and the checks in a sandbox: for files and processes ("on"), or also for the network ("strict").',
  },
  {
    name: 'permissions',
    value: 'ask|edit|full',
    setting: 'permissions',
    summary: 'What the agent may do without asking (default: edit).',
  },
  { name: 'delay', value: 'DUR', setting: 'iterationDelay', summary: 'Delay between iterations (default: 5s).' },
  {
    name: 'iteration-timeout',
    value: 'DUR',
    setting: 'iteration.timeout',
    summary: 'Maximum time for one iteration (default: 30m).',
  },
  {
    name: 'idle-timeout',
    value: 'DUR',
    setting: 'iteration.idleTimeout',
    summary: 'Stop an agent that shows no activity for this long (default: 15m).',
  },
  {
    name: 'redline',
    value: 'PCT',
    setting: 'contextRedlinePercent',
    summary: 'Context usage in percent at which a new session starts (default: 85).',
  },
  {
    name: 'worktree',
    value: 'NAME',
    optionalValue: true,
    setting: 'worktree',
    summary: 'Work in a new git worktree on the branch ralphd/NAME (default: the id of the loop), to be landed later.',
  },
  { name: 'attended', setting: 'attended', summary: 'Ask a person before each iteration and before completion.' },
  {
    name: 'mode',
    value: 'MODE',
    setting: 'mode',
    summary: 'unattended (default), attended, or hybrid: ask every 10 iterations and when something looks wrong.',
  },
  {
    name: 'ask-before',
    value: 'iteration|completion',
    setting: 'ask.before',
    summary: 'When an attended loop asks: before each iteration and completion (default), or only before completion.',
  },
  {
    name: 'auto-approve-after',
    value: 'DUR',
    setting: 'ask.autoApproveAfter',
    summary: 'Continue by itself if nobody decides for this long.',
  },
  {
    name: 'execution-mode',
    value: 'MODE',
    setting: 'executionMode',
    summary: 'default, logged (keep all output), seeded or strict (with --seed, for agents that take one).',
  },
  { name: 'seed', value: 'N', setting: 'seed', summary: 'Seed for the execution modes seeded and strict.' },
  notify,
  detach,
  restart,
  {
    name: 'exclusive',
    setting: 'exclusive',
    summary: 'Refuse to share the working directory with another active loop.',
  },
  { name: 'force', summary: 'Start even if four loops already run or the working directory is in use.' },
  { name: 'loop-id', value: 'ID', setting: 'loopId', summary: 'Name or id for the loop instead of a generated one.' },
  {
    name: 'discard-state',
    summary:
      'With --loop-id: put the state of a loop that no process runs aside, even if it is damaged, and start over.',
  },
  trustProject,
  ...display,
  ...everywhere,
];
