import { styleText } from 'node:util';

/** Words in colour where the stream shows colour. */
export interface Paint {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly note: (text: string) => string;
}

/** Colours for a stream; NO_COLOR, a pipe or a dumb terminal get plain text. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) => styleText(format, text, { stream });
  return {
    dim: style('dim'),
    bold: style('bold'),
    good: style('green'),
    bad: style('red'),
    warn: style('yellow'),
    note: style('cyan'),
  };
}

const same = (text: string) => text;

/** No colours at all. */
export const plainPaint: Paint = { dim: same, bold: same, good: same, bad: same, warn: same, note: same };
