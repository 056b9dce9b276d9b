import path from 'node:path';
import { parseCheckCommand } from '../../core/index.ts';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { matchingFiles } from './matching-files.ts';
import { isShellScript } from './sourced.ts';
import { filesAt } from './tree.ts';

const maxBytes = 262_144;
const maxNames = 400;
/** Longer lines are generated code. */
const maxLineLength = 2_000;

/**
 * Possible paths of the files that a script imports, runs or reads by a literal name, relative to its own folder and to
 * the work folder; most of them do not exist.
 */
export function referencesIn(folder: string, script: string): readonly string[] {
  const file = path.resolve(folder, script);
  const text = readSmallFile(toRaw(file), maxBytes)?.toString('utf8') ?? '';
  if (text === '' || text.includes('\0')) return [];
  const names = isShellScript(script, text) ? shellNames(text) : namesIn(text, path.extname(script));
  const from = [path.dirname(file), folder];
  return [...new Set(names.slice(0, maxNames).flatMap((name) => from.map((place) => path.join(place, name))))];
}

/** Programs that write, move or delete their arguments. */
const writes = /^(?:rm|mv|cp|touch|tee|mkdir|rmdir|ln|chmod|chown|install|truncate|echo|printf|cd)$/;
/** `$(dirname "$0")/x`, `${here}/x`, `$here/x`. */
const leading = /^(?:\$\(.*\)|\$\{[^}]*\}|\$\w+)\//s;

function shellNames(text: string): readonly string[] {
  const commands = parseCheckCommand(text).commands.filter(({ words: [program = ''] }) => !writes.test(program));
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

/** Lines that write a file rather than read one. */
const writesFile =
  /\b(?:write|append|create|save|dump|unlink|rm|remove|mkdir|copy|rename|output)|,\s?['"][wax]b?\+?['"]/i;
const literal = /(['"`])([\w@.+/-]{1,200})\1/g;

function namesIn(text: string, extension: string): readonly string[] {
  if (!isScript.test(extension) && !isPython.test(extension) && !text.startsWith('#!')) return [];
  const lines = text.split('\n').filter((line) => line.length <= maxLineLength && !writesFile.test(line));
  const literals = lines.flatMap((line) => [...line.matchAll(literal)].map(([, , name = '']) => name));
  const named = literals.flatMap((name) => [name, ...withExtensions(name, extension)]);
  const isPythonText = isPython.test(extension) || /^#!.*\bpython/.test(text);
  return isPythonText ? [...modulesIn(lines), ...named] : named;
}

/** The files that `./rules` and `require_relative 'rules'` may refer to. */
function withExtensions(name: string, extension: string): readonly string[] {
  if (extension === '.rb') return [`${name}.rb`];
  if (!name.startsWith('.') || !isScript.test(extension)) return [];
  const swapped = /\.[cm]?js$/.test(name) ? [name.replace(/js$/, 'ts')] : [];
  const added = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.json', '/index.js', '/index.mjs', '/index.ts'];
  return [...swapped, ...(path.extname(name) === '' ? added.map((each) => name + each) : [])];
}

const fromImport = /^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+\(?([\w \t,]*)/;
const plainImport = /^[ \t]*import[ \t]+([\w \t.,]+)/;

/** The files of imported Python modules; for `from .rules import holds`, also those of `rules/holds`. */
function modulesIn(lines: readonly string[]): readonly string[] {
  const modules = lines.flatMap((line) => {
    const [, source, imported = ''] = fromImport.exec(line) ?? [];
    if (source !== undefined)
      return [source, ...namesOf(imported).map((name) => (source.endsWith('.') ? source + name : `${source}.${name}`))];
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

const sourceFolders: ReadonlySet<string> = new Set(['src', 'lib', 'app', 'internal', 'cmd']);
const checkFolders: ReadonlySet<string> = new Set(
  'ci .ci .github scripts script tools tool hack checks verify acceptance e2e'.split(' '),
);

/** Whether a file is in a source folder, and not in a folder of checks. */
export function isInSources(file: string): boolean {
  const kind = kindOfFolder(file);
  return kind !== undefined && !checkFolders.has(kind);
}

function kindOfFolder(file: string): string | undefined {
  return path
    .dirname(file)
    .split('/')
    .find((name) => sourceFolders.has(name) || checkFolders.has(name));
}

/** The effect of a file that a check refers to; undefined where it is the work that the check judges. */
export function effectOfReference(script: string, file: string): 'refuse' | 'report' | undefined {
  const kind = kindOfFolder(file);
  // A script may be the work or part of the check.
  if (kind !== undefined && /^(?:scripts?|tools?)$/.test(kind)) return 'report';
  if (kind !== undefined) return checkFolders.has(kind) ? 'refuse' : undefined;
  // Beside the check in a folder of any name: a package of the work may contain its check.
  const own = path.dirname(script);
  const isBeside = own !== '.' && !own.startsWith('..') && file.startsWith(`${own}/`);
  return isBeside && !own.split('/').some((name) => name === 'pkg' || name === 'packages') ? 'report' : undefined;
}

const maxTests = 200;
const testFolders = ['test', 'tests', 'spec', '__tests__'];
const isHelper =
  /(?:^|\/)(?:support|helpers?|fixtures?|testing|test[-_]?(?:support|helpers?|utils?)|mocks?|stubs?|fakes?)\//i;

/** Helpers that tests use from outside the test folders: whoever edits one decides the result of the tests. */
export function testHelpers(folder: string, isTest: (file: string) => boolean): readonly string[] {
  const tests = testFolders.flatMap((each) => matchingFiles(folder, `${each}/**/*`)).slice(0, maxTests);
  const referenced = new Set(tests.flatMap((test) => referencesIn(folder, test)));
  const files = [...referenced].flatMap((each) => filesAt(folder, each));
  return [...new Set(files)].filter((file) => isHelper.test(file) && !isTest(file) && !isInSources(file));
}
