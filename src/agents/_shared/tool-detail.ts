import { headText } from '../../base/index.ts';
import { asObject, asText } from './json.ts';

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
  const given = asObject(argumentsOfCall);
  if (given === undefined) return undefined;
  for (const name of tellingNames) {
    const detail = shortDetail(given[name]);
    if (detail !== undefined) return detail;
  }
  return undefined;
}

/** A text as the detail of a call; some agents give a command as a list of words. */
export function shortDetail(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.filter((word) => typeof word === 'string').join(' ') : value;
  if (typeof text !== 'string' || text === '') return undefined;
  // Text far beyond the limit is not read: an argument may contain a whole file.
  const start = headText(text, 4 * maxLength);
  const line = /\s/.test(start) ? start.replace(/\s+/g, ' ').trim() : start;
  return asText(headText(line, maxLength));
}
