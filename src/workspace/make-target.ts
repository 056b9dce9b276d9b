import path from 'node:path';
import { toRaw } from './raw-path.ts';
import { readSmallFile } from './small-file.ts';

/** In the order in which make, and then just, look for them. */
const names = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
} as const;

/** Programs that run targets of a file. */
export type TargetProgram = keyof typeof names;

const mostTargets = 50;
const header = /^@?([^\s#:=.][^:=#]*)::?(?!=)/;
/** What decides how every recipe is run. */
const settings =
  /^(?:(?:export\s+)?(?:SHELL|\.SHELLFLAGS|MAKEFLAGS)\s*[:+?!]?=|\.IGNORE\b|set\s+(?:shell|positional-arguments)\b).*$/gm;
/** Targets and variables that have to do with tests: what only builds may change with the work. */
const aboutTests = /test|check|spec|verify|lint/i;

/** The file of a folder that a program takes its targets from. */
export function targetFile(folder: string, program: TargetProgram): string | undefined {
  return names[program].find((name) => textOf(path.join(folder, name)) !== undefined);
}

/** What a target does: its rule, the rules about tests that it leads to, and their variables; nothing without a rule. */
export function targetLines(file: string, target: string): readonly string[] | undefined {
  const text = textOf(file);
  const rules = rulesIn(text ?? '');
  if (text === undefined || !rules.has(target)) return undefined;
  const wanted = [target];
  const lines: string[] = [];
  for (const name of wanted) {
    const rule = (rules.get(name) ?? []).flat();
    for (const line of rule) lines.push(line);
    const next = rule.flatMap((line) => line.split(/[\s:;()]+/)).filter((word) => aboutTests.test(word));
    const known = new Set(wanted);
    const fresh = new Set(next.filter((word) => rules.has(word) && !known.has(word)));
    wanted.push(...[...fresh].slice(0, mostTargets - wanted.length));
  }
  const used = [...lines.join('\n').matchAll(/(?:\$[({]|\{\{\s*)(\w+)/g)].map(([, name = '']) => name);
  return [...lines, ...variablesIn(text, used), ...(text.match(settings) ?? [])];
}

/** The lines that a target runs, as a shell would get them. */
export function linesOfTarget(folder: string, program: TargetProgram, target: string): readonly string[] {
  const file = targetFile(folder, program);
  const lines = file === undefined ? undefined : targetLines(path.join(folder, file), target);
  return (lines ?? []).filter((line) => !header.test(line)).map((line) => line.replace(/^[@+-]+/, ''));
}

/** The lines of every rule; a target may have several, and several targets one. */
function rulesIn(text: string): ReadonlyMap<string, readonly (readonly string[])[]> {
  const rules = new Map<string, string[][]>();
  let open: string[] = [];
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    if (/^\s/.test(line)) {
      open.push(line.trim());
      continue;
    }
    if (line === '' || line.startsWith('#')) continue;
    open = [line.trim()];
    for (const target of new Set(header.exec(line)?.[1]?.trim().split(/\s+/))) {
      const known = rules.get(target);
      if (known === undefined) rules.set(target, [open]);
      else known.push(open);
    }
  }
  return rules;
}

function variablesIn(text: string, used: readonly string[]): readonly string[] {
  const wanted = new Set(used.filter((name) => aboutTests.test(name)));
  return text.split('\n').filter((line) => wanted.has(/^(?:export\s+)?(\w+)\s*[:+?!]*=/.exec(line)?.[1] ?? ''));
}

function textOf(file: string): string | undefined {
  return readSmallFile(toRaw(file))?.toString('utf8');
}
