import path from 'node:path';
import { type Examination, examine, type Finding, placeOf } from '../../app/index.ts';
import { exitCodes, scrub } from '../../base/index.ts';
import { jsonLine } from '../output/json-line.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd doctor`: checks everything on disk and suggests a fix for each problem. */
export async function doctorCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { config } = await settingsFor(invocation, surroundings);
  const { stdout, cwd } = surroundings;
  const found = examine(placeOf(config, projectFolder(invocation, surroundings)), surroundings.env);
  const isFine = found.findings.every(({ level }) => level === 'note');
  if (invocation.options['json'] === true) stdout.write(jsonLine({ ok: isFine, ...found }));
  else stdout.write(`${lines(found, cwd, paintFor(stdout)).join('\n')}\n`);
  return isFine ? exitCodes.completed : exitCodes.failed;
}

function lines({ loops, facts, findings }: Examination, cwd: string, paint: Paint): readonly string[] {
  const problems = findings.filter(({ level }) => level === 'problem').length;
  const read = `${loops} ${loops === 1 ? 'loop' : 'loops'} and ${facts} facts read`;
  return [
    ...findings.flatMap((finding) => findingLines(finding, cwd, paint)),
    problems === 0 ? paint.good(`✓ ${read}, no problems`) : paint.bad(`✗ ${read}, ${problems} problems`),
  ];
}

function findingLines({ level, where, what, fix }: Finding, cwd: string, paint: Paint): readonly string[] {
  const mark = level === 'problem' ? paint.bad('✗') : paint.note('·');
  return [`${mark} ${scrub(`${path.relative(cwd, where) || '.'}: ${what}`)}`, `  ${paint.dim('fix:')} ${scrub(fix)}`];
}
