import net from 'node:net';

/** Stands between a program and its database, as a network that fails. */
export interface DatabaseProxy extends AsyncDisposable {
  /** The address of the database through it. */
  readonly url: string;
  /** The database is away: connections break, and new ones are refused. */
  cut(): void;
  /** Connections stay open, and nothing arrives any more, in either direction: not even that the other side is gone. */
  stall(): void;
  /** The network works again; what was under way when it stalled never arrives. */
  heal(): void;
  /** From now on the next statement that contains a text is carried out, and its answer is lost with the connection. */
  loseAnswerTo(text: string): void;
  /** How many answers were lost. */
  readonly lost: number;
}

/** Opens a proxy to the database of an address. */
export async function createProxy(target: string): Promise<DatabaseProxy> {
  const to = new URL(target);
  const sockets = new Set<net.Socket>();
  let mode: 'works' | 'cut' | 'stalled' = 'works';
  let losesAnswerTo: string | undefined;
  let lost = 0;
  const server = net.createServer((client) => {
    if (mode === 'cut') return void client.destroy();
    const upstream = net.connect(Number(to.port), to.hostname);
    const both = [client, upstream];
    const end = () => both.forEach((socket) => socket.destroy());
    let isLosing = false;
    let isDeaf = mode === 'stalled';
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        if (!isDeaf) end();
      });
    }
    client.on('data', (bytes) => {
      isDeaf ||= mode === 'stalled';
      if (isDeaf) return;
      if (losesAnswerTo !== undefined && bytes.includes(losesAnswerTo)) {
        isLosing = true;
        losesAnswerTo = undefined;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      isDeaf ||= mode === 'stalled';
      if (isDeaf) return;
      if (!isLosing) return void client.write(bytes);
      // The statement was its own transaction: ready for the next one, the server has committed it.
      if (!bytes.subarray(-6).equals(readyForQuery)) return;
      lost += 1;
      end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = new URL(target);
  url.port = String(address.port);
  const breakAll = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: url.href,
    cut() {
      mode = 'cut';
      breakAll();
    },
    stall: () => void (mode = 'stalled'),
    heal: () => void (mode = 'works'),
    loseAnswerTo: (text) => void (losesAnswerTo = text),
    get lost() {
      return lost;
    },
    async [Symbol.asyncDispose]() {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The message that ends every answer. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
