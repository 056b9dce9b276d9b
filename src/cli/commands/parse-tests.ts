import { createReadStream } from 'node:fs';
import path from 'node:path';
import { parseTests } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import type { TestReport } from '../../core/index.ts';
import { jsonLine } from '../output/json-line.ts';
import { oneLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd parse-tests`: what ralphd reads out of a test runner's output. */
export async function parseTestsCommand({ options, args }: Invocation, surroundings: Surroundings): Promise<number> {
  const [file = '-'] = args;
  const report = file === '-' ? await parseTests(surroundings.stdin) : await parseFile(file, surroundings.cwd);
  const asJson = options['json'] === true;
  surroundings.stdout.write(asJson ? jsonLine(report ?? { framework: null }) : `${lines(report).join('\n')}\n`);
  return 0;
}

async function parseFile(file: string, cwd: string): Promise<TestReport | undefined> {
  try {
    return await parseTests(createReadStream(path.resolve(cwd, file)));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new LoopError(failures.fileUnreadable(file, error.message), { cause: error });
  }
}

function lines(report: TestReport | undefined): string[] {
  if (report === undefined) return ['no test report recognised'];
  const { framework, total, passed, failed, skipped, details } = report;
  const counted = `${framework}: ${total} tests, ${passed} passed, ${failed} failed, ${skipped} skipped`;
  const bad = details.filter(({ status }) => status === 'failed' || status === 'error');
  return [counted, ...bad.map(({ name, status }) => `  ${status.padEnd(6)} ${oneLine(name, 200)}`)];
}
