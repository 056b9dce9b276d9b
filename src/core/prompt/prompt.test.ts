import { expect, test } from 'vitest';
import { noMetadata, type PromptMetadata } from '../../protocol/index.ts';
import { checkVariables } from './prompt.ts';
import { parseTemplate } from './template.ts';

function check(text: string, metadata: Partial<PromptMetadata>, given: Record<string, string> = {}) {
  const parts = parseTemplate(text).flatMap((part) => ('include' in part ? [] : [part]));
  const { failure, warnings } = checkVariables('task.md', { metadata: { ...noMetadata, ...metadata }, parts }, given);
  return failure ?? warnings;
}

test('B005: a required variable that has a value and is used is fine, an empty value included', () => {
  expect(check('{{lang}} {{x}}', { requiredVars: ['lang'] }, { lang: '' })).toEqual([]);
  expect(check('no variable', {}, { lang: 'de' })).toEqual([]);
});

test('B005: a required variable without a value is refused, and the error names the ways to give one', () => {
  expect(check('{{lang}} {{constructor}}', { requiredVars: ['lang'] })).toMatchObject({
    code: 'PROMPT_VARIABLE_MISSING',
    exitCode: 78,
    message: 'The prompt file task.md requires the variable lang, which has no value.',
    hint: 'Add "--var lang=VALUE", or set it under "vars" in ralphd.yml or "defaults" in the front matter.',
  });
  expect(check('{{constructor}}', { requiredVars: ['constructor'] })).toMatchObject({
    code: 'PROMPT_VARIABLE_MISSING',
  });
});

test('B005: a required variable that is not used is a warning, or an error when the prompt is strict', () => {
  const metadata = { requiredVars: ['lang', 'tone'] };
  const given = { lang: 'de', tone: 'dry' };
  const message = 'The prompt file task.md requires the variable tone, but never uses {{tone}}.';
  expect(check('{{lang}} \\{{tone}}', metadata, given)).toEqual([message]);
  expect(check('{{lang}} \\{{tone}}', { ...metadata, strict: true }, given)).toMatchObject({
    code: 'PROMPT_VARIABLE_UNUSED',
    message,
  });
});

test('B005: a strict prompt lists the variables that have no value', () => {
  const text = '{{lang}} {{iteration}} {{typo}} {{other}} {{typo}}';
  expect(check(text, { strict: true }, { lang: 'de' })).toEqual([
    'task.md has no value for {{typo}}, {{other}}: left unchanged.',
  ]);
  expect(check(text, {}, { lang: 'de' })).toEqual([]);
});
