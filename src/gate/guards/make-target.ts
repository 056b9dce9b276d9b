import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { taskSettings, tasksIn } from './taskfile.ts';

/** In the order in which each program looks for them. */
const names = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml', 'Taskfile.dist.yaml'],
} as const;

/** Programs that run targets of a file. */
export type TargetProgram = keyof typeof names;

const mostTargets = 50;
const header = /^@?([^\s#:=.][^:=#]*)::?(?!=)/;
/** What decides how every recipe is run, also as `override SHELL` or `%: SHELL = x`. */
const settings =
  /^(?:[^\t#\n][^#\n]*)?(?:\bSHELL\s*[:+?!]*=|\.SHELLFLAGS\b|\bMAKEFLAGS\s*[:+?!]*=|\.(?:IGNORE|ONESHELL|RECIPEPREFIX|DEFAULT)\b|^set\s+(?:shell|positional-arguments)\b).*$/gm;
/** Targets and variables that have to do with tests: what only builds may change with the work. */
const aboutTests = /test|check|spec|verify|lint/i;

/** The program that takes targets from a file of this name. */
export function targetProgram(name: string): TargetProgram | undefined {
  return (Object.keys(names) as TargetProgram[]).find((program) => names[program].some((each) => each === name));
}

/** The file of a folder that a program takes its targets from. */
export function targetFile(folder: string, program: TargetProgram): string | undefined {
  return names[program].find((name) => textOf(path.join(folder, name)) !== undefined);
}

/** What a target does: its rule, the rules about tests that it leads to, and their variables; nothing without a rule. */
export function targetLines(file: string, target: string): readonly string[] | undefined {
  const isTasks = targetProgram(path.basename(file)) === 'task';
  const text = isTasks ? textOf(file) : withIncluded(file);
  const rules = isTasks ? tasksIn(text ?? '') : rulesIn(text ?? '');
  if (text === undefined || !rules.has(target)) return undefined;
  const wanted = [target];
  const lines: string[] = [];
  for (const name of wanted) {
    const rule = (rules.get(name) ?? []).flat();
    for (const line of rule) lines.push(line);
    const words = rule.flatMap((line) => line.split(isTasks ? /[\s,;"'[\]{}]+/ : /[\s:;()]+/));
    const next = words.filter((word) => aboutTests.test(word));
    const known = new Set(wanted);
    const fresh = new Set(next.filter((word) => rules.has(word) && !known.has(word)));
    wanted.push(...[...fresh].slice(0, mostTargets - wanted.length));
  }
  const used = [...lines.join('\n').matchAll(/(?:\$[({]|\{\{\s*)(\w+)/g)].map(([, name = '']) => name);
  return [...lines, ...variablesIn(text, used), ...(isTasks ? taskSettings(text) : (text.match(settings) ?? []))];
}

/** The lines that a target runs, as a shell would get them. */
export function linesOfTarget(folder: string, program: TargetProgram, target: string): readonly string[] {
  const file = targetFile(folder, program);
  const lines = file === undefined ? undefined : targetLines(path.join(folder, file), target);
  const isTasks = program === 'task';
  const isLine = (line: string) => isTasks || !header.test(line);
  return (lines ?? []).filter(isLine).map((line) => line.replace(isTasks ? /^(?:- )?(?:cmds?: )?/ : /^[@+-]+/, ''));
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

const includes = /^(?:[-s]?include[ \t]+(.+)|import\??[ \t]+["'](.+)["'])$/gm;
const mostFiles = 50;

/** A makefile or justfile with what it takes in from other files, as far as their names stand there. */
function withIncluded(file: string): string | undefined {
  const texts = new Map([[file, textOf(file)]]);
  for (const [from, text = ''] of texts) {
    const named = [...text.matchAll(includes)].flatMap(([, made = '', taken = '']) => [...made.split(/\s+/), taken]);
    const fresh = named
      .filter((name) => /^[\w./-]+$/.test(name))
      .flatMap((name) => {
        // Seen from the folder for make, from the file for just.
        return [path.resolve(path.dirname(file), name), path.resolve(path.dirname(from), name)];
      });
    for (const each of fresh) if (texts.size < mostFiles && !texts.has(each)) texts.set(each, textOf(each));
  }
  const found = [...texts.values()].filter((text) => text !== undefined);
  return texts.get(file) === undefined ? undefined : found.join('\n');
}

function textOf(file: string): string | undefined {
  return readSmallFile(toRaw(file))?.toString('utf8');
}
