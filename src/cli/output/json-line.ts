// What JSON leaves as it is and a terminal would act on, hide or reorder.
const unsafe = /[\u007f-\u009f\u2028\u2029\u{e0000}-\u{e0fff}]|\p{Cf}/gu;

/** A value as one line of JSON, or as several for people. Escaping keeps every character and lets none of them act. */
export function jsonLine(value: unknown, indent = 0): string {
  return `${JSON.stringify(value, undefined, indent).replace(unsafe, escaped)}\n`;
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
