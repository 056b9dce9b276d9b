import { Writable } from 'node:stream';

/** A stream that is no terminal and keeps what is written to it. */
export interface Collector {
  readonly stream: NodeJS.WriteStream;
  readonly text: () => string;
}

/** An empty collector. */
export function createCollector(): Collector {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, next) {
      // A copy: who writes may use the same memory for what comes next.
      chunks.push(Buffer.from(chunk));
      next();
    },
  });
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => Buffer.concat(chunks).toString('utf8') };
}
