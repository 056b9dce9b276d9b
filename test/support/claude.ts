import type { Project } from './project.ts';

/** What a fake Claude Code does and prints. */
export interface FakeClaude {
  /** Shell lines that do the work; the prompt is in `heard`. */
  readonly work?: readonly string[];
  readonly text?: string;
  readonly session?: string;
  /** Tokens in its context window of 200,000. */
  readonly used?: number;
}

/** Writes a program that prints like Claude Code and works like a script. */
export function writeClaude(project: Project, name: string, claude: FakeClaude = {}): void {
  const { work = ['echo more >> work'], text = 'Working on it.', session = 'session-1', used = 1_000 } = claude;
  const usage = { input_tokens: used, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
  const model = 'claude-opus-5-5';
  const message = { id: 'm1', type: 'message', role: 'assistant', model, content: [{ type: 'text', text }], usage };
  const lines = [
    { type: 'system', subtype: 'init', session_id: session, model, tools: [] },
    { type: 'assistant', message, session_id: session },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: text,
      session_id: session,
      usage,
      modelUsage: { [model]: { contextWindow: 200_000 } },
      total_cost_usd: 0,
    },
  ];
  const stream = lines.map((line) => JSON.stringify(line)).join('\n');
  project.write(`${name}.stream`, `${stream}\n`);
  const version = '[ "$1" = --version ] && { echo "2.1.325 (Claude Code)"; exit 0; }';
  project.script(name, version, 'cat > heard', ...work, `cat ${name}.stream`);
}
