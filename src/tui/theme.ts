import type { Line, Tone } from './text.ts';

/** What the terminal can show. */
export interface Theme {
  readonly hasColour: boolean;
  /** The terminal shows only ASCII reliably. */
  readonly isAscii: boolean;
}

/** Black on a colour is readable on light and dark palettes alike; bold black is not, as some terminals make it grey. */
const coloured: Readonly<Record<Tone, string>> = {
  plain: '',
  strong: '1',
  faint: '2',
  bad: '31',
  move: '30;46',
  proof: '30;42',
  you: '30;43',
  stop: '30;41',
  rest: '7',
};

const uncoloured: Readonly<Record<Tone, string>> = {
  ...coloured,
  bad: '1',
  move: '7',
  proof: '7',
  you: '7',
  stop: '7',
};

/** One character for one character, so that the layout stays as it is. */
const asciiSigns: Readonly<Record<string, string>> = {
  '●': '*',
  '◆': '#',
  '○': 'o',
  '▲': '!',
  '✓': '+',
  '◇': '?',
  '✗': 'x',
  '■': '#',
  '‖': '=',
  '↑': '^',
  '↓': 'v',
  '·': '.',
  '»': '>',
  '▸': '>',
  '━': '=',
  '╸': '-',
  '─': '-',
  '┃': '|',
  '│': '|',
  '→': '>',
  '›': '>',
  '□': '.',
  '≥': '>',
  '−': '-',
  '–': '-',
  '±': '=',
  '…': '~',
  '▁': '_',
  '▂': '_',
  '▃': '-',
  '▄': '-',
  '▅': '=',
  '▆': '=',
  '▇': '#',
  '█': '#',
};

/** What the terminal described by these variables can show. */
export function themeFor(env: NodeJS.ProcessEnv): Theme {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8';
  return { hasColour: !env['NO_COLOR'], isAscii: env['TERM'] === 'linux' || !/utf-?8/iu.test(locale) };
}

/** A line as a terminal draws it; it ends without any attribute set. */
export function paint(line: Line, { hasColour, isAscii }: Theme): string {
  const codes = hasColour ? coloured : uncoloured;
  return line
    .map(({ text, tone }) => {
      const shown = isAscii ? text.replaceAll(/[^\x20-\x7e]/gu, (sign) => asciiSigns[sign] ?? sign) : text;
      return codes[tone] === '' || shown === '' ? shown : `\u001b[${codes[tone]}m${shown}\u001b[0m`;
    })
    .join('');
}
