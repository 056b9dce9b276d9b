import { type LoopView, showLoop } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import { type Explanation, explain, type ShownLoop } from '../../core/index.ts';
import { jsonLine } from '../output/json-line.ts';
import { paceText } from '../output/pace-words.ts';
import { paintFor } from '../output/paint.ts';
import { oneLine, widthOf, wrapLine } from '../output/plain.ts';
import { type Canvas, ruleLines } from '../output/rule-lines.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd explain`: why a loop stopped, waits or rests, or what would stop it next. */
export async function explainCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const view = await showLoop(await placeFor(invocation, surroundings), invocation.args[0]);
  const { stdout } = surroundings;
  const explanation = explain(view.loop, { nowMs: Date.now(), shownStatus: view.shownStatus });
  if (invocation.options['json'] === true) {
    const { id: loopId, reason } = view.loop;
    stdout.write(jsonLine({ loopId, status: view.shownStatus, reason, ...explanation }));
  } else {
    const canvas = { paint: paintFor(stdout), width: widthOf(stdout) };
    stdout.write(`${explainLines(view, explanation, canvas).join('\n')}\n`);
  }
  return 0;
}

/** An explanation for a person. */
export function explainLines(
  { loop, shownStatus }: LoopView<ShownLoop>,
  explanation: Explanation,
  canvas: Canvas,
): string[] {
  const { headline, because, evidence, rules, next } = explanation;
  const { paint, width } = canvas;
  const colour = { completed: paint.good, running: paint.note, paused: paint.warn }[shownStatus as string] ?? paint.bad;
  const progress = paceText(loop);
  return [
    paint.bold(loop.id),
    ...wrapLine(oneLine(headline, 300), width - 2).map((line) => `  ${colour(line)}`),
    '',
    ...labelled('because', because, canvas),
    ...labelled('seen', evidence, canvas),
    ...labelled('progress', progress === undefined ? [] : [progress], canvas),
    '',
    paint.dim('  stop rules, the nearest first'),
    ...ruleLines(rules, canvas),
    '',
    paint.dim('  next'),
    ...next.flatMap(({ command, does }) => [
      `  ${scrub(command)}`,
      ...wrapLine(does, width - 6).map((line) => paint.dim(`      ${line}`)),
    ]),
  ];
}

function labelled(name: string, texts: readonly string[], { paint, width }: Canvas): string[] {
  const lines = texts.flatMap((text) => wrapLine(oneLine(text, 300), width - 12));
  return lines.map((line, index) => `  ${paint.dim((index === 0 ? name : '').padEnd(9))} ${line}`);
}
