import { collectCommands, type Delivery, type InboxPlace, leaveCommand, watchInbox } from '../../control/index.ts';
import type { Loop, LoopCommand } from '../../core/index.ts';
import type { Clock, CommandBus, CommandReceiver, EventBus } from '../../runner/index.ts';
import type { LoopFolders } from '../../store/index.ts';
import { type AnsweredLoop, answerIn, findAnswer, gone, refuseMalformed } from './command-answers.ts';
import { foldState } from './fold-state.ts';

/** Commands as files in the inboxes of loops; their answers are facts. */
export interface FileCommandBus extends CommandBus {
  /** Sends a command to a loop that was already read, and returns the loop at the time of its answer. */
  ask(loop: Loop, command: LoopCommand, options?: AskOptions): Promise<AnsweredLoop>;
  /** Answers commands that wait for a loop that no process runs. */
  serveWaiting(loopId: string, receive: CommandReceiver): Promise<void>;
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
