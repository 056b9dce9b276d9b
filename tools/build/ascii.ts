/**
 * The same JavaScript in ASCII. One character beyond Latin-1 makes V8 keep a whole file with two bytes for each
 * character, for as long as the process lives. In strings, templates, names and regular expressions an escape means
 * the character itself; only `String.raw` shows the difference.
 */
export function asciiOnly(code: string): string {
  const raw = /String\.raw`[^`]*[^\x00-\x7f][^`]*`/u.exec(code);
  if (raw !== null) throw new Error(`An escape would change the text of ${raw[0]}.`);
  return code.replaceAll(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
