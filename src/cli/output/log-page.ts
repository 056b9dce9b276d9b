import type { LogEntry } from '../../app/index.ts';
import { createScrubber, scrub } from '../../base/index.ts';
import { missingOutputText } from '../words/missing-output.ts';
import { oneLine } from './plain.ts';
import type { Canvas } from './rule-lines.ts';

/** How the output of agents is shown. */
export interface LogPageOptions {
  readonly canvas: Canvas;
  readonly withHeadings: boolean;
  /** Shows a tool call once its result is known instead of when it begins. */
  readonly withResults: boolean;
}

/** Turns entries into text for a terminal, piece by piece. */
export interface LogPage {
  take(entry: LogEntry): string;
  /** The remaining text after the last entry. */
  end(): string;
}

const maxColumns = 200;

/** An empty page. The agent's text is kept as written; everything else gets a line of its own. */
export function createLogPage({ canvas: { paint, width }, withHeadings, withResults }: LogPageOptions): LogPage {
  let scrubber = createScrubber();
  let isInLine = false;
  let hasContent = false;
  const columns = Math.min(maxColumns, width) - 4;
  /** Calls without a result so far. */
  const open = new Map<string, string>();

  const put = (text: string) => {
    if (text === '') return '';
    isInLine = !text.endsWith('\n');
    hasContent = true;
    return text;
  };
  const flow = (text: string) => put(scrubber.push(text));
  /** Ends the current line of text. */
  const closeLine = () => {
    const rest = put(scrubber.end());
    scrubber = createScrubber();
    return rest + (isInLine ? put('\n') : '');
  };
  const line = (text: string) => closeLine() + put(`${text}\n`);
  const mark = (sign: string, text: string) => line(`  ${sign} ${oneLine(text, columns)}`);
  const closeCalls = () => {
    const left = [...open.values()].map((call) => mark(paint.warn('?'), `${call} (no result)`)).join('');
    open.clear();
    return left;
  };
  const heading = (iteration: number, attempt: number) => {
    const before = closeCalls() + closeLine() + (hasContent && withHeadings ? put('\n') : '');
    const title = `iteration ${iteration}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
    return before + (withHeadings ? put(`${paint.bold(title)}\n`) : '');
  };

  const absence = ({ missing }: Extract<LogEntry, { type: 'attempt' }>) =>
    missing === undefined ? '' : line(paint.dim(scrub(missingOutputText(missing))));

  return {
    take(entry) {
      switch (entry.type) {
        case 'attempt':
          return heading(entry.iteration, entry.attempt) + absence(entry);
        case 'text':
          return (entry.startsMessage ? closeLine() : '') + flow(entry.text);
        case 'tool_use':
          if (!withResults) return mark(paint.note('→'), callText(entry));
          open.set(entry.id, callText(entry));
          return '';
        case 'tool_result':
          if (!withResults) return entry.ok ? '' : mark(paint.bad('✗'), `${callText(entry)} failed`);
          open.delete(entry.id);
          return entry.ok ? mark(paint.good('✓'), callText(entry)) : mark(paint.bad('✗'), `${callText(entry)} failed`);
        case 'permission_denied':
          return mark(paint.warn('!'), `permission denied: ${entry.tool}`);
        case 'retry':
          return mark(paint.warn('!'), `the agent retries: ${entry.why}`);
        case 'error':
          return mark(paint.bad('!'), entry.message);
      }
    },
    end: () => closeCalls() + closeLine(),
  };
}

function callText({ name, detail }: { readonly name: string; readonly detail?: string }): string {
  return [name === '' ? 'tool' : name, ...(detail === undefined ? [] : [detail])].join(' ');
}
