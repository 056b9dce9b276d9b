import path from 'node:path';
import { type LoopReport, readReport, writeDocument } from '../../app/index.ts';
import { exitCodes } from '../../base/index.ts';
import { oneOfOptions } from '../one-of-options.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import { widthOf } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { phraseReport } from '../words/report.ts';

const forms = ['markdown', 'html', 'json'] as const;

/** `ralphd report`: the task of a loop, its result and how well it is proven. */
export async function reportCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { stdout, cwd } = surroundings;
  const form = oneOfOptions(options, forms);
  const found = await readReport(await placeFor(invocation, surroundings), args[0], appContext(surroundings));
  const nowMs = Date.now();
  const { out } = options;
  const printed = await print(found, { form, nowMs, stdout });
  if (typeof out !== 'string') {
    stdout.write(printed);
    return exitCodes.completed;
  }
  writeDocument(path.resolve(cwd, out), printed);
  stdout.write(`Wrote the report of ${found.loop.id} to ${out}.\n`);
  return exitCodes.completed;
}

interface Printing {
  readonly form: (typeof forms)[number] | undefined;
  readonly nowMs: number;
  readonly stdout: NodeJS.WriteStream;
}

async function print(found: LoopReport, { form, nowMs, stdout }: Printing): Promise<string> {
  const text = phraseReport(found, nowMs);
  switch (form) {
    case 'json':
      return jsonLine({ ...found.report, files: found.files ?? null, chain: found.chain ?? [], text });
    case 'markdown':
      return (await import('../output/report/report-markdown.ts')).reportMarkdown(text);
    case 'html':
      return (await import('../output/report/report-html.ts')).reportHtml(text, new Date(nowMs).toISOString());
    default: {
      const { reportLines } = await import('../output/report/report-lines.ts');
      const canvas = { paint: paintFor(stdout), width: widthOf(stdout) };
      return `${reportLines(text, canvas).join('\n')}\n`;
    }
  }
}
