import { type ProjectSurvey, rememberLines, surveyProject, trustedFolder, writeStarterFile } from '../../app/index.ts';
import { exitCodes, scrub } from '../../base/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { isUsable, starterFile } from '../words/starter-file.ts';

/** `ralphd init`: writes a configuration file that fits the project, and nothing else. */
export async function initCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options } = invocation;
  const { cwd, stdout, stderr } = surroundings;
  const { config, provenance } = await settingsFor(invocation, surroundings);
  const survey = surveyProject(config, appContext(surroundings));
  const agent = provenance['agent']?.source === 'user' ? config.agent : undefined;
  const text = starterFile(survey, { agent });
  const isDryRun = options['dry-run'] === true;
  const file = isDryRun ? undefined : writeStarterFile(cwd, text);
  if (!isDryRun) await trustStarter(survey, invocation, surroundings);
  if (options['json'] === true) {
    const { folder, ...found } = survey;
    stdout.write(jsonLine({ folder, file: file ?? null, text, found, next: nextStep(survey) }));
    return exitCodes.completed;
  }
  if (isDryRun) stdout.write(text);
  const report = isDryRun ? stderr : stdout;
  const paint = paintFor(report);
  const title = file === undefined ? [] : [paint.good(`Wrote ${file}.`)];
  printLines(report, [...title, ...foundLines(survey, agent, paint), `  ${paint.note('next:')} ${nextStep(survey)}`]);
  return exitCodes.completed;
}

/** The user has just written the file. A check that was found in the project is the project's: the first run asks. */
async function trustStarter(survey: ProjectSurvey, invocation: Invocation, surroundings: Surroundings): Promise<void> {
  const { brought } = await settingsFor(invocation, surroundings);
  if (survey.tests.some(isUsable) || brought.lines.length === 0) return;
  rememberLines({ folder: trustedFolder(brought.folder), lines: brought.lines }, surroundings.env);
}

type Row = readonly [label: string, value: string, isFine: boolean];

function foundLines(survey: ProjectSurvey, own: string | undefined, paint: Paint): readonly string[] {
  const { task, git, otherTools, isStateTaken, configAbove } = survey;
  const rows: readonly Row[] = [
    agentRow(survey, own),
    ...testRows(survey),
    ['task', task?.file ?? 'no prompt file or task list found', true],
    ['git', git, true],
    ...(isStateTaken ? [['state', '.ralphd, because .ralph belongs to another program', true] as const] : []),
    ...(configAbove === undefined
      ? []
      : [['note', `${configAbove} does not apply to loops that start in this folder`, true] as const]),
    ...otherTools.map(({ file, tool }, index): Row => [index === 0 ? 'other' : '', `${file} (${tool})`, true]),
    ...(otherTools.length === 0 ? [] : [['', 'ralphd does not change files of other tools', true] as const]),
  ];
  return rows.map(([name, value, isFine]) => {
    const shown = scrub(value);
    return `  ${paint.dim(name.padEnd(8))} ${isFine ? shown : paint.warn(shown)}`;
  });
}

function agentRow({ agents, unusableAgents }: ProjectSurvey, own: string | undefined): Row {
  const [first, ...others] = agents;
  if (own !== undefined) return ['agent', own, true];
  if (first !== undefined) {
    return ['agent', others.length === 0 ? first : `${first} (also found: ${others.join(', ')})`, true];
  }
  const [unusable] = unusableAgents;
  return ['agent', unusable === undefined ? 'none found on the PATH' : `${unusable} is not executable`, false];
}

function testRows({ tests, moreTests, whyNoTests }: ProjectSurvey): readonly Row[] {
  const usable = tests.filter(isUsable);
  const label = (index: number) => (index === 0 ? 'checks' : '');
  if (usable.length > 0) {
    const isReady = usable.every(({ install }) => install === undefined);
    return [
      ...usable.map(({ command }, index): Row => [label(index), command, true]),
      ...(moreTests === 0
        ? []
        : [['', `and ${moreTests} more projects with tests, which are left out`, false] as const]),
      ...(isReady ? [] : [['', 'packages are missing: see the next step', false] as const]),
    ];
  }
  const [found] = tests;
  if (found === undefined) return [['checks', `none: ${whyNoTests ?? 'no tests found'}`, false]];
  const why = found.isInstalled ? 'there are no tests yet' : `${found.program} is not installed`;
  return [['checks', `${found.command}: ${why}`, false]];
}

/** The command to run next. */
function nextStep({ agents, tests, task }: ProjectSurvey): string {
  if (agents.length === 0) return 'ralphd doctor';
  const usable = tests.filter(isUsable);
  const installs = new Set(usable.flatMap(({ install }) => install ?? []));
  const verify = usable.length > 0 ? '' : ' --verify CMD';
  const run = task === undefined ? `ralphd run "TASK"${verify}` : `ralphd run${verify}`;
  return [...installs, run].join(' && ');
}
