import * as z from 'zod';
import { escapeMarkdown, scrub } from '../../base/index.ts';
import { type CsvValue, csvText } from '../csv.ts';

const row = z.looseObject({
  loop_id: z.string().nullish(),
  iteration_number: z.int(),
  timestamp: z.string().optional(),
  quality_score: z.number().optional(),
  /** False for a score that was only carried over, because the schema requires one. */
  quality_measured: z.boolean().optional(),
  quality_delta: z.number().optional(),
  tokens_used: z.number().optional(),
  token_cost_usd: z.number().optional(),
  execution_time_ms: z.number().optional(),
  verification_status: z.string().optional(),
  output_snapshot_path: z.string().optional(),
  reflections: z.array(z.string()).optional(),
});

/** The part of an analytics document that exports and summaries need. */
export const analytics = z.looseObject({
  loop_id: z.string(),
  task_description: z.string().optional(),
  start_time: z.string().optional(),
  end_time: z.string().optional(),
  status: z.string().optional(),
  reason: z.string().optional(),
  verified: z.boolean().optional(),
  total_iterations: z.number().optional(),
  total_tokens: z.number().optional(),
  total_cost_usd: z.number().optional(),
  total_time_ms: z.number().optional(),
  final_iteration: z.number().optional(),
  optimal_iteration: z.number().optional(),
  selected_iteration: z.number().optional(),
  selection_reason: z.string().optional(),
  quality_trajectory: z.string().optional(),
  diminishing_returns_detected: z.boolean().optional(),
  diminishing_returns_iteration: z.number().optional(),
  iterations: z.array(row),
});

type Analytics = z.output<typeof analytics>;
type Row = Analytics['iterations'][number];

/** The score of an iteration, if it was measured. */
export function measuredScore({ quality_score, quality_measured }: Row): number | undefined {
  return quality_measured === false ? undefined : quality_score;
}

const iterationColumns: Readonly<Record<string, (row: Row) => CsvValue>> = {
  loop_id: ({ loop_id }) => loop_id ?? undefined,
  iteration_number: ({ iteration_number }) => iteration_number,
  timestamp: ({ timestamp }) => timestamp,
  quality_score: measuredScore,
  quality_delta: ({ quality_delta }) => quality_delta,
  tokens_used: ({ tokens_used }) => tokens_used,
  token_cost_usd: ({ token_cost_usd }) => token_cost_usd,
  execution_time_ms: ({ execution_time_ms }) => execution_time_ms,
  verification_status: ({ verification_status }) => verification_status,
  output_snapshot_path: ({ output_snapshot_path }) => output_snapshot_path,
  reflections: ({ reflections }) => reflections?.join(' '),
};

const loopColumns = [
  'loop_id',
  'task_description',
  'status',
  'reason',
  'verified',
  'start_time',
  'end_time',
  'total_iterations',
  'total_tokens',
  'total_cost_usd',
  'total_time_ms',
  'final_iteration',
  'optimal_iteration',
  'selected_iteration',
  'selection_reason',
  'quality_trajectory',
  'diminishing_returns_detected',
  'diminishing_returns_iteration',
] as const;

/** The iterations of an analytics document as CSV, with a line of headings. What is unknown is an empty cell. */
export function analyticsAsCsv(document: unknown): string {
  const { iterations } = analytics.parse(document);
  const columns = Object.entries(iterationColumns);
  const rows = iterations.map((iteration) => columns.map(([, read]) => read(iteration)));
  return csvText(
    columns.map(([name]) => name),
    rows,
  );
}

/** The analytics documents of several loops as CSV, one line for each loop. */
export function loopsAsCsv(documents: readonly unknown[]): string {
  const loops = documents.map((document) => analytics.parse(document));
  return csvText(
    loopColumns,
    loops.map((loop) => loopColumns.map((column) => loop[column])),
  );
}

