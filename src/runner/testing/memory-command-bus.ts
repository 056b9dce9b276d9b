import type { LoopCommand } from '../../core/index.ts';
import type { Answer, CommandBus, CommandReceiver } from '../ports/command-bus.ts';

/** Commands that wait for their answers, by loop; shared by all processes. */
export interface MemoryInboxes {
  readonly waiting: Map<string, Sent[]>;
  readonly receivers: Map<string, Receiver>;
}

/** The command bus of one process. */
export interface MemoryCommandBus extends CommandBus {
  /** The commands of a loop that nobody has answered yet. */
  waiting(loopId: string): readonly LoopCommand[];
  /** What becomes of the bus when its process is killed: it answers nobody and hears of nothing. */
  abandon(): void;
}

interface Sent {
  readonly command: LoopCommand;
  readonly resolve: (answer: Answer) => void;
}

interface Receiver {
  readonly process: object;
  readonly underWay: Set<Sent>;
  readonly receive: CommandReceiver;
}

/** No commands yet. */
export function createMemoryInboxes(): MemoryInboxes {
  return { waiting: new Map(), receivers: new Map() };
}

/** The commands of all loops as one process sends and receives them. */
export function createMemoryCommandBus(
  { waiting, receivers }: MemoryInboxes,
  process: { readonly isKilled: boolean },
): MemoryCommandBus {
  const inboxOf = (loopId: string): Sent[] => {
    const inbox = waiting.get(loopId) ?? [];
    waiting.set(loopId, inbox);
    return inbox;
  };
  const deliver = (loopId: string) => {
    const receiver = receivers.get(loopId);
    if (receiver === undefined) return;
    for (const sent of inboxOf(loopId)) {
      if (!receiver.underWay.has(sent)) void handOver(loopId, sent, receiver);
    }
  };
  const handOver = async (loopId: string, sent: Sent, receiver: Receiver) => {
    receiver.underWay.add(sent);
    try {
      const answer = await receiver.receive(sent.command);
      // A process that was killed meanwhile answers nobody: the command waits for the next owner.
      if (receivers.get(loopId) !== receiver) return;
      const inbox = inboxOf(loopId);
      inbox.splice(inbox.indexOf(sent), 1);
      sent.resolve(answer);
    } catch {
      // It stays for the next owner.
    }
  };
  return {
    send: (loopId, command, { signal } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason as Error);
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        inboxOf(loopId).push({ command, resolve });
        deliver(loopId);
      }),
    listen: (loopId, receive) => {
      const receiver: Receiver = { process, underWay: new Set(), receive };
      receivers.set(loopId, receiver);
      deliver(loopId);
      return {
        [Symbol.dispose]: () => {
          if (receivers.get(loopId) === receiver) receivers.delete(loopId);
        },
      };
    },
    waiting: (loopId) => inboxOf(loopId).map(({ command }) => command),
    abandon: () => {
      for (const [loopId, receiver] of receivers) if (receiver.process === process) receivers.delete(loopId);
    },
  };
}
