import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/*
 * Takes the picture in the README: runs the demo with colours on and draws what it printed.
 *   node tools/picture/demo.ts
 */
const root = path.resolve(import.meta.dirname, '../..');
const project = path.join(os.tmpdir(), 'cart');
const colours: Readonly<Record<string, string>> = {
  '31': '#f47067',
  '32': '#6bc46d',
  '33': '#daaa3f',
  '36': '#76e3ea',
};
const lineHeight = 19;
const charWidth = 7.82;

rmSync(project, { recursive: true, force: true });
const printed = runDemo();
const lines = printed.split('\n').slice(0, -1);
const target = path.join(root, 'docs', 'images', 'demo.svg');
mkdirSync(path.dirname(target), { recursive: true });
writeFileSync(target, draw(lines));
console.log(`${path.relative(root, target)}: ${lines.length} lines`);

function runDemo(): string {
  const command = `"${process.execPath}" "${path.join(root, 'bin', 'ralphd.mjs')}" demo --dir "${project}" 2>&1`;
  const env = { PATH: process.env['PATH'], HOME: os.tmpdir(), FORCE_COLOR: '1' };
  const text = execFileSync('sh', ['-c', command], { encoding: 'utf8', env });
  // The last lines say where to look, which means nothing on another machine.
  return text.slice(0, text.search(/\n[^\n]*Explore the result/u) + 1);
}

function draw(rows: readonly string[]): string {
  const width = Math.ceil(Math.max(...rows.map((row) => visible(row).length)) * charWidth) + 40;
  const height = (rows.length + 2) * lineHeight + 30;
  const texts = rows.map(
    (row, index) => `<text xml:space="preserve" x="20" y="${58 + index * lineHeight}">${spans(row)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#cdd9e5;white-space:pre}</style>
<rect width="100%" height="100%" rx="8" fill="#1c2128"/>
<circle cx="20" cy="18" r="6" fill="#f47067"/><circle cx="40" cy="18" r="6" fill="#daaa3f"/><circle cx="60" cy="18" r="6" fill="#6bc46d"/>
${texts.join('\n')}
</svg>
`;
}

function spans(row: string): string {
  let style = '';
  let out = '';
  for (const part of row.split(/(\u001b\[[0-9;]*m)/u)) {
    const code = /^\u001b\[([0-9;]*)m$/u.exec(part)?.[1];
    if (code === undefined) out += part === '' ? '' : `<tspan${style}>${escape(part)}</tspan>`;
    else style = styleOf(code);
  }
  return out;
}

function styleOf(code: string): string {
  if (code === '1') return ' font-weight="bold" fill="#ffffff"';
  if (code === '2') return ' fill="#768390"';
  return colours[code] === undefined ? '' : ` fill="${colours[code]}"`;
}

function visible(row: string): string {
  return row.replaceAll(/\u001b\[[0-9;]*m/gu, '');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
