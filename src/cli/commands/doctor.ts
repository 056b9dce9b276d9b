import path from 'node:path';
import {
  type CheckRow,
  checkSetup,
  type Examination,
  examine,
  examineFleet,
  type Finding,
  placeOf,
} from '../../app/index.ts';
import { exitCodes, scrub } from '../../base/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { commandLines, widthOf, wrapLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { fleetAddressOf } from '../place.ts';
import { projectFolder } from '../project-folder.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { withTrustedAgents } from '../trust/settings.ts';

/** `ralphd doctor`: checks what loops need and everything on disk, and suggests a fix for each problem. */
export async function doctorCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const address = fleetAddressOf(invocation, surroundings);
  return await (address === undefined
    ? checkHere(invocation, surroundings)
    : checkFleet(address, invocation, surroundings));
}

/** A fleet is checked as its database knows it, from any machine. */
async function checkFleet(address: string, { options }: Invocation, { stdout }: Surroundings): Promise<number> {
  const checks = await examineFleet(address);
  const problems = checks.filter(({ level }) => level === 'problem').length;
  const paint = paintFor(stdout);
  const summary = `${problems === 0 ? '✓' : '✗'} fleet checked, ${countsOf(checks, problems)}`;
  if (options['json'] === true) stdout.write(jsonLine({ ok: problems === 0, checks }));
  else {
    const rows = checks.flatMap((row) => rowLines(row, paint, widthOf(stdout)));
    printLines(stdout, [...rows, (problems === 0 ? paint.good : paint.bad)(summary)]);
  }
  return problems === 0 ? exitCodes.completed : exitCodes.failed;
}

function countsOf(checks: readonly CheckRow[], problems: number): string {
  const warnings = checks.filter(({ level }) => level === 'warning').length;
  return [
    problems === 0 ? 'no problems' : `${problems} ${problems === 1 ? 'problem' : 'problems'}`,
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`]),
  ].join(', ');
}

async function checkHere(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const loaded = await settingsFor(invocation, surroundings);
  const { provenance } = loaded;
  const config = withTrustedAgents(loaded, surroundings);
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
  const read = `${loops} ${loops === 1 ? 'loop' : 'loops'} and ${facts} facts read`;
  const counted = countsOf(checks, problems);
  return [
    ...checks.flatMap((row) => rowLines(row, paint, width)),
    ...findings.flatMap((finding) => findingLines(finding, cwd, { paint, width })),
    problems === 0 ? paint.good(`✓ ${read}, ${counted}`) : paint.bad(`✗ ${read}, ${counted}`),
  ];
}

const indent = 12;

function rowLines({ name, level, what, fix }: CheckRow, paint: Paint, width: number): readonly string[] {
  const mark = { ok: paint.good('✓'), warning: paint.warn('!'), problem: paint.bad('✗') }[level];
  const [first = '', ...rest] = what.split('\n').flatMap((line) => wrapLine(scrub(line), width - indent));
  return [
    `${mark} ${name.padEnd(indent - 2)}${first}`,
    ...rest.map((line) => ' '.repeat(indent) + line),
    ...fixLines(fix, paint, width),
  ];
}

function findingLines(
  { level, where, what, fix }: Finding,
  cwd: string,
  { paint, width }: { readonly paint: Paint; readonly width: number },
): readonly string[] {
  const mark = level === 'problem' ? paint.bad('✗') : paint.note('·');
  // Paths below this folder are shorter, and lead to the same place when the command is pasted here.
  const pasted = fix?.replaceAll(`'${cwd}/`, "'");
  return [`${mark} ${scrub(`${path.relative(cwd, where) || '.'}: ${what}`)}`, ...fixLines(pasted, paint, width)];
}

/** A command is broken only where a shell reads it on, so that it can be pasted; a sentence is wrapped as any other. */
function fixLines(fix: string | undefined, paint: Paint, width: number): readonly string[] {
  if (fix === undefined) return [];
  const label = `  ${paint.dim('fix:')} `;
  if (!/^[a-z]/u.test(fix)) return [`${label}${scrub(fix)}`];
  const indented = '  fix: '.length;
  const [first = '', ...rest] = commandLines(scrub(fix), width - indented);
  return [`${label}${first}`, ...rest.map((line) => ' '.repeat(indented) + line)];
}
