/** The text as a quotation, so that nothing in it can pass for an instruction or a claim. */
export function quoted(text: string): string {
  return linesOf(text)
    .map((line) => `> ${line}`)
    .join('\n');
}

/** The lines of a text, whatever ends them. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/u);
}
