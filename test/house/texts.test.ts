import { expect, test } from 'vitest';
import { type Failure, failures } from '../../src/base/index.ts';
import { commandDefinitions } from '../../src/cli/definitions.ts';
import { libraryHints } from '../../src/library/hints.ts';
import { listSettings } from '../../src/protocol/index.ts';
import {
  commandsInSentences,
  commandsOnPage,
  failureTexts,
  filesOf,
  pages,
  type ShownCommand,
  sourceFiles,
  type Text,
} from './texts.ts';

const everywhere = ['help', 'version'];
/** Not settings: keys of front matter, options of the library, and what stands before the colon in examples of output. */
const examples = new Set(['name', 'score', 'template', 'strict', 'templates.variables']);
/** Flags of other programs: git, node, the script of the demo, and (up to its capital letter) Claude Code. */
const ofOthers = new Set(['abort', 'allowed', 'end-of-options', 'git', 'quiet', 'source', 'test', 'set-up']);
const allFlags = new Set([
  ...everywhere,
  ...commandDefinitions.flatMap(({ options }) => options).map(({ name }) => name),
]);

/** What is wrong with a command line: undefined when ralphd would take it. */
function wrongWith({ where, line }: ShownCommand): string | undefined {
  const [first = '', ...rest] = line.split(/ --(?= |$)/)[0]?.split(' ') ?? [];
  if (first.startsWith('--'))
    return flagsIn(line).every((flag) => allFlags.has(flag)) ? undefined : `${where}: ${line}`;
  const name = first.startsWith('"') || /^[A-Z$<{]/.test(first) ? 'run' : first;
  const command = commandDefinitions.find((each) => each.name === name);
  const known = [...everywhere, ...(command === undefined ? [] : command.options.map((option) => option.name))];
  const isKnown = flagsIn(rest.join(' ')).every((flag) => known.includes(flag));
  return (command !== undefined || name === 'help') && isKnown ? undefined : `${where}: ralphd ${line}`;
}

function flagsIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, name = '']) => name);
}

const wrong = (shown: readonly ShownCommand[]) => shown.flatMap((each) => wrongWith(each) ?? []);

test('every failure is examined', () => {
  const names = failureTexts().flatMap(({ where, text }) => (/\w.*\w/.test(text) ? [where] : []));
  expect([...new Set(names)]).toEqual(Object.keys(failures));
});

test('every command line that a failure, an explanation or a report names is one that ralphd takes', () => {
  const shown = [...failureTexts(), ...sourceFiles('src/**/*.ts')].flatMap(commandsInSentences);
  expect(shown.length).toBeGreaterThan(40);
  expect(wrong(shown)).toEqual([]);
});

test('every command line on a page is one that ralphd takes', () => {
  const shown = pages().flatMap(commandsOnPage);
  expect(shown.length).toBeGreaterThan(50);
  expect(wrong(shown)).toEqual([]);
});

test('every flag that a failure, an explanation or a report names exists', () => {
  const rooms = ['src/base/errors/*.ts', 'src/core/explain/*.ts', 'src/cli/**/*.ts', 'src/app/*.ts', 'src/runner/*.ts'];
  // A style sheet names its own properties with two dashes.
  const sources = sourceFiles(...rooms).filter(({ where }) => !where.endsWith('-style.ts'));
  const texts = [...failureTexts(), ...sources.map(withoutComments)];
  const named = texts.flatMap(({ where, text }) => flagsIn(text).map((flag) => ({ where, flag })));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ flag }) => !allFlags.has(flag) && !ofOthers.has(flag))).toEqual([]);
});

test('every setting that a failure or a hint for programs names is in the schema', () => {
  const hints = Object.entries(libraryHints).map(([where, text]) => ({ where, text }));
  const named = [...failureTexts(), ...hints].flatMap(({ where, text }) =>
    [...text.matchAll(/"([a-z]+(?:[A-Z.][A-Za-z]+)+|[a-zA-Z.]+(?=: ))(?:: [^"]*)?"/g)].map(([, setting = '']) => ({
      where,
      setting,
    })),
  );
  expect(named.length).toBeGreaterThan(20);
  const paths = listSettings().map(({ path }) => path);
  const isSetting = (name: string) => paths.some((each) => each === name || each.startsWith(`${name}.`));
  expect(named.filter(({ setting }) => !isSetting(setting) && !examples.has(setting))).toEqual([]);
});

test('a command, a flag of another command and a setting that do not exist are noticed', () => {
  const text =
    'Follow it with "ralphd observe ID", or end it: ralphd stop ID --now, or "ralphd resume ID --max-time 1h".';
  expect(wrong(commandsInSentences({ where: 'here', text }))).toEqual([
    'here: ralphd observe ID',
    'here: ralphd stop ID --now, or "ralphd resume ID --max-time 1h".',
  ]);
  expect(
    wrong(commandsOnPage({ where: 'page', text: 'Run `ralphd happenings ID`.\n$ ralphd run "x" --detached\n' })),
  ).toEqual(['page: ralphd happenings ID', 'page: ralphd run "x" --detached']);
});

test('every error code is raised somewhere', () => {
  const sources = sourceFiles('src/**/*.ts').filter(({ where }) => !where.startsWith('src/base/errors/'));
  const all = sources.map(({ text }) => text).join('\n');
  expect(Object.keys(failures).filter((name) => !new RegExp(`failures\\.${name}\\b`).test(all))).toEqual([]);
});

test('every error code is reached by a test', () => {
  // These list every failure, or take one as an example of its texts.
  const lists = ['src/base/errors/failures.test.ts', 'src/library/hints.test.ts'];
  const tests = filesOf('src/**/*.test.ts', 'test/**/*.test.ts').filter(
    ({ where }) => !lists.includes(where) && !where.startsWith('test/house/'),
  );
  const all = tests.map(({ text }) => text).join('\n');
  const codes = Object.values(failures as unknown as Record<string, () => Failure>).map(codeOf);
  expect(codes.length).toBeGreaterThan(80);
  expect(codes.filter((code) => !new RegExp(`\\b${code}\\b`).test(all))).toEqual([]);
});

function codeOf(build: (...details: never[]) => Failure): string {
  const [, code = ''] = /code: '([A-Z_]+)'/.exec(build.toString()) ?? [];
  return code;
}

function withoutComments({ where, text }: Text): Text {
  return { where, text: text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '') };
}
