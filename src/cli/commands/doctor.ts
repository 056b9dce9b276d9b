import path from 'node:path';
import { type CheckRow, checkSetup, type Examination, examine, type Finding, placeOf } from '../../app/index.ts';
import { exitCodes, scrub } from '../../base/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { widthOf, wrapLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

/** `ralphd doctor`: checks what loops need and everything on disk, and suggests a fix for each problem. */
export async function doctorCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { config, provenance } = await settingsFor(invocation, surroundings);
  const { stdout, cwd } = surroundings;
  const folder = projectFolder(invocation, surroundings);
  const isGiven = (setting: string) => provenance[setting]?.source !== 'default';
  const setup = await checkSetup(config, { ...appContext(surroundings), cwd: folder }, isGiven);
  const checks = [...setup, terminalRow(stdout)];
  const found = examine(placeOf(config, folder), surroundings.env);
  const isFine =
    found.findings.every(({ level }) => level === 'note') && checks.every(({ level }) => level !== 'problem');
  if (invocation.options['json'] === true) stdout.write(jsonLine({ ok: isFine, ...found, checks }));
  else printLines(stdout, lines({ ...found, checks }, { cwd, paint: paintFor(stdout), width: widthOf(stdout) }));
  return isFine ? exitCodes.completed : exitCodes.failed;
}

function terminalRow({ isTTY, columns, rows, hasColors }: NodeJS.WriteStream): CheckRow {
  if (!isTTY) return { name: 'terminal', level: 'ok', what: 'none: plain lines without colours' };
  const colours = hasColors?.() === true ? 'with colours' : 'without colours';
  return { name: 'terminal', level: 'ok', what: `${columns} x ${rows}, ${colours}` };
}

function lines(
  { loops, facts, findings, checks }: Examination & { readonly checks: readonly CheckRow[] },
  { cwd, paint, width }: { readonly cwd: string; readonly paint: Paint; readonly width: number },
): readonly string[] {
  const problems = [...findings, ...checks].filter(({ level }) => level === 'problem').length;
  const warnings = checks.filter(({ level }) => level === 'warning').length;
  const read = `${loops} ${loops === 1 ? 'loop' : 'loops'} and ${facts} facts read`;
  const counted = [
    problems === 0 ? 'no problems' : `${problems} ${problems === 1 ? 'problem' : 'problems'}`,
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`]),
  ].join(', ');
  return [
    ...checks.flatMap((row) => rowLines(row, paint, width)),
    ...findings.flatMap((finding) => findingLines(finding, cwd, paint)),
    problems === 0 ? paint.good(`✓ ${read}, ${counted}`) : paint.bad(`✗ ${read}, ${counted}`),
  ];
}

const indent = 12;

function rowLines({ name, level, what, fix }: CheckRow, paint: Paint, width: number): readonly string[] {
  const mark = { ok: paint.good('✓'), warning: paint.warn('!'), problem: paint.bad('✗') }[level];
  const [first = '', ...rest] = wrapLine(scrub(what), width - indent);
  return [
    `${mark} ${name.padEnd(indent - 2)}${first}`,
    ...rest.map((line) => ' '.repeat(indent) + line),
    ...(fix === undefined ? [] : [fixLine(fix, paint)]),
  ];
}

function findingLines({ level, where, what, fix }: Finding, cwd: string, paint: Paint): readonly string[] {
  const mark = level === 'problem' ? paint.bad('✗') : paint.note('·');
  return [`${mark} ${scrub(`${path.relative(cwd, where) || '.'}: ${what}`)}`, fixLine(fix, paint)];
}

function fixLine(fix: string, paint: Paint): string {
  return `  ${paint.dim('fix:')} ${scrub(fix)}`;
}
