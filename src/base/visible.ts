/**
 * Untrusted text with everything that hides, moves or reorders text written out, so that a person reads what a shell would
 * run: `\n`, `\t`, `\u{1b}`. Unlike `scrub` it removes nothing.
 */
export function visible(text: string): string {
  return text.replaceAll(hidden, (character) => names.get(character) ?? `\\u{${codeOf(character)}}`);
}

// Controls, marks and separators of all kinds, what has no shape, and spaces other than the usual one.
const hidden =
  /(?! )[\p{C}\p{Z}]|[\u115f\u1160\u3164\uffa0\u17b4\u17b5]|\u034f|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

const names: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
