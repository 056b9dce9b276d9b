import xterm from '@xterm/headless';

/** The size of a terminal. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

const maxScrollback = 2_000;

/** What a terminal of this size shows after a text was written to it, including the lines that scrolled off. */
export async function renderScreen(text: string, { columns, rows }: TerminalSize): Promise<readonly string[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: maxScrollback, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from(
    { length: active.length },
    (_, row) => active.getLine(row)?.translateToString(true).trimEnd() ?? '',
  );
  terminal.dispose();
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}