/** An analytics document as a page of Markdown. */
export function analyticsAsMarkdown(document: unknown): string {
  const found = analytics.parse(document);
  return page([
    `# ${inline(found.loop_id)}`,
    inline(found.task_description),
    table(['Total', ''], summaryRows(found)),
    table(
      ['Iteration', 'Quality', 'Change', 'Tokens', 'Cost in USD', 'Time in ms', 'Checks', 'Reflections'],
      found.iterations.map((iteration) => [
        iteration.iteration_number,
        measuredScore(iteration),
        iteration.quality_delta,
        iteration.tokens_used,
        iteration.token_cost_usd,
        iteration.execution_time_ms,
        iteration.verification_status,
        iteration.reflections?.join(' '),
      ]),
    ),
  ]);
}

/** The analytics documents of several loops as a page of Markdown. */
export function loopsAsMarkdown(documents: readonly unknown[]): string {
  const loops = documents.map((document) => analytics.parse(document));
  const { total_loops_run, ...averages } = summariseLoops(documents);
  return page([
    '# Loops',
    table(
      ['Total', ''],
      [
        ['loops', total_loops_run],
        ['iterations per loop', averages.average_iterations_per_loop],
        ['quality gained per loop', averages.average_quality_improvement],
        ['cost per loop in USD', averages.average_cost_per_loop],
      ].filter(([, value]) => value !== undefined),
    ),
    table(
      ['Loop', 'Task', 'Status', 'Iterations', 'Quality', 'Selected', 'Why', 'Tokens', 'Cost in USD'],
      loops.map((loop) => [
        loop.loop_id,
        loop.task_description,
        loop.status,
        loop.total_iterations,
        loop.quality_trajectory,
        loop.selected_iteration,
        loop.selection_reason,
        loop.total_tokens,
        loop.total_cost_usd,
      ]),
    ),
  ]);
}

function summaryRows(found: Analytics): readonly (readonly CsvValue[])[] {
  const rows = [
    ['status', found.status],
    ['started', found.start_time],
    ['ended', found.end_time],
    ['iterations', found.total_iterations],
    ['tokens', found.total_tokens],
    ['cost in USD', found.total_cost_usd],
    ['quality', found.quality_trajectory],
    ['little improvement since iteration', found.diminishing_returns_iteration],
    ['final iteration', found.final_iteration],
    ['selected iteration', found.selected_iteration],
    ['why', found.selection_reason],
  ] as const;
  return rows.filter(([, value]) => value !== undefined);
}

function page(blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function table(titles: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  const line = (cells: readonly CsvValue[]) => `| ${cells.map(inline).join(' | ')} |`;
  return [line(titles), `|${titles.map(() => ' --- |').join('')}`, ...rows.map(line)].join('\n');
}

/** Text on one line that can neither become markup nor leave its cell. */
function inline(value: CsvValue): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  return escapeMarkdown(scrub(value).replaceAll(/\s+/gu, ' ').trim());
}

/** The results of several loops together. What no loop says is missing. */
export interface CrossLoopSummary {
  /** How many loops there are. */
  readonly total_loops_run: number;
  /** How many iterations a loop took. */
  readonly average_iterations_per_loop?: number;
  /** From the first to the last measured iteration of a loop, in points; of the loops with at least two of them. */
  readonly average_quality_improvement?: number;
  /** Of the loops whose cost is known. */
  readonly average_cost_per_loop?: number;
}

/** Summarises the analytics documents of several loops. */
export function summariseLoops(documents: readonly unknown[]): CrossLoopSummary {
  const loops = documents.map((document) => analytics.parse(document));
  const averages = {
    average_iterations_per_loop: average(loops.map((loop) => loop.total_iterations ?? loop.iterations.length)),
    average_quality_improvement: average(loops.flatMap(improvement)),
    average_cost_per_loop: average(loops.flatMap(({ total_cost_usd }) => total_cost_usd ?? [])),
  };
  const known = Object.entries(averages).filter(([, value]) => value !== undefined);
  return { total_loops_run: loops.length, ...Object.fromEntries(known) };
}

function improvement({ iterations }: Analytics): readonly number[] {
  const scores = iterations.flatMap((iteration) => measuredScore(iteration) ?? []);
  const [first, last] = [scores[0], scores.at(-1)];
  return scores.length < 2 || first === undefined || last === undefined ? [] : [last - first];
}

function average(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
