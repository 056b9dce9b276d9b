import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import path from 'node:path';
import { type ParsedRun, parseAgentRun } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import type { Ending } from '../../protocol/index.ts';
import { jsonLine } from '../output/json-line.ts';
import { oneLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd parse-agent`: what ralphd reads from an agent's output. */
export async function parseAgentCommand({ options, args }: Invocation, surroundings: Surroundings): Promise<number> {
  const [agent = '', file = '-'] = args;
  const { stderr: errorFile } = options;
  const at = (name: string) => path.resolve(surroundings.cwd, name);
  const stderr = typeof errorFile === 'string' ? await readable(errorFile, () => readFile(at(errorFile), 'utf8')) : '';
  const parsed = await readable(file, async () => {
    const stdout = file === '-' ? surroundings.stdin : createReadStream(at(file));
    return await parseAgentRun(agent, { stdout, stderr, ending: endingOf(options) });
  });
  surroundings.stdout.write(options['json'] === true ? jsonLine(parsed) : `${lines(parsed).join('\n')}\n`);
  return 0;
}

/** How the process ended; exit code 0 unless given. */
function endingOf(options: Invocation['options']): Ending {
  const { signal, 'exit-code': code } = options;
  if (signal !== undefined && code !== undefined) {
    throw new LoopError(failures.conflictingOptions('--exit-code', '--signal'));
  }
  if (signal !== undefined) {
    const name = `SIG${String(signal).toUpperCase().replace(/^SIG/, '')}`;
    if (!(name in constants.signals)) {
      throw new LoopError(failures.badValue('--signal', 'the name of a signal, such as SIGTERM', String(signal)));
    }
    return { kind: 'signalled', signal: name };
  }
  if (code !== undefined && !/^\d{1,3}$/.test(String(code))) {
    throw new LoopError(failures.badValue('--exit-code', 'a number from 0 to 255', String(code)));
  }
  return { kind: 'exited', code: Number(code ?? 0) };
}

async function readable<Result>(file: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new LoopError(failures.fileUnreadable(file, error.message), { cause: error });
  }
}

function lines({ text: _text, claimText, usage, context, ...parsed }: ParsedRun): string[] {
  const rows = { ...parsed, ...usage, contextUsed: context.used, contextSize: context.size, claimText };
  return Object.entries(rows).map(
    ([name, value]) => `${name.padEnd(18)} ${value === null ? 'not reported' : oneLine(String(value), 200)}`,
  );
}
