const number = String.raw`(?:A\d{3}|B\d{3}|R\d{1,2})`;
const range = `${number}(?:-${number})?`;
const numbered = new RegExp(String.raw`^(${range}(?:[ ,]+${range})*): (.*)$`, 's');

/** The requirements and rules that a title begins with, and the rest of it; nothing for a title without a number. */
export function splitTitle(title: string): { readonly numbers: readonly string[]; readonly words: string } | undefined {
  const [, named, words = ''] = numbered.exec(title) ?? [];
  return named === undefined ? undefined : { numbers: readNumbers(named), words };
}

/** `A010-A013, R5` means five numbers. */
export function readNumbers(named: string): readonly string[] {
  return named.split(/[ ,]+/).flatMap(unfoldRange);
}

export function byNumber(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

function unfoldRange(text: string): readonly string[] {
  const [first = '', last = first] = text.split('-');
  const [from, to] = [Number(first.slice(1)), Number(last.slice(1))];
  const digits = first.length - 1;
  return Array.from(
    { length: to - from + 1 },
    (_, index) => `${first[0]}${String(from + index).padStart(digits, '0')}`,
  );
}
