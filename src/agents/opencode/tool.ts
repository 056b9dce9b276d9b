import type { AgentEvent } from '../_shared/event.ts';
import { asCount, asObject, asText, type Json, known } from '../_shared/json.ts';
import { detailOf } from '../_shared/tool-detail.ts';

const denied = /rejected permission|rule which prevents you from using|permission (?:was )?(?:denied|rejected)/i;

function commandIn(state: Json): { readonly command?: string } {
  const command = asText(asObject(state['input'])?.['command']);
  return command === undefined ? {} : { command };
}

/** A tool is reported once it is done, with its result. */
export function readTool(part: Json): readonly AgentEvent[] {
  const id = asText(part['callID']) ?? asText(part['id']) ?? '';
  const name = asText(part['tool']) ?? '';
  const state = asObject(part['state']) ?? {};
  const exit = asCount(asObject(state['metadata'])?.['exit']) ?? 0;
  const isDenied = state['status'] === 'error' && denied.test(asText(state['error']) ?? '');
  return [
    { type: 'tool_use', id, name, ...known({ detail: detailOf(state['input']) }) },
    { type: 'tool_result', id, ok: state['status'] === 'completed' && exit === 0 },
    ...(isDenied ? [{ type: 'permission_denied', tool: name, ...commandIn(state) } as const] : []),
  ];
}
