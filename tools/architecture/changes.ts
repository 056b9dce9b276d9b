import { readFileSync } from 'node:fs';
import path from 'node:path';
import { productFiles } from './imports.ts';

/** A kind of change, and a pattern that finds every file that one such change touched. */
interface Change {
  readonly what: string;
  readonly example: string;
  readonly pattern: RegExp;
  /** Files in which the same word means something else. */
  readonly except?: RegExp;
}

/** The most frequent changes, each with an existing example. */
const changes: readonly Change[] = [
  { what: 'an agent', example: 'OpenCode', pattern: /open_?code/iu },
  { what: 'a stop rule', example: 'the same error repeated', pattern: /same_error|sameError|SameErrorStreak/u },
  {
    what: 'a bound',
    example: 'tool calls',
    pattern: /maxToolCalls|max_tool_calls|max-tool-calls|unreportedToolCalls|\btoolCalls\b/u,
  },
  { what: 'a setting', example: 'promiseMatch', pattern: /promiseMatch/u },
  { what: 'a command', example: 'skip', pattern: /'skip'|\bskip:|requests\.skip/u, except: /^core\/reports\//u },
  { what: 'a fact', example: 'reboot.finished', pattern: /reboot\.finished/u },
  { what: 'the journal format', example: 'the checksum of a line', pattern: /\bcrc\b/u },
  { what: 'a report reader', example: 'Playwright', pattern: /readPlaywright|playwright\.ts|playwrightReader/u },
  { what: 'a store', example: 'the folder of a loop', pattern: /from '(\.\.\/)+store\/index\.ts'/u },
  {
    what: 'a prompt section',
    example: 'files in a handover',
    pattern: /handOffFiles|handoverFiles|ToldFile|HandoverFile/u,
  },
];

/** The files that each kind of change touches, judged by its example. Generated files do not count. */
export function filesOfChanges(source: string): readonly (Change & { readonly files: readonly string[] })[] {
  const texts = productFiles(source)
    .map((file) => ({ file, text: readFileSync(path.join(source, file), 'utf8') }))
    .filter(({ text }) => !text.startsWith('// Generated from'));
  return changes.map((change) => {
    const touched = texts.filter(({ file, text }) => change.pattern.test(file) || change.pattern.test(text));
    return { ...change, files: touched.map(({ file }) => file).filter((file) => !change.except?.test(file)) };
  });
}
