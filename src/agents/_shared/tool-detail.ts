import { asList, asObject, asObjects, asText } from './json.ts';

/** Where agents put what a tool is used on, the most telling first. */
const names = ['command', 'cmd', 'file_path', 'filePath', 'absolute_path', 'path', 'pattern', 'query', 'url', 'prompt'];
const maxLength = 400;

/** What a tool is used on, read from its input: a command line, a file, a search; nothing where that is unknown. */
export function detailOf(input: unknown): { readonly detail?: string } {
  const fields = asObject(input) ?? {};
  const detail = names.map((name) => textOf(fields[name])).find((text) => text !== '');
  const paths = asObjects(fields['changes']).flatMap(({ path }) => asText(path) ?? []);
  const text = detail ?? paths.join(', ');
  return text === '' ? {} : { detail: text.slice(0, maxLength) };
}

function textOf(value: unknown): string {
  const words = asList(value).filter((word) => typeof word === 'string');
  return (words.length === 0 ? (asText(value) ?? '') : words.join(' ')).trim();
}
