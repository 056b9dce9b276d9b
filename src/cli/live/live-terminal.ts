import { columnsOf } from '../../base/index.ts';
import type { Surroundings } from '../surroundings.ts';

/** Surroundings with a line at the bottom of the terminal that is rewritten in place. */
export interface LiveTerminal extends Disposable {
  /** All other output goes through these: the line is cleared before and redrawn after. */
  readonly surroundings: Surroundings;
  /** Draws the line that the function returns from now on; undefined for no line. */
  show(line: (columns: number) => string | undefined): void;
}

const redrawEveryMs = 250;
const startOfLine = '\r';
const lineUp = '\u001b[1A';
const clearBelow = '\u001b[0J';
const defaultColumns = 80;

/** Takes over the terminal; without one, or with one for plain lines, no line is drawn. */
export function openLiveTerminal(surroundings: Surroundings, isWanted: boolean): LiveTerminal {
  if (!isWanted || !canRewrite(surroundings)) {
    return { surroundings, show: () => {}, [Symbol.dispose]: () => {} };
  }
  const { stdout, stderr } = surroundings;
  let draw: ((columns: number) => string | undefined) | undefined;
  let drawn = '';
  const columns = () => stderr.columns || defaultColumns;
  const clear = () => {
    if (drawn === '') return;
    // A terminal that was narrowed has wrapped the line.
    const rows = Math.max(1, Math.ceil(columnsOf(drawn) / columns()));
    stderr.write(startOfLine + lineUp.repeat(rows - 1) + clearBelow);
    drawn = '';
  };
  const redraw = () => {
    const line = draw?.(columns()) ?? '';
    if (line === drawn) return;
    clear();
    if (line !== '') stderr.write(line);
    drawn = line;
  };
  const around = (stream: NodeJS.WriteStream): NodeJS.WriteStream => {
    const write = (text: string) => {
      clear();
      const isTaken = stream.write(text);
      redraw();
      return isTaken;
    };
    return Object.create(stream, { write: { value: write } }) as NodeJS.WriteStream;
  };
  const timer = setInterval(redraw, redrawEveryMs);
  timer.unref();
  stderr.on('resize', redraw);
  return {
    // A getter, because copying it would open a stream that nobody uses.
    surroundings: Object.create(surroundings, {
      stdout: { value: around(stdout) },
      stderr: { value: around(stderr) },
    }) as Surroundings,
    show(line) {
      draw = line;
      redraw();
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      stderr.off('resize', redraw);
      draw = undefined;
      clear();
    },
  };
}

/** NO_COLOR, CI and a dumb terminal mean plain lines. */
function canRewrite({ stderr, env }: Surroundings): boolean {
  return stderr.isTTY && !env['NO_COLOR'] && !env['CI'] && env['TERM'] !== 'dumb';
}
