import type { Evaluation } from '../../core/index.ts';
import { oneLine, wrapLine } from './plain.ts';
import type { Canvas } from './rule-lines.ts';

const indent = 13;

/** How the rules changed from iteration to iteration; empty unless requested. */
export function evaluationLines(history: readonly Evaluation[], { paint, width }: Canvas): string[] {
  if (history.length === 0) return [];
  return [
    '',
    paint.dim('  changes of rules and conditions after each iteration'),
    ...history.flatMap((evaluation) => {
      const [first = '', ...rest] = wrapLine(oneLine(evaluationText(evaluation), 500), width - indent);
      return [
        `  ${String(evaluation.iteration).padStart(indent - 4)}  ${first}`,
        ...rest.map((line) => `${' '.repeat(indent)}${line}`),
      ];
    }),
  ];
}

function evaluationText({ verdict, by, moved }: Evaluation): string {
  const movements = moved.map(({ name, near, delta }) => `${name} ${nearText(near)}${deltaText(delta)}`);
  const triggers = by.length === 0 ? '' : ` (${by.join(', ')})`;
  return [...(verdict === 'continue' && triggers === '' ? [] : [`${outcomes[verdict]}${triggers}`]), ...movements].join(
    '; ',
  );
}

const outcomes = { continue: 'checks ran', success: 'success', failure: 'stopped' } as const;

function nearText(near: number | null): string {
  return near === null ? 'unknown' : near.toFixed(3);
}

function deltaText(delta: number | undefined): string {
  return delta === undefined ? '' : ` (${delta > 0 ? '+' : ''}${delta.toFixed(3)})`;
}
