import type { AgentEvent } from '../_shared/event.ts';
import { asObject, asObjects, asText, type Json, known } from '../_shared/json.ts';
import { detailOf, shortDetail } from '../_shared/tool-detail.ts';

/** Reads the items of a thread: messages, commands, changes to files, calls of tools. */
export interface ItemReader {
  started(item: Json): readonly AgentEvent[] | undefined;
  completed(item: Json): readonly AgentEvent[] | undefined;
  /** What is still running when the turn ends. */
  left(): readonly AgentEvent[];
}

const words = new Set(['reasoning', 'plan', 'todo_list', 'user_message', 'context_compaction']);
const tools = new Set([
  'command_execution',
  'file_change',
  'mcp_tool_call',
  'collab_tool_call',
  'web_search',
  'image_view',
  'image_generation',
]);
const workingStates = new Set(['pending_init', 'running']);

/** Starts with no item. */
export function createItemReader(): ItemReader {
  const open = new Map<string, string>();

  const start = (item: Json, type: string): readonly AgentEvent[] => {
    const id = asText(item['id']) ?? '';
    if (open.has(id)) return [];
    open.set(id, type);
    return [{ type: 'tool_use', id, name: asText(item['tool']) ?? type, ...known({ detail: detailIn(item) }) }];
  };
  const end = (item: Json, type: string): readonly AgentEvent[] => {
    const id = asText(item['id']) ?? '';
    const status = asText(item['status']);
    const events: AgentEvent[] = [...start(item, type)];
    open.delete(id);
    events.push({ type: 'tool_result', id, ok: status === undefined || status === 'completed' });
    const command = asText(item['command']);
    const tool = asText(item['tool']) ?? type;
    if (status === 'declined') events.push({ type: 'permission_denied', tool, ...(command && { command }) });
    return [...events, ...agentsOf(item)];
  };

  return {
    started(item) {
      const type = asText(item['type']) ?? '';
      if (tools.has(type)) return start(item, type);
      return isKnown(type) ? [] : undefined;
    },
    completed(item) {
      const type = asText(item['type']) ?? '';
      if (tools.has(type)) return end(item, type);
      const text = item['text'];
      if (type === 'agent_message') {
        return typeof text === 'string'
          ? [{ type: 'text', message: asText(item['id']) ?? '', text, append: false }]
          : undefined;
      }
      // Notices such as an unknown model or a change of transport: the turn continues.
      if (type === 'error') {
        return [{ type: 'error', outcome: 'unknown', message: asText(item['message']) ?? '', fatal: false }];
      }
      return isKnown(type) ? [] : undefined;
    },
    left() {
      const commands = [...open].filter(([, type]) => type === 'command_execution');
      return commands.map(([id]) => ({ type: 'background', id, running: true }));
    },
  };
}

/** What an item is about: its command without the shell around it, the files it changes, or the tool's argument. */
function detailIn(item: Json): string | undefined {
  const command = asText(item['command']);
  if (command !== undefined) return shortDetail(/^\S*sh -lc '([^']*)'$/s.exec(command)?.[1] ?? command);
  const changed = asObjects(item['changes']);
  if (changed.length > 0) return shortDetail(changed.map(({ path }) => path));
  return detailOf(item) ?? detailOf(item['arguments']);
}

function isKnown(type: string): boolean {
  return words.has(type) || type === 'agent_message' || type === 'error';
}

/** Other agents that work for this one, and whether they still do. */
function agentsOf(item: Json): readonly AgentEvent[] {
  return Object.entries(asObject(item['agents_states']) ?? {}).map(([id, state]) => ({
    type: 'background',
    id,
    running: workingStates.has(asText(asObject(state)?.['status']) ?? ''),
  }));
}
