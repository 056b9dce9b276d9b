import type { Loop, LoopCommand } from '../../core/index.ts';
import type { Fleet, WaitingCommand } from '../../fleet/index.ts';
import type { CommandBus, CommandReceiver, EventBus } from '../../runner/index.ts';
import { type AnsweredLoop, answerIn, findAnswer, gone, refuseMalformed } from '../adapters/command-answers.ts';
import { readerPatienceMs, readFleetLoop } from './fleet-state.ts';

/** Commands that no signal announced are found after this long. */
const pollMs = 1_000;

/** Commands in the fleet's database; their answers are facts. */
export interface FleetCommandBus extends CommandBus {
  /** Sends a command to a loop that was already read, and returns the loop at the time of its answer. */
  ask(loop: Loop, command: LoopCommand, options?: { readonly signal?: AbortSignal }): Promise<AnsweredLoop>;
  /** Answers the commands that wait for a loop that rests. */
  serveWaiting(loopId: string, receive: CommandReceiver): Promise<void>;
}

/** The commands of a fleet's loops. */
export function createFleetCommandBus(fleet: Fleet, events: EventBus): FleetCommandBus {
  // In the order in which they were sent.
  let last: Promise<unknown> = Promise.resolve();
  const inOrder = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(step);
    last = turn.catch(() => {});
    return await turn;
  };
  /** A command that was asked for is left, even if its sender stops waiting at once. */
  const leave = async (loop: Loop, command: LoopCommand): Promise<AnsweredLoop | undefined> => {
    const known = answerIn(loop, command) ?? refuseMalformed(loop, command);
    if (known !== undefined) return { loop, answer: known };
    const isThere = await fleet.send(loop.id, command.id, JSON.stringify(command), { patienceMs: readerPatienceMs });
    return isThere ? undefined : { loop, answer: gone };
  };
  const awaitAnswer = async (loop: Loop, command: LoopCommand, signal: AbortSignal | undefined) => {
    const facts = events.follow(loop.id, { afterSeq: loop.journal.seq, ...(signal && { signal }) });
    const answered = await findAnswer(loop, command, facts);
    if (answered.answer === undefined) signal?.throwIfAborted();
    // A loop that has ended has no owner left to carry it out.
    if (answered.answer?.accepted !== true) await fleet.takeBack(loop.id, command.id);
    return { loop: answered.loop, answer: answered.answer ?? gone };
  };
  const ask: FleetCommandBus['ask'] = async (loop, command, { signal } = {}) => {
    const known = await unlessAborted(
      inOrder(async () => await leave(loop, command)),
      signal,
    );
    return known ?? (await awaitAnswer(loop, command, signal));
  };
  return {
    ask,
    async send(loopId, command, { signal } = {}) {
      signal?.throwIfAborted();
      const left = inOrder(async () => {
        const { loop } = await readFleetLoop(fleet, loopId);
        return { loop, known: await leave(loop, command) };
      });
      const { loop, known } = await unlessAborted(left, signal);
      const { answer } = known ?? (await awaitAnswer(loop, command, signal));
      return answer;
    },
    listen: (loopId, receive) => listen(fleet, loopId, receive),
    async serveWaiting(loopId, receive) {
      for (const waiting of await fleet.waiting([loopId])) await serve(fleet, waiting, receive);
    },
  };
}

async function unlessAborted<Result>(step: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return await step;
  return await new Promise<Result>((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    step.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function listen(fleet: Fleet, loopId: string, receive: CommandReceiver): Disposable {
  const underWay = new Set<string>();
  let isOver = false;
  let isLooking = false;
  let mustLookAgain = false;
  const look = async () => {
    mustLookAgain = true;
    if (isLooking) return;
    isLooking = true;
    while (mustLookAgain && !isOver) {
      mustLookAgain = false;
      // The next look comes soon anyway.
      const found = await fleet.waiting([loopId], { patienceMs: pollMs }).catch(() => []);
      if (isOver) break;
      for (const waiting of found) {
        if (underWay.has(waiting.id)) continue;
        underWay.add(waiting.id);
        void serve(fleet, waiting, receive).finally(() => underWay.delete(waiting.id));
      }
    }
    isLooking = false;
  };
  const subscription = fleet.signals.subscribe((news) => {
    if (news.kind === 'anything' || (news.kind === 'commands' && news.loopIds.includes(loopId))) void look();
  });
  const timer = setInterval(() => void look(), pollMs);
  timer.unref();
  void look();
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      clearInterval(timer);
      subscription[Symbol.dispose]();
    },
  };
}

async function serve(fleet: Fleet, { loop, id, body }: WaitingCommand, receive: CommandReceiver): Promise<void> {
  try {
    await receive(JSON.parse(body) as LoopCommand);
    // Answered by a fact, as a rule; a command that was carried out before needs none.
    await fleet.settle(loop, id, { patienceMs: pollMs });
  } catch {
    // The error ends the run; the command stays for the next owner.
  }
}
