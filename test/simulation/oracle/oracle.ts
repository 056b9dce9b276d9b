import { isDeepStrictEqual } from 'node:util';
import type { Loop, LoopCommand } from '../../../src/core/index.ts';
import { type FactType, factTypes, type RecordedFact } from '../../../src/protocol/index.ts';
import type { Answer } from '../../../src/runner/index.ts';
import type { Owner } from '../world/owner.ts';
import type { Truth } from '../world/script.ts';
import type { World } from '../world/world.ts';
import { bestInvariants } from './best.ts';
import { enter } from './bookkeeping.ts';
import { completionInvariants } from './completion.ts';
import { conditionInvariants } from './conditions.ts';
import { costInvariants } from './costs.ts';
import { decisionInvariants, wrongTask } from './decisions.ts';
import { evidenceInvariants } from './evidence.ts';
import { guidanceInvariants, misguided } from './guidance.ts';
import { hookInvariants } from './hooks.ts';
import type { Invariant, Observation } from './invariant.ts';
import { judgementInvariants } from './judgement.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import { limitInvariants } from './limits.ts';
import { orderInvariants } from './order.ts';
import { progressInvariants } from './progress.ts';
import { restInvariants } from './rest.ts';
import { sessionInvariants, wrongCorrection } from './sessions.ts';
import { tamperingInvariants } from './tampering.ts';
import { waitInvariants } from './waits.ts';
import { wishInvariants } from './wishes.ts';

/** Thrown at the first violation. */
export class RuleBroken extends Error {
  override readonly name = 'RuleBroken';
  readonly rule: string;

  constructor(rule: string, detail: string) {
    super(detail);
    this.rule = rule;
  }
}

const invariants = [
  ...orderInvariants,
  ...limitInvariants,
  ...costInvariants,
  ...hookInvariants,
  ...conditionInvariants,
  ...decisionInvariants,
  ...completionInvariants,
  ...tamperingInvariants,
  ...evidenceInvariants,
  ...wishInvariants,
  ...guidanceInvariants,
  ...sessionInvariants,
  ...waitInvariants,
  ...judgementInvariants,
  ...bestInvariants,
  ...progressInvariants,
];

const byType = new Map<FactType, readonly Invariant[]>(
  factTypes.map((type) => [type, invariants.filter(({ types }) => types.includes(type))]),
);

const terminal: ReadonlySet<string> = new Set(['completed', 'failed', 'aborted', 'crashed']);

/** Longer than any uninterruptible operation in this world takes, and shorter than an agent's grace period. */
const slowestEndMs = 1_000;

/** More than any correct loop needs. */
export const maxSteps = 5_000;

/** Watches one loop from outside and knows the truth about its agents. */
export class Oracle {
  readonly ledger: Ledger = emptyLedger();
  /** The first violation, kept because the drive may catch the error. */
  broken: RuleBroken | undefined;
  #truth: Truth = 'worked';

  observe(seen: Observation): void {
    for (const { rule, check } of byType.get(seen.fact.type) ?? []) this.#demand(rule, check(this.ledger, seen));
    enter(this.ledger, seen, this.#truth);
  }

  decides({ disk, steps }: World, { journal: { seq } }: Loop): void {
    this.#demand('a loop ends or rests within a bounded number of steps', steps > maxSteps && `${steps} steps`);
    this.#demand(
      'A058: a drive decides by what is on disk, all of it',
      seq !== disk.length && `${seq} of ${disk.length} facts`,
    );
  }

  saves({ disk }: World, { journal: { seq } }: Loop): void {
    this.#demand('a snapshot never tells more than the journal', seq > disk.length && `${seq} of ${disk.length} facts`);
  }

  /** A listener of the drive received a fact. */
  told({ disk }: World, fact: RecordedFact): void {
    const isDurable = isDeepStrictEqual(disk[fact.seq - 1], fact);
    this.#demand('A058: nobody is told of a fact that is not on disk', !isDurable && `${fact.type} ${fact.seq}`);
  }

