import type { AgentEvent } from '../_shared/event.ts';
import { asObject, asObjects, asText, type Json } from '../_shared/json.ts';

/** Keeps track of the tasks that run in the background. */
export interface Tasks {
  /** One task was started; tasks are announced in more than one way. */
  started(id: unknown): readonly AgentEvent[];
  ended(id: unknown): readonly AgentEvent[];
  /** Only these tasks remain. */
  only(tasks: unknown): readonly AgentEvent[];
  /** A task has changed; it may have ended. */
  updated(event: Json): readonly AgentEvent[];
}

const ends = new Set(['completed', 'failed', 'killed', 'stopped', 'cancelled']);

/** Starts with no task. */
export function createTasks(): Tasks {
  const running = new Set<string>();
  const started = (id: unknown): readonly AgentEvent[] => {
    const task = asText(id);
    if (task === undefined || running.has(task)) return [];
    running.add(task);
    return [{ type: 'background', id: task, running: true }];
  };
  const ended = (id: unknown): readonly AgentEvent[] => {
    const task = asText(id);
    if (task === undefined || !running.delete(task)) return [];
    return [{ type: 'background', id: task, running: false }];
  };
  return {
    started,
    ended,
    only(tasks) {
      const left = asObjects(tasks).map((task) => asText(task['task_id']));
      return [...[...running].filter((id) => !left.includes(id)).flatMap(ended), ...left.flatMap(started)];
    },
    updated(event) {
      const status = asText(asObject(event['patch'])?.['status']);
      return status !== undefined && ends.has(status) ? ended(event['task_id']) : [];
    },
  };
}
