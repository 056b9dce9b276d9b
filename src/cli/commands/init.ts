import { type ProjectSurvey, surveyProject, writeStarterFile } from '../../app/index.ts';
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

function foundLines(survey: ProjectSurvey, own: string | undefined, paint: Paint): readonly string[] {
  const { agents, task, git, otherTools } = survey;
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['agent', own ?? (agents.join(', ') || 'none found on the PATH'), own !== undefined || agents.length > 0],
    testRow(survey),
    ['task', task?.file ?? 'no prompt file or task list found', true],
    ['git', git, true],
    ...otherTools.map(({ file, tool }) => ['other', `${file} (${tool}) is not changed`, true] as const),
  ];
  return rows.map(([name, value, isFine]) => {
    const shown = scrub(value);
    return `  ${paint.dim(name.padEnd(8))} ${isFine ? shown : paint.warn(shown)}`;
  });
}

function testRow({ tests }: ProjectSurvey): readonly [string, string, boolean] {
  const usable = tests.filter(isUsable);
  if (usable.length > 0) return ['checks', usable.map(({ command }) => command).join(', '), true];
  const [found] = tests;
  if (found === undefined) return ['checks', 'no tests found', false];
  const why = found.isInstalled ? 'there are no tests yet' : `${found.program} is not installed`;
  return ['checks', `${found.command}: ${why}`, false];
}

/** The command to run next. */
function nextStep({ agents, tests, task }: ProjectSurvey): string {
  if (agents.length === 0) return 'ralphd doctor';
  const verify = tests.some(isUsable) ? '' : ' --verify CMD';
  return task === undefined ? `ralphd run "TASK"${verify}` : `ralphd run${verify}`;
}
