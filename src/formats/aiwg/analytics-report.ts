import * as z from 'zod';

const row = z.looseObject({
  iteration_number: z.int(),
  timestamp: z.string().optional(),
  quality_score: z.number().optional(),
  quality_delta: z.number().optional(),
  tokens_used: z.number().optional(),
  token_cost_usd: z.number().optional(),
  execution_time_ms: z.number().optional(),
  verification_status: z.string().optional(),
});

const analytics = z.looseObject({
  loop_id: z.string(),
  task_description: z.string().optional(),
  start_time: z.string().optional(),
  end_time: z.string().optional(),
  total_iterations: z.number().optional(),
  total_tokens: z.number().optional(),
  total_cost_usd: z.number().optional(),
  selected_iteration: z.number().optional(),
  selection_reason: z.string().optional(),
  quality_trajectory: z.string().optional(),
  diminishing_returns_iteration: z.number().optional(),
  iterations: z.array(row),
});

type Analytics = z.output<typeof analytics>;

const columns = [
  'iteration_number',
  'timestamp',
  'quality_score',
  'quality_delta',
  'tokens_used',
  'token_cost_usd',
  'execution_time_ms',
  'verification_status',
] as const;

/** The iterations of an analytics document as CSV, with a line of headings. */
export function analyticsAsCsv(document: unknown): string {
  const { iterations } = analytics.parse(document);
  const lines = iterations.map((iteration) => columns.map((column) => cell(iteration[column])).join(','));
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}

function cell(value: string | number | undefined): string {
  const text = String(value ?? '');
  return /[",\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** An analytics document as a page of Markdown. */
export function analyticsAsMarkdown(document: unknown): string {
  const found = analytics.parse(document);
  return `${[
    `# ${found.loop_id}`,
    '',
    ...(found.task_description === undefined ? [] : [inline(found.task_description), '']),
    '| Total | |',
    '| --- | --- |',
    ...summaryRows(found).map(([name, value]) => `| ${name} | ${inline(String(value))} |`),
    '',
    '| Iteration | Quality | Change | Tokens | Cost in USD | Checks |',
    '| --- | --- | --- | --- | --- | --- |',
    ...found.iterations.map(iterationRow),
  ].join('\n')}\n`;
}

function summaryRows(found: Analytics): readonly (readonly [string, string | number])[] {
  const rows = [
    ['started', found.start_time],
    ['ended', found.end_time],
    ['iterations', found.total_iterations],
    ['tokens', found.total_tokens],
    ['cost in USD', found.total_cost_usd],
    ['quality', found.quality_trajectory],
    ['little improvement since iteration', found.diminishing_returns_iteration],
    ['selected iteration', found.selected_iteration],
    ['why', found.selection_reason],
  ] as const;
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function iterationRow(iteration: Analytics['iterations'][number]): string {
  const { iteration_number, quality_score, quality_delta, tokens_used, token_cost_usd, verification_status } =
    iteration;
  const cells = [iteration_number, quality_score, quality_delta, tokens_used, token_cost_usd, verification_status];
  return `| ${cells.map((value) => inline(String(value ?? ''))).join(' | ')} |`;
}

/** Text that cannot break out of its cell. */
function inline(text: string): string {
  return text.replace(/\s+/gu, ' ').replaceAll('|', '\\|').trim();
}

/** The results of several loops together. */
export interface CrossLoopSummary {
  /** How many loops there are. */
  readonly total_loops_run: number;
  /** How many iterations a loop took. */
  readonly average_iterations_per_loop: number;
  /** From the first to the last iteration of a loop, in points. */
  readonly average_quality_improvement: number;
  /** Of the loops whose cost is known; missing if that is none. */
  readonly average_cost_per_loop?: number;
}

/** Summarises the analytics documents of several loops. */
export function summariseLoops(documents: readonly unknown[]): CrossLoopSummary {
  const loops = documents.map((document) => analytics.parse(document));
  const costs = loops.flatMap(({ total_cost_usd }) => total_cost_usd ?? []);
  return {
    total_loops_run: loops.length,
    average_iterations_per_loop: average(loops.map((loop) => loop.total_iterations ?? loop.iterations.length)),
    average_quality_improvement: average(loops.map(improvement)),
    ...(costs.length === 0 ? {} : { average_cost_per_loop: average(costs) }),
  };
}

function improvement({ iterations }: Analytics): number {
  return (iterations.at(-1)?.quality_score ?? 0) - (iterations[0]?.quality_score ?? 0);
}

function average(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
