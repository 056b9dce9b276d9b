import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Program, versionOf } from './programs/program.ts';
import type { Result, SuiteReport } from './suite.ts';

const page = path.resolve(import.meta.dirname, '../../docs/agents.md');
const between = /(<!-- results -->\n)[\s\S]*(<!-- end of results -->)/u;

/** Replaces the results in the page about the agents. */
export function writeResults(report: SuiteReport, programs: readonly Program[]): void {
  const text = readFileSync(page, 'utf8');
  if (!between.test(text)) throw new Error(`${page} has no place for results.`);
  const block = `\n${tableOf(report.results, programs)}\n\nNetwork: ${report.network}.\n\n`;
  writeFileSync(
    page,
    text.replace(between, (_, before: string, after: string) => before + block + after),
  );
}

/** One row for each case, one column for each agent. */
export function tableOf(results: readonly Result[], programs: readonly Program[]): string {
  const rows = [...new Set(results.map(({ row }) => row))];
  const heads = programs.map((program) => `${program.title} ${versionOf(program)}`);
  const lines = rows.map((row) => {
    const cells = programs.map(({ adapter }) =>
      cellOf(results.find((one) => one.row === row && one.agent === adapter.name)),
    );
    return [row, ...cells];
  });
  return [['Case', ...heads], heads.map(() => '---').concat('---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function cellOf(result: Result | undefined): string {
  if (result === undefined) return 'not run';
  if (result.status === 'failed') return '**failed**';
  return result.status === 'exempt' ? `– (${result.seen})` : result.seen;
}
