import type { AgentEvent } from '../_shared/event.ts';
import { asObject, asText, type Json, known } from '../_shared/json.ts';
import { detailOf } from '../_shared/tool-detail.ts';

/** Reads the use of tools; a result does not repeat the tool's name. */
export interface ToolReader {
  used(event: Json): readonly AgentEvent[];
  answered(event: Json): readonly AgentEvent[];
  /** What a shell command printed, if the event is the result of one that was not read yet. */
  printed(event: Json): readonly string[];
}

const deniedTypes = new Set(['execution_denied', 'policy_violation', 'permission_denied']);
const deniedWords = /requires user confirmation|denied by policy|not allowed by policy/i;

/** Starts with no tool in use. */
export function createToolReader(): ToolReader {
  const names = new Map<string, string>();
  const commands = new Map<string, string>();
  return {
    used(event) {
      const id = asText(event['tool_id']) ?? '';
      const name = asText(event['tool_name']) ?? '';
      names.set(id, name);
      const command = asText(asObject(event['parameters'])?.['command']);
      if (command !== undefined) commands.set(id, command);
      const use: AgentEvent = { type: 'tool_use', id, name, ...known({ detail: detailOf(event['parameters']) }) };
      // Such a command outlives its tool call, and is lost or left running at the end.
      const isBackground = asObject(event['parameters'])?.['is_background'] === true;
      return isBackground ? [use, { type: 'background', id, running: true }] : [use];
    },
    printed(event) {
      const output = event['type'] === 'tool_result' ? asText(event['output']) : undefined;
      return output !== undefined && commands.has(asText(event['tool_id']) ?? '') ? [output] : [];
    },
    answered(event) {
      const id = asText(event['tool_id']) ?? '';
      const tool = names.get(id) ?? '';
      const command = commands.get(id);
      names.delete(id);
      commands.delete(id);
      const ok = event['status'] === 'success';
      const error = asObject(event['error']);
      const isDenied =
        deniedTypes.has((asText(error?.['type']) ?? '').toLowerCase()) ||
        deniedWords.test(asText(error?.['message']) ?? '');
      const answer: AgentEvent = { type: 'tool_result', id, ok };
      return !ok && isDenied
        ? [answer, { type: 'permission_denied', tool, ...(command !== undefined && { command }) }]
        : [answer];
    },
  };
}
