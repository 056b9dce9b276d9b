import type { FoundTests, ProjectSurvey } from '../../app/index.ts';
import { knownAgents } from '../../protocol/index.ts';

/** What the user's own configuration already decides. */
export interface OwnChoices {
  readonly agent?: string | undefined;
}

/** The text of a commented ralphd.yml for a project: it sets what the project needs and shows what people change. */
export function starterFile(survey: ProjectSurvey, own: OwnChoices): string {
  const parts = [
    header,
    agentPart(survey, own),
    checksPart(survey),
    taskPart(survey),
    statePart(survey),
    furtherPart(survey),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

const header = [
  '# Settings of ralphd for this project. Flags and RALPHD_* variables override them.',
  '# "ralphd config explain KEY" describes a setting, "ralphd config show" lists all in effect.',
];

function agentPart({ agents }: ProjectSurvey, own: OwnChoices): readonly string[] {
  if (own.agent !== undefined) {
    return [
      `# The agent is set in your own configuration: ${own.agent}. Uncomment to override it here.`,
      `# agent: ${own.agent}`,
    ];
  }
  const [first, ...others] = agents;
  const names = knownAgents.join(', ');
  if (first === undefined) {
    return [`# The agent. None of these is on the PATH yet: ${names}.`, `agent: ${knownAgents[0]}`];
  }
  const also = others.length === 0 ? '' : `; also found: ${others.join(', ')}`;
  return [`# The agent${also}. Any other program: "command", with agentCommand.`, `agent: ${first}`];
}

function checksPart({ tests, moreTests, whyNoTests: reason }: ProjectSurvey): readonly string[] {
  const usable = tests.filter(isUsable);
  const meaning = '# Commands that must all exit with 0 before a loop can complete.';
  if (usable.length > 0) {
    return [
      meaning,
      ...(moreTests === 0 ? [] : [`# ${moreTests} more projects in this folder have tests.`]),
      'verify:',
      ...usable.map(({ command, from }) => `  - ${scalar(command)} # from ${from}`),
    ];
  }
  return [meaning, ...whyNoTests(tests, reason), '# verify:', '#   - ./check.sh'];
}

/** Whether a command can already prove something. */
export function isUsable({ hasTests, isInstalled }: FoundTests): boolean {
  return hasTests && isInstalled;
}

function whyNoTests([found]: readonly FoundTests[], reason?: string): readonly string[] {
  if (found === undefined) {
    return [
      ...(reason === undefined ? [] : [`# None was found: ${reason}.`]),
      '# Set a command here or with --verify; a loop without any check is refused.',
    ];
  }
  const { command, from, program, isInstalled } = found;
  if (!isInstalled) return [`# "${command}" (${from}) runs the tests, but ${program} is not installed.`];
  return [`# "${command}" (${from}) is used as soon as there are tests; there are none yet.`];
}

function taskPart({ task }: ProjectSurvey): readonly string[] {
  const isOverridden = 'ralphd run "TASK" overrides it';
  const promise =
    task?.promise === undefined || task.promise === 'DONE'
      ? []
      : [
          '',
          `# The text in <promise>…</promise> that ${task.file} asks for.`,
          `completionPromise: ${scalar(task.promise)}`,
        ];
  switch (task?.kind) {
    case undefined:
      return ['# The task: put it into PROMPT.md, or run: ralphd run "TASK"'];
    case 'default':
      return [`# The task is in ${task.file}, which is read again for each iteration; ${isOverridden}.`, ...promise];
    case 'prompt':
      return [
        `# The file with the task, read again for each iteration; ${isOverridden}.`,
        `promptPath: ${scalar(task.file)}`,
        ...promise,
      ];
    case 'list':
      return [
        `# The task: ${task.file} lists what to do; ${isOverridden}.`,
        'prompt: >-',
        `  Work through the open items in ${task.file}, one at a time, most important first.`,
        '  Implement each with its tests, and mark it there as done.',
        '  The task is done when no open item is left and all tests pass.',
        ...promise,
      ];
  }
}

function statePart({ isStateTaken }: ProjectSurvey): readonly string[] {
  if (!isStateTaken) return [];
  return ['# Where loops are stored: .ralph belongs to another program.', 'stateDir: .ralphd'];
}

function furtherPart({ git }: ProjectSurvey): readonly string[] {
  return [
    '# Often changed:',
    '# permissions: edit # what the agent may do without asking: ask, edit or full',
    '# sandbox: on # recommended where "ralphd doctor" says that it works',
    '# maxIterations: 100 # reaching any limit ends the loop',
    '# maxTime: 8h',
    '# maxCostUsd: 25',
    ...(git === 'repository'
      ? [
          '# verifyIn: sealed # run the checks where the agent cannot reach them',
          '# protect: strict # run the checks with the original tests',
        ]
      : []),
  ];
}

/** Text as a YAML scalar on one line; quoted only where it must be. */
function scalar(text: string): string {
  return /^[a-zA-Z./][\w ./&=-]*$/u.test(text) &&
    !/^(?:true|false|yes|no|on|off|null)$/iu.test(text) &&
    text === text.trim()
    ? text
    : JSON.stringify(text);
}