  /** The sender of a command received an answer. */
  answered({ loop }: World, { id, command }: LoopCommand, { accepted }: Answer): void {
    const written = this.ledger.answers.get(id);
    const wrong = accepted ? written !== 'accepted' : written !== 'refused' && !terminal.has(loop.status);
    const answer = accepted ? 'accepted' : 'refused';
    this.#demand(
      'an answer is on disk before anybody gets it',
      wrong && `${command} is ${answer}, and the disk says ${written ?? 'nothing'} of ${id}`,
    );
  }

  /** Nothing more can happen until time passes. */
  allIsQuiet(world: World, { drive, rival, lostAtMs }: Owner): void {
    const { loop, agents, disk, monotonicMs } = world;
    const nextMs = world.clock.nextMs();
    const { requests } = loop.commands;
    if (rival !== undefined) {
      const lateMs = monotonicMs + nextMs - lostAtMs;
      this.#demand('an owner that has lost its loop ends at once', lateMs > slowestEndMs && `${lateMs} ms later`);
      return;
    }
    if (drive === undefined) return;
    this.#demand(
      'a drive knows of everything on disk',
      drive.loop.journal.seq !== disk.length && `${drive.loop.journal.seq} of ${disk.length} facts`,
    );
    const waiting = world.people.commands.waiting(world.loopId);
    this.#demand('a command is answered at once', waiting.length > 0 && `${waiting.length} are not`);
    const isOverdue = monotonicMs + nextMs - this.ledger.abortedAtMs > slowestEndMs && agents.size > 0;
    this.#demand('an abort gives an agent no grace', isOverdue && `${[...agents].join(', ')} still runs`);
    const isEnding = this.ledger.loopHooks.end !== undefined;
    const isResting =
      isEnding || loop.status !== 'running' || requests.pause?.now === true || requests.end !== undefined;
    this.#demand(
      'a disk that runs full suspends the loop at once, however often it does',
      world.troubleSeq !== undefined && !isResting && 'it goes on',
    );
  }

  /** An agent receives its prompt. */
  prompted(prompt: string): void {
    this.#demand('a prompt has the guidance that its attempt began with', misguided(this.ledger, prompt));
    this.#demand('B080: a prompt has the correction that its attempt began with', wrongCorrection(this.ledger, prompt));
    this.#demand('B057: a prompt has the task, or what a person put in its place', wrongTask(this.ledger, prompt));
  }

  /** An agent is about to work. */
  agentWorks(): void {
    this.#demand('an agent works only once it is on record', this.ledger.open?.agentStarted !== true && 'it is not');
  }

  /** A new owner adopts the agent of a dead one. */
  adopts(): void {
    const { pause, end } = this.ledger.wishes;
    const isWanted = pause === undefined && end === undefined;
    this.#demand('nobody goes on with an agent of a loop that is to rest or to end', !isWanted && 'it was asked for');
  }

  /** An owner released the loop, or lost it. */
  left({ agents }: World): void {
    this.#demand('nobody leaves an agent behind', agents.size > 0 && `${[...agents].join(', ')} still runs`);
  }

  /** An owner parked the loop. */
  parked({ loop }: World, wakeAt: string): void {
    this.#demand(
      'a loop that is given back because it waits says so on disk',
      loop.pending.wakeAt !== wakeAt && `it is due at ${wakeAt}, and the disk says ${loop.pending.wakeAt ?? 'nothing'}`,
    );
  }

  #demand(rule: string, wrong: string | false | undefined): void {
    if (!wrong) return;
    this.broken ??= new RuleBroken(rule, wrong);
    throw this.broken;
  }

  learn(truth: Truth): void {
    this.#truth = truth;
  }

  agentStarts({ agents }: World, name: string): void {
    this.#demand('two agents are never alive at once', agents.size > 0 && `${name} beside ${[...agents].join(', ')}`);
  }

  atRest(world: World): void {
    for (const { rule, check } of restInvariants) this.#demand(rule, check(this.ledger, world));
  }
}
