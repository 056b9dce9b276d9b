import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';

/** In the order in which each program searches for them. */
const fileNames = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml', 'Taskfile.dist.yaml'],
} as const;

/** Programs that run targets of a file. */
export type TargetProgram = keyof typeof fileNames;

const maxTargets = 50;
const header = /^@?([^\s#:=.][^:=#]*)::?(?!=)/;
/** Lines that affect how every recipe runs, also as `override SHELL` or `%: SHELL = x`. */
const settings =
  /^(?:[^\t#\n][^#\n]*)?(?:\bSHELL\s*[:+?!]*=|\.SHELLFLAGS\b|\bMAKEFLAGS\s*[:+?!]*=|\.(?:IGNORE|ONESHELL|RECIPEPREFIX|DEFAULT)\b|^set\s+(?:shell|positional-arguments)\b).*$/gm;
/** Targets and variables related to tests: those that only build may change with the work. */
const isTestRelated = /test|check|spec|verify|lint/i;

/** The program that reads targets from a file of this name. */
export function targetProgram(name: string): TargetProgram | undefined {
  return (Object.keys(fileNames) as TargetProgram[]).find((program) =>
    fileNames[program].some((each) => each === name),
  );
}

/** The file in a folder that a program reads its targets from. */
export function targetFile(folder: string, program: TargetProgram): string | undefined {
  return fileNames[program].find((name) => textOf(path.join(folder, name)) !== undefined);
}

/** The rule of a target, the test-related rules that it uses, and their variables; undefined without a rule. */
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
    const next = words.filter((word) => isTestRelated.test(word));
    const known = new Set(wanted);
    const fresh = new Set(next.filter((word) => rules.has(word) && !known.has(word)));
    wanted.push(...[...fresh].slice(0, maxTargets - wanted.length));
  }
  const used = [...lines.join('\n').matchAll(/(?:\$[({]|\{\{\s*)(\w+)/g)].map(([, name = '']) => name);
  return [...lines, ...variablesIn(text, used), ...(isTasks ? taskSettings(text) : (text.match(settings) ?? []))];
}

/** The shell lines that a target runs. */
export function linesOfTarget(folder: string, program: TargetProgram, target: string): readonly string[] {
  const file = targetFile(folder, program);
  const lines = file === undefined ? undefined : targetLines(path.join(folder, file), target);
  const isTasks = program === 'task';
  const isLine = (line: string) => isTasks || !header.test(line);
  return (lines ?? []).filter(isLine).map((line) => line.replace(isTasks ? /^(?:- )?(?:cmds?: )?/ : /^[@+-]+/, ''));
}

/** The lines of every rule; a target may have several rules, and several targets may share one. */
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
  const wanted = new Set(used.filter((name) => isTestRelated.test(name)));
  return text.split('\n').filter((line) => wanted.has(/^(?:export\s+)?(\w+)\s*[:+?!]*=/.exec(line)?.[1] ?? ''));
}

const includes = /^(?:[-s]?include[ \t]+(.+)|import\??[ \t]+["'](.+)["'])$/gm;
const maxFiles = 50;

/** The text of a makefile or justfile with the files that it includes by a literal name. */
function withIncluded(file: string): string | undefined {
  const texts = new Map([[file, textOf(file)]]);
  for (const [from, text = ''] of texts) {
    const named = [...text.matchAll(includes)].flatMap(([, made = '', taken = '']) => [...made.split(/\s+/), taken]);
    const fresh = named
      .filter((name) => /^[\w./-]+$/.test(name))
      .flatMap((name) => {
        // Relative to the folder for make, to the including file for just.
        return [path.resolve(path.dirname(file), name), path.resolve(path.dirname(from), name)];
      });
    for (const each of fresh) if (texts.size < maxFiles && !texts.has(each)) texts.set(each, textOf(each));
  }
  const found = [...texts.values()].filter((text) => text !== undefined);
  return texts.get(file) === undefined ? undefined : found.join('\n');
}

function textOf(file: string): string | undefined {
  return readSmallFile(toRaw(file))?.toString('utf8');
}

/** The tasks of a Taskfile with their lines. It is parsed by indentation: an unusual layout gives no tasks. */
function tasksIn(text: string): ReadonlyMap<string, readonly (readonly string[])[]> {
  const tasks = new Map<string, readonly (readonly string[])[]>();
  let depth: number | undefined;
  let open: string[] = [];
  for (const line of blockOf(text, 'tasks')) {
    const indent = line.length - line.trimStart().length;
    depth ??= indent;
    const name = indent === depth ? /^["']?([^"'\s#][^"']*?)["']?:(?:\s|$)/.exec(line.trim())?.[1] : undefined;
    if (name !== undefined) {
      open = [];
      tasks.set(name, [open]);
    }
    open.push(line.trim());
  }
  return tasks;
}

/** Lines that affect how every task runs. */
function taskSettings(text: string): readonly string[] {
  return ['set', 'shopt', 'env', 'dotenv', 'includes'].flatMap((name) => blockOf(text, name));
}

/** The lines of a key at the left margin. */
function blockOf(text: string, name: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  const start = lines.findIndex((line) => line.startsWith(`${name}:`));
  if (start === -1) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => !/^[\s-]/.test(line));
  const value = lines[start]?.slice(name.length + 1).trim() ?? '';
  return [...(value === '' ? [] : [value]), ...(end === -1 ? rest : rest.slice(0, end))];
}
