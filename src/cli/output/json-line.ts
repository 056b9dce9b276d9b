// Characters that JSON does not escape but a terminal would interpret, hide or reorder.
const unsafe = /[\u007f-\u009f\u2028\u2029\u{e0000}-\u{e0fff}]|\p{Cf}/gu;

/** A value as one line of JSON, or indented for people. Control characters are escaped, never dropped. */
export function jsonLine(value: unknown, indent = 0): string {
  return `${JSON.stringify(value, undefined, indent).replace(unsafe, escaped)}\n`;
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
