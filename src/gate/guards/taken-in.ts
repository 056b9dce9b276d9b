import path from 'node:path';
import { gateWords } from '../../core/index.ts';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { isShellScript } from './sourced.ts';

const maxBytes = 262_144;
const maxNames = 400;
/** Longer lines are generated code. */
const maxLine = 2_000;

/**
 * Where the files could lie that a script takes in: what it imports, runs or reads by a name that stands in it. Seen from
 * its own folder and from the work folder; most of them do not exist.
 */
export function takenInBy(folder: string, script: string): readonly string[] {
  const file = path.resolve(folder, script);
  const text = readSmallFile(toRaw(file), maxBytes)?.toString('utf8') ?? '';
  if (text === '' || text.includes('\0')) return [];
  const names = isShellScript(script, text) ? shellNames(text) : namesIn(text, path.extname(script));
  const from = [path.dirname(file), folder];
  return [...new Set(names.slice(0, maxNames).flatMap((name) => from.map((place) => path.join(place, name))))];
}

/** Programs that write, move or delete what they are given. */
const writes = /^(?:rm|mv|cp|touch|tee|mkdir|rmdir|ln|chmod|chown|install|truncate|echo|printf|cd)$/;
/** `$(dirname "$0")/x`, `${here}/x`, `$here/x`. */
const leading = /^(?:\$\(.*\)|\$\{[^}]*\}|\$\w+)\//s;

function shellNames(text: string): readonly string[] {
  const commands = gateWords(text).commands.filter(({ words: [program = ''] }) => !writes.test(program));
  return commands.flatMap(({ folder, words }) =>
    words
      .map((word) => word.replace(leading, ''))
      .filter((word) => isFileName.test(word))
      .map((word) => path.join(folder.startsWith('$') ? '' : folder, word)),
  );
}

const isFileName = /^[\w@.+-][\w@.+/-]{0,200}$/;
const isScript = /^\.(?:[cm]?[jt]sx?|rb|php|pl|lua)$/;
const isPython = /^\.pyw?$/;

/** A line that makes a file is no line that reads one. */
const makes = /\b(?:write|append|create|save|dump|unlink|rm|remove|mkdir|copy|rename|output)|,\s?['"][wax]b?\+?['"]/i;
const literal = /(['"`])([\w@.+/-]{1,200})\1/g;

function namesIn(text: string, extension: string): readonly string[] {
  if (!isScript.test(extension) && !isPython.test(extension) && !text.startsWith('#!')) return [];
  const lines = text.split('\n').filter((line) => line.length <= maxLine && !makes.test(line));
  const literals = lines.flatMap((line) => [...line.matchAll(literal)].map(([, , name = '']) => name));
  const named = literals.flatMap((name) => [name, ...withExtensions(name, extension)]);
  const isPythonText = isPython.test(extension) || /^#!.*\bpython/.test(text);
  return isPythonText ? [...modulesIn(lines), ...named] : named;
}

/** What `./rules` and `require_relative 'rules'` may stand for. */
function withExtensions(name: string, extension: string): readonly string[] {
  if (extension === '.rb') return [`${name}.rb`];
  if (!name.startsWith('.') || !isScript.test(extension)) return [];
  const swapped = /\.[cm]?js$/.test(name) ? [name.replace(/js$/, 'ts')] : [];
  const added = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.json', '/index.js', '/index.mjs', '/index.ts'];
  return [...swapped, ...(path.extname(name) === '' ? added.map((each) => name + each) : [])];
}

const fromImport = /^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+\(?([\w \t,]*)/;
const plainImport = /^[ \t]*import[ \t]+([\w \t.,]+)/;

/** The files of the modules that Python imports, for `from .rules import holds` also those of `rules/holds`. */
function modulesIn(lines: readonly string[]): readonly string[] {
  const modules = lines.flatMap((line) => {
    const [, source, taken = ''] = fromImport.exec(line) ?? [];
    if (source !== undefined)
      return [source, ...namesOf(taken).map((name) => (source.endsWith('.') ? source + name : `${source}.${name}`))];
    return namesOf(plainImport.exec(line)?.[1] ?? '');
  });
  return modules.flatMap((name) => {
    const [, dots = '', rest = ''] = /^(\.*)(.*)$/.exec(name) ?? [];
    const up = '../'.repeat(Math.max(0, dots.length - 1));
    const file = up + rest.replaceAll(/\.+/g, '/').replace(/^\//, '');
    return file === '' ? [] : [`${file}.py`, `${file}/__init__.py`];
  });
}

/** `a, b as c` is `a` and `b`. */
function namesOf(list: string): readonly string[] {
  return list.split(',').flatMap((each) => each.trim().split(/[ \t]/)[0] || []);
}

const sources: ReadonlySet<string> = new Set(['src', 'lib', 'app', 'internal', 'cmd']);
const ofChecks: ReadonlySet<string> = new Set(
  'ci .ci .github scripts script tools tool hack checks verify acceptance e2e'.split(' '),
);

/** Whether a file lies among the sources of the work, and not in a folder of checks. */
export function isInSources(file: string): boolean {
  const kind = kindOfFolder(file);
  return kind !== undefined && !ofChecks.has(kind);
}

function kindOfFolder(file: string): string | undefined {
  return path
    .dirname(file)
    .split('/')
    .find((name) => sources.has(name) || ofChecks.has(name));
}

/** How sure it is that a file which a check takes in is a part of the check, and not the work that it judges. */
export function partOfCheck(script: string, file: string): 'refuse' | 'report' | undefined {
  const kind = kindOfFolder(file);
  // A script may be the work as well as a part of the check.
  if (kind !== undefined && /^(?:scripts?|tools?)$/.test(kind)) return 'report';
  if (kind !== undefined) return ofChecks.has(kind) ? 'refuse' : undefined;
  // Beside the check, but in a folder of any name: a package of the work may have its check inside.
  const own = path.dirname(script);
  const isBeside = own !== '.' && !own.startsWith('..') && file.startsWith(`${own}/`);
  return isBeside && !own.split('/').some((name) => name === 'pkg' || name === 'packages') ? 'report' : undefined;
}
