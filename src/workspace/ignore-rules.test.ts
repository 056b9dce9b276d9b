import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runCapture } from '../process/index.ts';
import { isIgnored, parseIgnoreRules } from './ignore-rules.ts';
import { toRaw } from './raw-path.ts';
import { emptyFolder, env } from './testing/tree.ts';
import { readTreeState } from './tree-state.ts';

const rules: readonly [text: string, ignored: readonly string[], counted: readonly string[]][] = [
  ['*.log', ['a.log', 'b/c.log'], ['a.log.txt', 'log']],
  ['# no rule\n\n   \n!', [], ['# no rule', 'a']],
  ['\\#odd\n\\!odd', ['#odd', '!odd'], ['odd']],
  ['build/', ['build/', 'a/build/'], ['build', 'a/build']],
  ['/build', ['build', 'build/'], ['a/build']],
  ['a/b', ['a/b'], ['c/a/b']],
  ['a/*.o', ['a/x.o'], ['a/b/x.o']],
  ['**/x/y', ['x/y', 'a/b/x/y'], ['x/a/y']],
  ['x/**', ['x/a', 'x/a/b'], ['x/', 'a/x/b']],
  ['x/**/y', ['x/y', 'x/a/y', 'x/a/b/y'], ['y', 'x/ay']],
  ['*\n!keep\n', ['a'], ['keep', 'a/keep']],
  ['a \nb\\ \nc\\  ', ['a', 'b ', 'c '], ['a ', 'b', 'c']],
  ['a\r\nb\r\n', ['a', 'b'], ['a\r']],
  ['\u00ef\u00bb\u00bfa', ['a'], ['b']],
  ['[a-c]?[!x]', ['b12', 'cxy'], ['d12', 'a1x', 'a1']],
  ['[[:digit:]_]*[]-]', ['1]', '_a-'], ['a]', '1']],
  ['a[\nb\\', [], ['a[', 'b', 'b\\']],
  ['caf\u00c3?', ['caf\u00c3\u00a9'], ['caf\u00e9']],
];

test.for(rules)('the ignore rule %j matches what git matches', ([text, ignored, counted]) => {
  const read = parseIgnoreRules(text, '');
  const judge = (path: string) => isIgnored(path.replace(/\/$/, ''), path.endsWith('/'), read);
  expect(ignored.filter((path) => !judge(path))).toEqual([]);
  expect(counted.filter(judge)).toEqual([]);
});

test('a pattern built for endless backtracking matches in no time', () => {
  const read = parseIgnoreRules(`${'*a'.repeat(60)}b\n${'**/a/'.repeat(60)}b`, '');
  expect(isIgnored('a'.repeat(4_000), false, read)).toBe(false);
  expect(isIgnored(`${'a/'.repeat(2_000)}c`, false, read)).toBe(false);
});

const name = fc.stringMatching(/^[ab]{1,2}$/);
const place = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const glob = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '*b', '?', '[ab]', '[!a]', '**', '\\a', '[a-b]b', '*a*');
const rule = fc
  .tuple(
    fc.constantFrom('', '!'),
    fc.constantFrom('', '/'),
    fc.array(glob, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '/', ' '),
  )
  .map(([negation, start, globs, end]) => `${negation}${start}${globs.join('/')}${end}`);
const project = fc.record({
  files: fc.array(place, { minLength: 1, maxLength: 12 }),
  rules: fc.array(fc.tuple(fc.constantFrom('', 'a/', 'b/', 'a/b/'), fc.array(rule, { maxLength: 4 })), {
    maxLength: 3,
  }),
});

test('for any rules in any folders, the files that count are those that git lists', async () => {
  const countedByGit = async (folder: string) => {
    const command = ['git', 'ls-files', '--others', '--exclude-standard', '-z'] as const;
    const { stdout } = await runCapture({ command: [...command], cwd: folder, env });
    return stdout.toString('latin1').split('\0').slice(0, -1).sort();
  };
  await fc.assert(
    fc.asyncProperty(fc.array(project, { minLength: 40, maxLength: 40 }), async (projects) => {
      const tree = emptyFolder();
      // A name that is already a folder cannot become a file: the first one wins.
      for (const [index, { files, rules: folders }] of projects.entries()) {
        for (const [folder, lines] of folders) tree.write(`${index}/${folder}.gitignore`, lines.join('\n'));
        for (const file of files) {
          try {
            tree.write(`${index}/${file}`, '');
          } catch {}
        }
      }
      const { files } = await readTreeState(toRaw(tree.folder), { excluded: [] });
      await tree.sh('git init -q');
      expect([...files.keys()].sort()).toEqual(await countedByGit(tree.folder));
    }),
    { numRuns: 5 },
  );
});
