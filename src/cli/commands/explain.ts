import { findLoop, findSuccessor, type LoopView, readHistory } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import { explain, isTerminal, paceOf } from '../../core/index.ts';
import { evaluationLines } from '../output/evaluation-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import { oneLine, widthOf, wrapLine } from '../output/plain.ts';
import { type Canvas, ruleLines, rulesTitle } from '../output/rule-lines.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';
import { type ExplanationText, phraseExplanation } from '../words/explanation.ts';
import { paceText, returnsText } from '../words/pace.ts';
import { sessionText } from '../words/session.ts';

/** `ralphd explain`: why a loop stopped, paused or is waiting, or what would stop it next. */
export async function explainCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const place = await placeFor(invocation, surroundings);
  const view = findLoop(place, invocation.args[0], { orNewest: true });
  const { stdout } = surroundings;
  const explanation = phraseExplanation(
    explain(view.loop, { nowMs: Date.now(), shownStatus: view.shownStatus, wakeAt: view.wakeAt }),
    view.loop,
  );
  const {
    id: loopId,
    outcome: { reason },
    origin: { resumedFrom },
  } = view.loop;
  const continuedBy = await findSuccessor(place, view.loop);
  const history = invocation.options['history'] === true ? await readHistory(place, loopId) : undefined;
  if (invocation.options['json'] === true) {
    stdout.write(
      jsonLine({ loopId, status: view.shownStatus, reason, resumedFrom, continuedBy, ...explanation, history }),
    );
  } else {
    const canvas = { paint: paintFor(stdout), width: widthOf(stdout) };
    const lines = [
      ...explainLines(view, explanation, canvas),
      ...labelled('next loop', continuedBy === undefined ? [] : [continuedBy], canvas),
      ...evaluationLines(history ?? [], canvas),
    ];
    stdout.write(`${lines.join('\n')}\n`);
  }
  return 0;
}

/** An explanation for a person. */
export function explainLines({ loop, shownStatus }: LoopView, explanation: ExplanationText, canvas: Canvas): string[] {
  const { headline, because, evidence, rules, next, doubts, warnings } = explanation;
  const { paint, width } = canvas;
  const colour = { completed: paint.good, running: paint.note, paused: paint.warn }[shownStatus as string] ?? paint.bad;
  const progress = paceText(paceOf(loop), loop.status);
  const returns = returnsText(paceOf(loop), loop.status);
  const session = isTerminal(loop.status) ? undefined : sessionText(explanation.session, loop.id);
  return [
    paint.bold(loop.id),
    ...wrapLine(oneLine(headline, 300), width - 2).map((line) => `  ${colour(line)}`),
    '',
    ...labelled('because', because, canvas),
    ...labelled('continues', loop.origin.resumedFrom === undefined ? [] : [loop.origin.resumedFrom], canvas),
    ...labelled(
      'look at',
      doubts.map(({ message }) => message),
      canvas,
    ),
    ...labelled('warning', warnings, canvas),
    ...labelled('evidence', evidence, canvas),
    ...labelled(
      'proof',
      loop.status === 'completed' && loop.outcome.proof !== undefined ? [loop.outcome.proof] : [],
      canvas,
    ),
    ...labelled('progress', progress === undefined ? [] : [progress], canvas),
    ...labelled('returns', returns === undefined ? [] : [returns], canvas),
    ...labelled('session', session === undefined ? [] : [session], canvas),
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
