import { randomUUID } from 'node:crypto';
import { failures, LoopError } from '../../base/index.ts';
import { type Claim, openFleet } from '../../fleet/index.ts';
import { canObeyPermits, permitUntil, uptimeSeconds } from '../../process/index.ts';
import type { AppContext } from '../agent-programs.ts';
import { thisMachine } from '../machine.ts';
import { type ClaimResult, driveClaim } from './drive-claim.ts';
import { createFleetMember, type FleetMember, type Offer } from './fleet-member.ts';
import { type MetricsAddress, serveMetrics } from './metrics-endpoint.ts';
import { createOutputTails, type OutputTails } from './output-tails.ts';
import { fireSchedules } from './schedules.ts';
import { sweepFleet } from './sweep.ts';
import { trustsRepository } from './trusted-repository.ts';
import { createWorkerMetrics, type WorkerMetrics } from './worker-metrics.ts';
import { openWorkerPlace, type WorkerPlace } from './worker-place.ts';

/** How a worker works. */
export interface WorkerOptions extends Omit<Offer, 'machine' | 'nowMs'> {
  readonly address: string;
  /** Its folder on this machine. */
  readonly folder: string;
  /** Repositories, or folders of a git server, whose loops it runs; `all` for any. */
  readonly trust: readonly string[];
  /** The environment of agents, checks and hooks. */
  readonly env: AppContext['env'];
  /** Receives what happens, a line each. */
  readonly report: (message: string) => void;
  /** Where to answer Prometheus, if anywhere. */
  readonly metrics?: MetricsAddress;
  /** First: take no more loops, hand over those that are driven when their iteration ends. */
  readonly drain: AbortSignal;
  /** Then: hand them over at once. */
  readonly stop: AbortSignal;
}

const beatEveryMs = 1_500;
const lookEveryMs = 500;
const claimEveryMs = 1_000;
const scheduleEveryMs = 5_000;
const sweepEveryMs = 10 * 60_000;
/** Below the time after which a silent worker's loops are given away. */
const permitSeconds = 6;
const shortPatience = { patienceMs: 0 };

/** Drives loops of a fleet until it is told to stop. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  if (options.trust.length === 0) throw new LoopError(failures.workerTrustsNobody());
  if (!canObeyPermits()) throw new LoopError(failures.workerNeedsPerl());
  using place = openWorkerPlace(options.folder);
  // Signs of life do not queue behind anything else.
  const metrics = createWorkerMetrics(options.capacity);
  await using own = openFleet(options.address, { connections: 2, statementMs: 3_000 });
  await using journals = openFleet(options.address, { connections: 4 });
  const [life, fleet] = [metrics.watch(own), metrics.watch(journals)];
  await using endpoint = options.metrics && (await serveMetrics(options.metrics, async () => await metrics.text(life)));
  if (endpoint !== undefined) options.report(`Metrics are at ${endpoint.url}.`);
  // Nor do facts queue behind what agents print.
  await using outputs = openFleet(options.address, { connections: 1 });
  await using tails = createOutputTails(outputs, thisMachine.self().host);
  await life.assertReady({ patienceMs: 30_000, signal: options.drain });
  for (;;) {
    const member = createFleetMember(fleet, thisMachine.self(), {
      ...options,
      machine: place.machine,
      nowMs: thisMachine.clock.nowMs(),
    });
    const shift = new Shift(options, { place, member, life, metrics, tails });
    await shift.work();
    if (options.drain.aborted) return;
    metrics.wasLost();
    options.report('This worker was silent for so long that its loops were given away; it goes on under a new name.');
  }
}

interface Tools {
  readonly place: WorkerPlace;
  readonly member: FleetMember;
  /** Connections for signs of life alone. */
  readonly life: ReturnType<typeof openFleet>;
  readonly metrics: WorkerMetrics;
  readonly tails: OutputTails;
}

/** The time from joining the fleet to leaving it, or being lost. */
class Shift {
  readonly #options: WorkerOptions;
  readonly #tools: Tools;
  readonly #drives = new Set<Promise<void>>();
  readonly #over = new AbortController();
  /** Every few seconds the same again is no news. */
  readonly #reported = new Set<string>();
  #isAway = false;
  #wake = () => {};
  /** Names a claim until its answer is here, so that a loop is not given to a worker that does not know of it. */
  #asked = randomUUID();

  constructor(options: WorkerOptions, tools: Tools) {
    this.#options = options;
    this.#tools = tools;
  }

