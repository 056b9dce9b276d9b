import { headText } from '../../base/index.ts';
import { asList, asObject, asText, type Json } from './json.ts';

/** How much of an argument is kept: enough for a line on a screen. */
const maxLength = 300;

/** The arguments that say what a call is about, the most telling first. */
const tellingNames = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'notebook_path',
  'absolute_path',
  'target_file',
  'filename',
  'pattern',
  'query',
  'url',
  'path',
  'dir_path',
  'description',
  'prompt',
];

/** The main argument of a call of a tool, on one line and of bounded length: its command, its file, what it looks for. */
export function detailOf(argumentsOfCall: unknown): string | undefined {
  const given = asObject(argumentsOfCall) ?? {};
  for (const name of tellingNames) {
    const detail = shortDetail(textIn(given, name));
    if (detail !== undefined) return detail;
  }
  return undefined;
}

/** A text as the detail of a call; nothing where it is empty. */
export function shortDetail(text: string | undefined): string | undefined {
  // What lies far behind the bound is not looked at: an argument may hold a whole file.
  const line = headText(text ?? '', 4 * maxLength).replace(/\s+/gu, ' ');
  return asText(headText(line.trim(), maxLength));
}

/** Some agents give a command as a list of words. */
function textIn(given: Json, name: string): string | undefined {
  const words = asList(given[name]).filter((word) => typeof word === 'string');
  return asText(given[name]) ?? asText(words.join(' '));
}
