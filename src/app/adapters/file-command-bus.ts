import {
  collectCommands,
  type Delivery,
  type InboxPlace,
  isWellFormed,
  leaveCommand,
  watchInbox,
} from '../../control/index.ts';
import { accept, allowedCommands, evolve, isTerminal, type Loop, type LoopCommand } from '../../core/index.ts';
import type { Answer, Clock, CommandBus, CommandReceiver, EventBus } from '../../runner/index.ts';
import type { LoopFolders } from '../../store/index.ts';
import { foldState } from './fold-state.ts';

/** Commands as files in the inboxes of loops; their answers are facts. */
export interface FileCommandBus extends CommandBus {
  /** Sends a command to a loop that was already read, and returns the loop at the time of its answer. */
  ask(loop: Loop, command: LoopCommand, options?: AskOptions): Promise<AnsweredLoop>;
  /** Answers commands that wait for a loop that no process runs. */
  serveWaiting(loopId: string, receive: CommandReceiver): Promise<void>;
}

/** A loop's answer, and its state at that time. */
export interface AnsweredLoop {
  readonly loop: Loop;
  readonly answer: Answer;
}

interface AskOptions {
  readonly signal?: AbortSignal;
}

/** Where the loops are, how their facts are followed, and the clock. */
export interface FileCommandBusSetting {
  readonly folders: LoopFolders;
  readonly events: EventBus;
  readonly clock: Clock;
}

/** The inboxes of loops in folders. */
export function createFileCommandBus({ folders, events, clock }: FileCommandBusSetting): FileCommandBus {
  const inboxOf = (loopId: string): InboxPlace => {
    const { root, folder, files } = folders.place(loopId);
    return { root, folder, files };
  };
  const ask: FileCommandBus['ask'] = async (loop, command, { signal } = {}) => {
    const known = answerIn(loop, command) ?? refuseMalformed(loop, command);
    if (known !== undefined) return { loop, answer: known };
    const left = leaveCommand(inboxOf(loop.id), command, clock.nowMs());
    const facts = events.follow(loop.id, { afterSeq: loop.journal.seq, ...(signal && { signal }) });
    const answered = await findAnswer(loop, command, facts);
    if (answered.answer === undefined) signal?.throwIfAborted();
    // A loop that has ended or is gone has no owner left to carry it out.
    if (answered.answer?.accepted !== true) left.takeBack();
    return { loop: answered.loop, answer: answered.answer ?? gone };
  };
  return {
    ask,
    async send(loopId, command, options) {
      const { answer } = await ask(foldState(folders.read(loopId)), command, options);
      return answer;
    },
    listen(loopId, receive) {
      const underWay = new Set<string>();
      return watchInbox(inboxOf(loopId), (delivery) => {
        const { id } = delivery.command;
        if (underWay.has(id)) return;
        underWay.add(id);
        void serve(delivery, receive).finally(() => underWay.delete(id));
      });
    },
    async serveWaiting(loopId, receive) {
      for (const delivery of collectCommands(inboxOf(loopId))) await serve(delivery, receive);
    },
  };
}

async function serve({ command, done }: Delivery, receive: CommandReceiver): Promise<void> {
  try {
    await receive(command);
    done();
  } catch {
    // The error ends the run; the command stays for the next owner.
  }
}

const gone: Answer = { accepted: false, why: 'the loop no longer exists', allowed: [] };

/** An owner ignores a malformed command, so it is refused here. */
function refuseMalformed(loop: Loop, command: LoopCommand): Answer | undefined {
  if (isWellFormed(command)) return undefined;
  const refusal = accept(loop, command).find((fact) => fact.type === 'command.refused');
  return { accepted: false, why: refusal?.data.why ?? 'the command is malformed', allowed: allowedCommands(loop) };
}

async function findAnswer(
  before: Loop,
  command: LoopCommand,
  facts: ReturnType<EventBus['follow']>,
): Promise<{ readonly loop: Loop; readonly answer?: Answer }> {
  let loop = before;
  for await (const fact of facts) {
    loop = evolve(loop, fact);
    const answer = answerIn(loop, command);
    if (answer !== undefined) return { loop, answer };
  }
  return { loop };
}

/** The answer to a command in the loop's state: it was answered, or the loop has ended. */
function answerIn(loop: Loop, command: LoopCommand): Answer | undefined {
  const served = loop.commands.served.find(({ id }) => id === command.id);
  const refusal = isTerminal(loop.status) && served === undefined ? accept(loop, command)[0] : undefined;
  const why = served?.refusedBecause ?? (refusal?.type === 'command.refused' ? refusal.data.why : undefined);
  if (why !== undefined) return { accepted: false, why, allowed: allowedCommands(loop) };
  return served === undefined ? undefined : { accepted: true };
}
