import { Client } from 'pg';
import type { FleetAddress } from './address.ts';

/** Something may have changed: facts or commands of a loop, or anything at all. */
export type Signal =
  | { readonly kind: 'facts' | 'commands'; readonly loopIds: readonly string[] }
  | { readonly kind: 'anything' };

/** Signals hasten what a look at the tables finds anyway: they may be lost. */
export interface Signals extends AsyncDisposable {
  subscribe(listener: (signal: Signal) => void): Disposable;
}

const reconnectMs = 1_000;

/** Listens on a connection of its own, as long as anybody wants to know. */
export function createSignals({ url }: FleetAddress): Signals {
  const listeners = new Set<(signal: Signal) => void>();
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  const tell = (signal: Signal) => {
    for (const listener of listeners) listener(signal);
  };
  const open = () => {
    clearTimeout(timer);
    timer = undefined;
    const mine = new Client({ connectionString: url, application_name: 'ralphd', keepAlive: true });
    client = mine;
    const lost = () => {
      if (client !== mine) return;
      client = undefined;
      mine.end().catch(() => {});
      timer = setTimeout(open, reconnectMs);
      timer.unref();
    };
    mine.on('error', lost);
    mine.on('end', lost);
    mine.on('notification', ({ channel, payload = '' }) => tell(toSignal(channel, payload)));
    const listen = async () => {
      await mine.connect();
      await mine.query('listen ralphd_command');
      await mine.query('listen ralphd_fact');
      // What was said while nobody listened.
      tell({ kind: 'anything' });
    };
    listen().catch(lost);
  };
  const close = async () => {
    clearTimeout(timer);
    timer = undefined;
    const last = client;
    client = undefined;
    await last?.end().catch(() => {});
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      if (client === undefined && timer === undefined) open();
      return {
        [Symbol.dispose]: () => {
          listeners.delete(listener);
          if (listeners.size === 0) void close();
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      listeners.clear();
      await close();
    },
  };
}

function toSignal(channel: string, payload: string): Signal {
  if (channel === 'ralphd_command') return { kind: 'commands', loopIds: [payload] };
  return { kind: 'facts', loopIds: payload.split(' ') };
}
