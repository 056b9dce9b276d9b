import { collectCommands, type Delivery, type InboxPlace, leaveCommand, watchInbox } from '../../control/index.ts';
import { accept, allowedCommands, evolve, isTerminal, type Loop, type LoopCommand } from '../../core/index.ts';
import type { Answer, Clock, CommandBus, CommandReceiver, EventBus } from '../../runner/index.ts';
import type { LoopFolders } from '../../store/index.ts';
import { foldState } from './fold-state.ts';

/** Commands as files in the inboxes of loops; their answers are facts. */
export interface FileCommandBus extends CommandBus {
  /** Lets commands be answered that wait for a loop which nobody drives. */
  serveWaiting(loopId: string, receive: CommandReceiver): Promise<void>;
}

/** Where the loops are, how their facts are followed, and what time it is. */
export interface FileCommandBusSetting {
  readonly folders: LoopFolders;
  readonly events: EventBus;
  readonly clock: Clock;
}

/** The inboxes of loops in folders. */
export function createFileCommandBus({ folders, events, clock }: FileCommandBusSetting): FileCommandBus {
  const inboxOf = (loopId: string): InboxPlace => {
    const { root, folder } = folders.place(loopId);
    return { root, folder };
  };
  return {
    async send(loopId, command, { signal } = {}) {
      const loop = foldState(folders.read(loopId));
      const known = answerIn(loop, command);
      if (known !== undefined) return known;
      const left = leaveCommand(inboxOf(loopId), command, clock.nowMs());
      const facts = events.follow(loopId, { afterSeq: loop.journal.seq, ...(signal && { signal }) });
      const answer = await findAnswer(loop, command, facts);
      if (answer === undefined) signal?.throwIfAborted();
      // A loop that is over or gone has nobody left to carry it out.
      if (answer?.accepted !== true) left.takeBack();
      return answer ?? { accepted: false, why: 'the loop is no longer there', allowed: [] };
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
    // The run ends with it; the command stays for the next owner.
  }
}

async function findAnswer(
  before: Loop,
  command: LoopCommand,
  facts: ReturnType<EventBus['follow']>,
): Promise<Answer | undefined> {
  let loop = before;
  for await (const fact of facts) {
    loop = evolve(loop, fact);
    const answer = answerIn(loop, command);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** What became of a command according to the loop: it was answered, or the loop is over. */
function answerIn(loop: Loop, command: LoopCommand): Answer | undefined {
  const served = loop.commands.served.find(({ id }) => id === command.id);
  const refusal = isTerminal(loop.status) && served === undefined ? accept(loop, command)[0] : undefined;
  const why = served?.refusedBecause ?? (refusal?.type === 'command.refused' ? refusal.data.why : undefined);
  if (why !== undefined) return { accepted: false, why, allowed: allowedCommands(loop) };
  return served === undefined ? undefined : { accepted: true };
}
