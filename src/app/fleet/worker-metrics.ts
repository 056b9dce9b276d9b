import { oneLine } from '../../base/index.ts';
import { emptyHistogram, expositionText, type Histogram, type MetricFamily, observe } from '../../core/index.ts';
import type { Fleet, FleetFigures } from '../../fleet/index.ts';
import { systemClock } from '../clock.ts';

/** What a worker counts for Prometheus, and what the database says about the whole fleet. */
export interface WorkerMetrics {
  /** The same fleet, whose calls are counted and timed. */
  watch(fleet: Fleet): Fleet;
  /** How many loops it drives. */
  drives(loops: number): void;
  /** It was declared lost. */
  wasLost(): void;
  /** Everything as OpenMetrics; without the fleet where the database does not answer. */
  text(fleet: Fleet): Promise<string>;
}

const prefix = 'ralph_fleet';
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const freshMs = 5_000;
const patience = { patienceMs: 0 };
const { monotonicMs } = systemClock;

/** Starts to count for a worker that drives at most so many loops. */
export function createWorkerMetrics(capacity: number): WorkerMetrics {
  const counts = { claims: 0, takeovers: 0, fenced: 0, losses: 0 };
  const times = { append: emptyHistogram(bounds), answer: emptyHistogram(bounds) };
  let driven = 0;
  let known: { readonly atMs: number; readonly figures: Promise<FleetFigures | undefined> } | undefined;
  const figuresOf = async (fleet: Fleet) => {
    // However often and from however many places it is asked.
    if (known === undefined || monotonicMs() - known.atMs > freshMs) {
      known = { atMs: monotonicMs(), figures: fleet.figures(patience).catch(() => undefined) };
    }
    return await known.figures;
  };
  return {
    watch: (fleet) => ({
      ...fleet,
      async append(batch, given) {
        const startedAt = monotonicMs();
        const done = await fleet.append(batch, given);
        times.append = observe(times.append, (monotonicMs() - startedAt) / 1_000);
        if (done.outcome === 'fenced') counts.fenced += 1;
        for (const waited of done.waitedMs) times.answer = observe(times.answer, Math.max(0, waited) / 1_000);
        return done;
      },
      async claim(...given) {
        const claim = await fleet.claim(...given);
        if (claim !== undefined) counts.claims += 1;
        if (claim?.takesOver === true) counts.takeovers += 1;
        return claim;
      },
    }),
    drives: (loops) => {
      driven = loops;
    },
    wasLost: () => {
      counts.losses += 1;
    },
    async text(fleet) {
      const figures = await figuresOf(fleet);
      const own = [
        gauge('worker_loops', 'Loops that this worker drives.', driven),
        gauge('worker_capacity', 'Loops that this worker drives at most.', capacity),
        gauge('worker_database_up', 'Whether the database answers this worker.', figures === undefined ? 0 : 1),
        counter('worker_claims', 'Loops that this worker got from the queue.', counts.claims),
        counter('worker_takeovers', 'Those of them whose last owner did not give them back.', counts.takeovers),
        counter(
          'worker_fenced_appends',
          'Batches of this worker that were refused: its loop had another owner.',
          counts.fenced,
        ),
        counter('worker_losses', 'How often this worker was declared lost.', counts.losses),
        histogram('worker_append_seconds', 'How long it took until a batch of facts was durable.', times.append),
        histogram(
          'worker_answer_seconds',
          'How long commands waited for a durable answer of this worker.',
          times.answer,
        ),
      ];
      return expositionText([...own, ...(figures === undefined ? [] : familiesOf(figures))], 'openmetrics', prefix);
    },
  };
}

/** The whole fleet: the same from every worker. */
function familiesOf(figures: FleetFigures): readonly MetricFamily[] {
  const { loops, accounts, workers } = figures;
  const account = (name: string | null) => oneLine(name ?? '', 100);
  const families = [
    gauges(
      'loops',
      'Loops that have not ended, by what they do and their account.',
      loops.map((each) => [{ state: each.state, account: account(each.account) }, each.count] as const),
    ),
    gauge('loops_ended', 'Loops that have ended and are still stored.', figures.ended),
    gauge(
      'oldest_claimable_seconds',
      'For how long the oldest loop could have been started.',
      figures.oldestClaimableSeconds ?? 0,
      'seconds',
    ),
    gauge('unanswered_commands', 'Commands that nobody has answered yet.', figures.unansweredCommands),
    gauge(
      'oldest_command_seconds',
      'For how long the oldest of them has waited.',
      figures.oldestCommandSeconds ?? 0,
      'seconds',
    ),
    gauges(
      'workers',
      'Workers that have not left, by their state.',
      Object.entries(workers).map(([state, count]) => [{ state }, count] as const),
    ),
    gauge('capacity', 'Loops that all live workers drive at most.', figures.capacity),
    gauge(
      'silent_ticks',
      'For how many ticks of its clock the fleet has not heard of its most silent live worker; lost at 18.',
      figures.ticksSilent,
    ),
    gauges(
      'account_loops',
      'Loops of an account that are driven now.',
      accounts.map(({ name, used }) => [{ account: account(name) }, used] as const),
    ),
    gauges(
      'account_limit',
      'How many of them may be.',
      accounts.flatMap(({ name, limit }) => (limit === null ? [] : [[{ account: account(name) }, limit] as const])),
    ),
    gauges(
      'account_blocked',
      'Whether the provider refuses the account.',
      accounts.map(({ name, isBlocked }) => [{ account: account(name) }, isBlocked ? 1 : 0] as const),
    ),
    gauge('database_bytes', 'What loops, facts and commands take in the database.', figures.bytes, 'bytes'),
  ];
  return families.filter(({ samples }) => samples.length > 0);
}

type Labels = Readonly<Record<string, string>>;

function gauges(name: string, help: string, values: readonly (readonly [Labels, number])[]): MetricFamily {
  return {
    name,
    kind: 'gauge',
    help,
    samples: values.map(([labels, value]) => ({ labels, value: Math.max(0, value) })),
  };
}

function gauge(name: string, help: string, value: number, unit?: string): MetricFamily {
  return { ...gauges(name, help, [[{}, value]]), ...(unit === undefined ? {} : { unit }) };
}

function counter(name: string, help: string, value: number): MetricFamily {
  return { name, kind: 'counter', help, samples: [{ labels: {}, value }] };
}

function histogram(name: string, help: string, value: Histogram): MetricFamily {
  return { name, kind: 'histogram', help, unit: 'seconds', samples: [{ labels: {}, value }] };
}
