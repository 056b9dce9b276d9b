import path from 'node:path';
import { readLinkedText } from '../../workspace/index.ts';

/** The task that a project describes. */
export interface FoundTask {
  readonly file: string;
  /** Whether the file is a prompt that `run` reads by default, a prompt with another name, or a list of tasks. */
  readonly kind: 'default' | 'prompt' | 'list';
  /** The promise that the text asks the agent for, if it asks for exactly one. */
  readonly promise?: string;
}

const kinds: readonly (readonly [FoundTask['kind'], readonly string[]])[] = [
  ['default', ['PROMPT.md', 'prompt.md']],
  ['prompt', ['.ralph/PROMPT.md', 'PROMPT_build.md', 'RALPH.md', 'TASK.md']],
  [
    'list',
    [
      'prd.json',
      'PRD.md',
      'PRD.json',
      'scripts/ralph/prd.json',
      'IMPLEMENTATION_PLAN.md',
      '.ralph/fix_plan.md',
      '@fix_plan.md',
      'fix_plan.md',
      'tasks.yaml',
      'tasks.md',
      'TASKS.md',
      'TODO.md',
    ],
  ],
];

/** The task of a project: a prompt file, else a list of tasks. */
export function findTask(folder: string): FoundTask | undefined {
  for (const [kind, names] of kinds) {
    const file = names.find((name) => isUsable(path.join(folder, name), kind));
    if (file !== undefined) return { kind, file, ...promiseIn(readLinkedText(path.join(folder, file)) ?? '') };
  }
  return undefined;
}

// An empty file is no task, and another tool's placeholders would be unknown variables.
function isUsable(file: string, kind: FoundTask['kind']): boolean {
  const text = readLinkedText(file)?.trim() ?? '';
  return text !== '' && (kind !== 'prompt' || !text.includes('{{'));
}

function promiseIn(text: string): Pick<FoundTask, 'promise'> {
  const [promise, ...others] = new Set(
    [...text.matchAll(/<promise>\s*([\w .!-]{1,80}?)\s*<\/promise>/gu)].map(([, each]) => each),
  );
  return promise === undefined || others.length > 0 ? {} : { promise };
}
