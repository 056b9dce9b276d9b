import { createTally, type LineReader } from './tally.ts';

const statuses: Readonly<Record<string, 'passed' | 'failed' | 'skipped'>> = {
  ok: 'passed',
  failed: 'failed',
  timeout: 'failed',
  ignored: 'skipped',
};

/** `cargo test -- --format json`, and nextest in that form: one event per line, and one summary per binary. */
export function createLibtestReader(): LineReader {
  const tally = createTally();
  return {
    read: (line, at) => {
      if (!/^\{ ?"type": ?"(?:suite|test)"/.test(line)) return;
      const event = parse(line);
      if (event?.['type'] === 'test') nameTest(event);
      else if (event?.['event'] === 'started') tally.open(at);
      else if (event !== undefined && typeof event['passed'] === 'number') sumUp(event, at);
    },
    finish: () => tally.finish('cargo'),
  };

  function nameTest({ name, event, exec_time: seconds }: Fields): void {
    const status = statuses[String(event)];
    if (status === undefined || typeof name !== 'string') return;
    tally.name(status, name, { durationMs: typeof seconds === 'number' ? Math.round(seconds * 1_000) : undefined });
  }

  function sumUp(event: Fields, at: number): void {
    const passed = toCount(event['passed']) + toCount(event['measured']);
    tally.add({ passed, failed: toCount(event['failed']), skipped: toCount(event['ignored']) }, at);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function parse(line: string): Fields | undefined {
  try {
    return JSON.parse(line) as Fields;
  } catch {
    return undefined;
  }
}

function toCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
