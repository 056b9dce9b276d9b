import xterm from '@xterm/headless';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

const maxScrollback = 2_000;

/** What a terminal of this size shows after it receives a text, including lines that scrolled off. */
export async function renderScreen(text: string, size: TerminalSize): Promise<readonly string[]> {
  return (await readScreen(text, size)).lines;
}

/** The same, with the lines that the terminal had to wrap. */
export async function readScreen(
  text: string,
  { columns, rows }: TerminalSize,
): Promise<{ readonly lines: readonly string[]; readonly broken: readonly string[] }> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: maxScrollback, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from(
    { length: active.length },
    (_, row) => active.getLine(row)?.translateToString(true).trimEnd() ?? '',
  );
  const broken = lines.filter((_line, row) => active.getLine(row + 1)?.isWrapped === true);
  terminal.dispose();
  return { lines: lines.slice(0, lines.findLastIndex((line) => line !== '') + 1), broken };
}
