import { expect, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { readFrontMatter } from './front-matter.ts';

async function refusal(text: string): Promise<string> {
  const error = await readFrontMatter('task.md', text).catch((thrown: unknown) => thrown);
  if (!(error instanceof LoopError)) throw new Error('Expected a LoopError.', { cause: error });
  expect(error.failure.exitCode).toBe(78);
  return `${error.failure.code}: ${error.failure.message}`;
}

test('B002: every key is read, and keys of the user are kept', async () => {
  const text = [
    'name: Fix the tests',
    'description: until they are green',
    'version: 1.5',
    'tags: [tests, night]',
    'required_vars: [lang]',
    'defaults: { lang: de, empty: "" }',
    'strict: true',
    'iteration: { context_threshold: 60, run_tests: false, stop_on: ["out of \\\\w+"] }',
    'author: { name: me }',
  ];
  expect(await readFrontMatter('task.md', text.join('\n'))).toEqual({
    metadata: {
      name: 'Fix the tests',
      description: 'until they are green',
      version: '1.5',
      tags: ['tests', 'night'],
      requiredVars: ['lang'],
      defaults: { lang: 'de', empty: '' },
      strict: true,
      template: false,
      iteration: { contextThreshold: 60, runTests: false, stopOn: ['out of \\w+'] },
      more: { author: { name: 'me' } },
    },
    warnings: [],
  });
});

test('B002: empty front matter, or only comments, sets nothing', async () => {
  const nothing = { tags: [], requiredVars: [], defaults: {}, strict: false, iteration: {}, more: {} };
  for (const text of ['', '\n', '# later\n'])
    expect(await readFrontMatter('task.md', text)).toMatchObject({ metadata: nothing });
});

test.each(['Just a paragraph\nof two lines.\n', '- a\n- list\n', '42\n'])(
  'B004: what is no mapping is no front matter: %j',
  async (text) => {
    expect(await readFrontMatter('task.md', text)).toBeUndefined();
  },
);

test.each([
  ['a: [1', 'PROMPT_NOT_YAML: The front matter at task.md:2:6 is not valid YAML'],
  ['name: x\nname: y', 'PROMPT_NOT_YAML: The front matter at task.md:3:1'],
  ['name: x\nrest: *nobody', 'PROMPT_NOT_YAML: The front matter at task.md'],
  ['name: !!js/function x', 'PROMPT_NOT_YAML: The front matter at task.md:2:7'],
])('B004 B008: what is not YAML is refused with path and line: %j', async (text, expected) => {
  expect(await refusal(text)).toContain(expected);
});

test.each([
  ['name: [x]', 'name (task.md:2:1) must be non-blank text', 'it is a list.'],
  ['version: {}', 'version (task.md:2:1) must be text or a number', 'it is a mapping.'],
  ['a: 1\ntags: night', 'tags (task.md:3:1) must be a list', 'it is "night".'],
  ['required_vars: [lang, a b]', 'required_vars.1 (task.md:2:23) must be a name of letters', 'it is "a b".'],
  ['required_vars: [iteration]', 'required_vars.0 (task.md:2:17) must be a name of letters', 'it is "iteration".'],
  ['defaults:\n  date: x', 'defaults.date (task.md:3:3) must be named with letters', 'it is "date".'],
  ['defaults:\n  port: 80', 'defaults.port (task.md:3:3) must be text (in quotes', 'it is 80.'],
  ['strict: "yes"', 'strict (task.md:2:1) must be true or false', 'it is "yes".'],
  ['iteration: 5', 'iteration (task.md:2:1) must be a mapping of settings', 'it is 5.'],
  ['iteration:\n  stop_onn: []', 'iteration.stop_onn (task.md:3:3) must be left out', 'it is an unknown key.'],
  ['iteration:\n  context_threshold: 101', '(task.md:3:3) must be a whole number from 0 to 100', 'it is 101.'],
  ['iteration:\n  stop_on: [ok, "(?=x)"]', '(task.md:3:17) must be a regular expression without lookahead', '"(?=x)".'],
])(
  'B004 B008: a key of ours with another kind of value is refused with path and line: %j',
  async (text, place, found) => {
    const message = await refusal(text);
    expect(message).toContain('PROMPT_BAD_VALUE: In the front matter, ');
    expect(message).toContain(place);
    expect(message).toContain(found);
  },
);

test('B002: a key that looks misspelled is a warning, any other is not', async () => {
  const read = await readFrontMatter('task.md', 'requird_vars: [x]\nauthor: me');
  expect(read?.warnings).toEqual([
    'The front matter of task.md has the key "requird_vars"; did you mean "required_vars"?',
  ]);
});
