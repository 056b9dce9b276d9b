import { type LogEntry, type LogRequest, type Logs, openLogs } from '../../app/index.ts';
import { failures, LoopError, scrub } from '../../base/index.ts';
import { countOption, parseCount } from '../count-option.ts';
import { jsonLine } from '../output/json-line.ts';
import { createLogPage } from '../output/log-page.ts';
import { writePaced } from '../output/paced-output.ts';
import { paintFor } from '../output/paint.ts';
import { widthOf } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { missingOutputText } from '../words/missing-output.ts';

/** `ralphd logs`: what the agent wrote and did in an iteration, and with `--follow` in the following ones. */
export async function logsCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  assertNoConflict(options);
  const request: LogRequest = {
    iteration: args[1] === undefined ? undefined : parseCount('The iteration', args[1]),
    attempt: countOption(options, 'attempt'),
    stream: options['stderr'] === true ? 'stderr' : 'stdout',
    follow: options['follow'] === true,
  };
  const logs = openLogs(await placeFor(invocation, surroundings), args[0], appContext(surroundings));
  const { stdout, stderr } = surroundings;
  if (options['raw'] === true && !stdout.isTTY) await printBytes(logs, request, surroundings);
  else if (options['raw'] === true) await printPage(logs.text(request), request, { surroundings, onlyTools: false });
  else if (options['json'] === true) await printJson(entriesOf(logs, request, options), logs.loopId, stdout);
  else {
    const onlyTools = options['tools'] === true;
    if (onlyTools && !logs.hasTools) stderr.write('This agent does not report its tool calls.\n');
    await printPage(entriesOf(logs, request, options), request, { surroundings, onlyTools });
  }
  return 0;
}

function assertNoConflict(options: Invocation['options']): void {
  const conflicts = [
    ['raw', 'tools'],
    ['raw', 'text'],
    ['text', 'tools'],
    ['stderr', 'tools'],
    ['raw', 'json'],
  ] as const;
  const conflict = conflicts.find((names) => names.every((name) => options[name] === true));
  if (conflict !== undefined) throw new LoopError(failures.conflictingOptions(`--${conflict[0]}`, `--${conflict[1]}`));
}

/** Agents write nothing structured to stderr, so it is shown as text. */
function entriesOf(logs: Logs, request: LogRequest, options: Invocation['options']): AsyncIterable<LogEntry> {
  const entries = request.stream === 'stderr' ? logs.text(request) : logs.transcript(request);
  return options['tools'] === true ? onlyTools(entries) : entries;
}

async function* onlyTools(entries: AsyncIterable<LogEntry>): AsyncGenerator<LogEntry> {
  for await (const entry of entries) {
    if (entry.type === 'attempt' || entry.type === 'tool_use' || entry.type === 'tool_result') yield entry;
  }
}

/** The exact bytes on stdout; headings go to stderr. */
async function printBytes(logs: Logs, request: LogRequest, { stdout, stderr }: Surroundings): Promise<void> {
  for await (const piece of logs.bytes(request)) {
    if (piece.kind === 'attempt' && request.follow)
      stderr.write(`iteration ${piece.iteration}, attempt ${piece.attempt}\n`);
    if (piece.kind === 'attempt' && piece.missing !== undefined)
      stderr.write(`${scrub(missingOutputText(piece.missing))}\n`);
    if (piece.kind === 'bytes' && !(await writePaced(stdout, piece.bytes))) return;
  }
}

async function printJson(
  entries: AsyncIterable<LogEntry>,
  loopId: string,
  stdout: Surroundings['stdout'],
): Promise<void> {
  for await (const { type, ...entry } of entries) {
    if (!(await writePaced(stdout, jsonLine({ type, loopId, ...entry })))) return;
  }
}

interface PageOptions {
  readonly surroundings: Surroundings;
  readonly onlyTools: boolean;
}

async function printPage(
  entries: AsyncIterable<LogEntry>,
  { follow }: LogRequest,
  { surroundings: { stdout }, onlyTools: withResults }: PageOptions,
): Promise<void> {
  const canvas = { paint: paintFor(stdout), width: widthOf(stdout) };
  const page = createLogPage({ canvas, withHeadings: follow, withResults });
  for await (const entry of entries) {
    const text = page.take(entry);
    if (text !== '' && !(await writePaced(stdout, text))) return;
  }
  stdout.write(page.end());
}
