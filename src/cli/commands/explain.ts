import { type LoopView, showEvaluations, showLoop } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import { type Explanation, explain, type ShownLoop } from '../../core/index.ts';
import { evaluationLines } from '../output/evaluation-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paceText } from '../output/pace-words.ts';
import { paintFor } from '../output/paint.ts';
import { oneLine, widthOf, wrapLine } from '../output/plain.ts';
import { type Canvas, ruleLines, rulesTitle } from '../output/rule-lines.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd explain`: why a loop stopped, waits or rests, or what would stop it next. */
export async function explainCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const place = await placeFor(invocation, surroundings);
  const view = await showLoop(place, invocation.args[0]);
  const { stdout } = surroundings;
  const explanation = explain(view.loop, { nowMs: Date.now(), shownStatus: view.shownStatus });
  const { id: loopId, reason } = view.loop;
  const history = invocation.options['history'] === true ? await showEvaluations(place, loopId) : undefined;
  if (invocation.options['json'] === true) {
    stdout.write(jsonLine({ loopId, status: view.shownStatus, reason, ...explanation, history }));
  } else {
    const canvas = { paint: paintFor(stdout), width: widthOf(stdout) };
    const lines = [...explainLines(view, explanation, canvas), ...evaluationLines(history ?? [], canvas)];
    stdout.write(`${lines.join('\n')}\n`);
  }
  return 0;
}

/** An explanation for a person. */
export function explainLines(
  { loop, shownStatus }: LoopView<ShownLoop>,
  explanation: Explanation,
  canvas: Canvas,
): string[] {
  const { headline, because, evidence, rules, next, doubts, warnings } = explanation;
  const { paint, width } = canvas;
  const colour = { completed: paint.good, running: paint.note, paused: paint.warn }[shownStatus as string] ?? paint.bad;
  const progress = paceText(loop);
  return [
    paint.bold(loop.id),
    ...wrapLine(oneLine(headline, 300), width - 2).map((line) => `  ${colour(line)}`),
    '',
    ...labelled('because', because, canvas),
    ...labelled(
      'look at',
      doubts.map(({ message }) => message),
      canvas,
    ),
    ...labelled('warning', warnings, canvas),
    ...labelled('seen', evidence, canvas),
    ...labelled('proof', loop.status === 'completed' && loop.proof !== undefined ? [loop.proof] : [], canvas),
    ...labelled('progress', progress === undefined ? [] : [progress], canvas),
    ...(rules.length === 0 ? [] : ['', paint.dim(`  ${rulesTitle(loop.status)}`), ...ruleLines(rules, canvas)]),
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
