import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import xterm from '@xterm/headless';
import { createImporter, planLoop } from './importer.ts';

/*
 * Takes the picture of the screen in the README: runs a real loop in a terminal, with a script as the agent, and draws
 * what the terminal shows in its seventh iteration.
 *   npm run build && node tools/picture/screen.ts
 */
const root = path.resolve(import.meta.dirname, '../..');
const size = { columns: 104, rows: 31 };
const cell = { width: 8.43, height: 18 };
const margin = 16;
const ink = '#cdd9e5';
const paper = '#1c2128';
/** The eight colours of the terminal, as far as the screen uses them. */
const palette: Readonly<Record<number, string>> = {
  0: '#1c2128',
  1: '#f47067',
  2: '#6bc46d',
  3: '#e3b341',
  6: '#56c8d8',
};

const project = mkdtempSync(path.join(os.tmpdir(), 'ralphd-picture-'));
const env = { PATH: process.env['PATH'], HOME: project, TERM: 'xterm-256color', SHELL: '/bin/sh', LANG: 'C.UTF-8' };
process.on('exit', () => rmSync(project, { recursive: true, force: true }));
createImporter(project, env);
const shown = await lookAtLoop();
const target = path.join(root, 'docs', 'images', 'screen.svg');
writeFileSync(target, draw(shown));
console.log(path.relative(root, target));

type Terminal = InstanceType<typeof xterm.Terminal>;

/** Runs the loop in a terminal until its last agent works. */
async function lookAtLoop(): Promise<Terminal> {
  const words = planLoop(project, {
    name: 'streaming-importer',
    task: 'Read files of any size in 200 MB',
    first: 61,
    plan: ['44', '31', '35', '22', '9'],
    options: ['-n', '40'],
  });
  const command = [process.execPath, path.join(root, 'bin', 'ralphd.mjs'), ...words];
  const quoted = command.map((word) => `'${word}'`).join(' ');
  const line = `stty cols ${size.columns} rows ${size.rows}; exec ${quoted}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: project,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const terminal = new xterm.Terminal({ cols: size.columns, rows: size.rows, allowProposedApi: true });
  const deadlineMs = performance.now() + 60_000;
  for await (const chunk of child.stdout as AsyncIterable<Uint8Array>) {
    await new Promise<void>((resolve) => terminal.write(chunk, resolve));
    const rows = Array.from(
      { length: size.rows },
      (_, row) => terminal.buffer.active.getLine(row)?.translateToString() ?? '',
    );
    const isReady = rows.some((row) => row.includes('npm test -- reader')) && rows.some((row) => / 6 ▸ /u.test(row));
    if (isReady && rows.some((row) => /worked for [4-9]s/u.test(row))) break;
    if (performance.now() > deadlineMs) throw new Error(`The loop did not get there:\n${rows.join('\n')}`);
  }
  // Twice: the first interrupt asks the agent to end.
  child.stdin.write('\u0003');
  await new Promise((resolve) => child.once('exit', resolve).stdout.resume());
  return terminal;
}

function draw(terminal: Terminal): string {
  const width = Math.ceil(size.columns * cell.width) + 2 * margin;
  const height = size.rows * cell.height + 2 * margin + 22;
  const parts = Array.from({ length: size.rows }, (_, row) => drawRow(terminal, row));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}</style>
<rect width="100%" height="100%" rx="8" fill="${paper}"/>
<circle cx="20" cy="18" r="6" fill="#f47067"/><circle cx="40" cy="18" r="6" fill="#daaa3f"/><circle cx="60" cy="18" r="6" fill="#6bc46d"/>
${parts.filter((part) => part !== '').join('\n')}
</svg>
`;
}

interface Look {
  readonly ink: string;
  readonly ground?: string;
  readonly isBold: boolean;
  readonly isFaint: boolean;
}

/** A row as runs of cells that look the same, each at its place in the grid. */
function drawRow(terminal: Terminal, row: number): string {
  const line = terminal.buffer.active.getLine(row);
  if (line === undefined) return '';
  const runs: { readonly look: Look; readonly from: number; text: string; columns: number }[] = [];
  for (let column = 0; column < size.columns; column += 1) {
    const each = line.getCell(column);
    if (each === undefined || each.getWidth() === 0) continue;
    const look = lookOf(each);
    const last = runs.at(-1);
    const isBlock = /^[▁-█]$/u.test(each.getChars());
    if (
      !isBlock &&
      last !== undefined &&
      !/^[▁-█]$/u.test(last.text) &&
      JSON.stringify(last.look) === JSON.stringify(look)
    ) {
      last.text += each.getChars() || ' ';
      last.columns += each.getWidth();
    } else runs.push({ look, from: column, text: each.getChars() || ' ', columns: each.getWidth() });
  }
  const top = margin + 22 + row * cell.height;
  return runs.map((run) => drawRun(run, top)).join('');
}

function drawRun(
  { look, from, text, columns }: { look: Look; from: number; text: string; columns: number },
  top: number,
): string {
  const [x, width] = [margin + from * cell.width, columns * cell.width].map((value) => value.toFixed(2));
  const ground =
    look.ground === undefined
      ? ''
      : `<rect x="${x}" y="${top}" width="${width}" height="${cell.height}" fill="${look.ground}"/>`;
  if (text.trim() === '') return ground;
  const eighths = '▁▂▃▄▅▆▇█'.indexOf(text) + 1;
  // Fonts leave gaps between blocks, which a terminal does not.
  if (text.length === 1 && eighths > 0) {
    const high = (cell.height * eighths) / 8;
    return `${ground}<rect x="${x}" y="${top + cell.height - high}" width="${width}" height="${high}" fill="${look.ink}"/>`;
  }
  const bold = look.isBold ? ' style="font-weight:bold"' : '';
  const faint = look.isFaint ? ' opacity="0.55"' : '';
  return `${ground}<text xml:space="preserve" x="${x}" y="${top + 13.5}" textLength="${width}" fill="${look.ink}"${bold}${faint}>${escaped(text)}</text>`;
}

type Cell = NonNullable<ReturnType<NonNullable<ReturnType<Terminal['buffer']['active']['getLine']>>['getCell']>>;

function lookOf(each: Cell): Look {
  const front = each.isFgPalette() ? (palette[each.getFgColor()] ?? ink) : ink;
  const back = each.isBgPalette() ? palette[each.getBgColor()] : undefined;
  const isInverse = each.isInverse() !== 0;
  const ground = isInverse ? front : back;
  return {
    ink: isInverse ? (back ?? paper) : front,
    ...(ground === undefined ? {} : { ground }),
    isBold: each.isBold() !== 0,
    isFaint: each.isDim() !== 0,
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
