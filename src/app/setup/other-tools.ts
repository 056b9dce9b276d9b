import path from 'node:path';
import { lookInProject, nodeFiles } from '../../files/index.ts';

/** A file that another tool for loops reads or leaves in a project. */
export interface ToolTrace {
  readonly file: string;
  readonly tool: string;
}

/** Files by which other tools for loops are recognised. */
const traces: readonly (readonly [file: string, tool: string])[] = [
  ['.ralphrc', 'ralph-claude-code'],
  ['.ralph/.circuit_breaker_state', 'ralph-claude-code'],
  ['ralph.yml', 'ralph-orchestrator'],
  ['.ralph/events.jsonl', 'ralph-orchestrator'],
  ['.ralph/ralph-loop.state.json', 'open-ralph-wiggum'],
  ['.ralph-tui/config.toml', 'ralph-tui'],
  ['.ralphy/config.yaml', 'ralphy'],
  ['.ralphex/config', 'ralphex'],
  ['ralph.toml', 'ralphify'],
  ['autoloops.toml', 'autoloop'],
  ['scripts/ralph/ralph.sh', 'snarktank/ralph'],
  ['PROMPT_build.md', 'ralph-playbook'],
  ['SHARED_TASK_NOTES.md', 'continuous-claude'],
  ['martin.config.yaml', 'martin'],
  ['.sandcastle', 'sandcastle'],
  ['.aiwg/ralph', 'AIWG'],
  ['.aiwg/ralph-external', 'AIWG'],
  ['.ralph/state.json', 'Tachikoma'],
  ['.ultraplan/state/ralph-loop.json', 'ultraplan'],
  ['.claude/ralph-loop.local.md', "Claude Code's loop plugin"],
  ['.sisyphus/ralph-loop.local.md', 'oh-my-opencode'],
];

/** What other tools for loops left in a project; each tool is named once. */
export function findToolTraces(folder: string): readonly ToolTrace[] {
  const found = traces.filter(([file]) => lookInProject(nodeFiles, path.join(folder, file)) !== undefined);
  return found
    .filter(([, tool], index) => found.findIndex((each) => each[1] === tool) === index)
    .map(([file, tool]) => ({ file, tool }));
}