  async work(): Promise<void> {
    const { drain, stop, report } = this.#options;
    const { member, life } = this.#tools;
    const adopted = await member.join();
    // Before any permit is renewed: an agent whose loop was given away is stopped, and must not go on.
    this.#tools.place.permits.keepOnly(adopted.map(({ loop }) => loop));
    report(`Worker ${member.id} has joined ${member.fleet.address.place}.`);
    const wake = () => this.#wake();
    const giveUp = () => member.declareLost('this worker was stopped');
    drain.addEventListener('abort', wake, { once: true });
    stop.addEventListener('abort', giveUp, { once: true });
    await this.#beat();
    const timers = [
      repeat(beatEveryMs, () => this.#beat(), this.#over.signal),
      repeat(lookEveryMs, () => this.#look(), this.#over.signal),
      repeat(scheduleEveryMs, () => this.#fire(), this.#over.signal),
      this.#sweep(),
      repeat(sweepEveryMs, () => this.#sweep(), this.#over.signal),
    ];
    for (const claim of adopted) this.#start(claim);
    while (!drain.aborted && !member.isLost) {
      const claimed = await this.#claim();
      if (!claimed) await this.#pause(claimEveryMs);
    }
    await Promise.all(this.#drives);
    this.#over.abort();
    await Promise.all(timers);
    permitUntil(this.#tools.place.permitFile, 0);
    if (!member.isLost || stop.aborted) await life.leave(member.id, { patienceMs: 5_000 }).catch(() => {});
  }

  async #beat(): Promise<void> {
    const { member, life, place } = this.#tools;
    // From before it is sent: whatever freezes this process, agents do not run longer than was granted.
    const until = uptimeSeconds() + permitSeconds;
    const beat = await this.#whileReachable(() => life.beat(member.id, this.#options.drain.aborted, shortPatience));
    if (beat === 'away') return;
    if (beat !== undefined) return permitUntil(place.permitFile, until);
    permitUntil(place.permitFile, 0);
    member.declareLost('nothing was heard of this worker for too long');
    this.#wake();
  }

  async #look(): Promise<void> {
    await this.#whileReachable(() => this.#tools.life.look(shortPatience));
  }

  async #fire(): Promise<void> {
    const report = (message: string) => {
      if (!this.#reported.has(message)) this.#options.report(message);
      this.#reported.add(message);
    };
    await this.#whileReachable(() => fireSchedules(this.#tools.life, { ...shortPatience, report }));
  }

  async #sweep(): Promise<void> {
    const { member, place } = this.#tools;
    const { env, trust, report } = this.#options;
    await this.#whileReachable(
      async () => await sweepFleet({ fleet: member.fleet, place, env, trust, report, patience: shortPatience }),
    );
  }

  async #claim(): Promise<boolean> {
    const { member, life } = this.#tools;
    const isFull = this.#drives.size >= this.#options.capacity;
    const asked = { ...shortPatience, asked: this.#asked };
    const claim = await this.#whileReachable(() => life.claim(member.id, isFull, asked));
    if (claim === 'away') return false;
    this.#asked = randomUUID();
    if (claim === undefined) return false;
    this.#start(claim);
    return true;
  }

  #start(claim: Claim): void {
    const { member, place, metrics, tails } = this.#tools;
    const { env, trust, drain, report } = this.#options;
    const { loop, epoch } = claim;
    report(`${loop}: driven here (epoch ${epoch}).`);
    const isTrusted = (repository: string) => trustsRepository(trust, repository);
    const drive = driveClaim(claim, { member, place, env, isTrusted, isDraining: () => drain.aborted, report, tails })
      .then((result) => report(`${loop}: ${inWords(result)}.`))
      .catch((error: unknown) => report(`${loop}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`))
      .finally(() => {
        this.#drives.delete(drive);
        metrics.drives(this.#drives.size);
        this.#wake();
      });
    this.#drives.add(drive);
    metrics.drives(this.#drives.size);
  }

  /** An unreachable database ends nothing: the fleet's clock stands meanwhile. */
  async #whileReachable<Result>(call: () => Promise<Result>): Promise<Result | 'away'> {
    try {
      const result = await call();
      if (this.#isAway) this.#options.report('The database answers again.');
      this.#isAway = false;
      return result;
    } catch (error) {
      if (!this.#isAway) this.#options.report(error instanceof Error ? error.message : String(error));
      this.#isAway = true;
      return 'away';
    }
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function inWords(result: ClaimResult): string {
  switch (result.kind) {
    case 'rests':
      return result.status;
    case 'held':
      return `set aside: ${result.why}`;
    case 'postponed':
      return `to be tried again later: ${result.why}`;
    case 'lost':
      return `no longer driven here: ${result.why}`;
    case 'handed over':
      return result.kind;
  }
}

/** Does something again and again, one after the other. */
async function repeat(everyMs: number, step: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, everyMs);
      signal.addEventListener('abort', done, { once: true });
    });
    if (!signal.aborted) await step();
  }
}
