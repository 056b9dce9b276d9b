import path from 'node:path';
import type { RedactedStream } from '../../base/index.ts';
import { compress, nodeFiles } from '../../files/index.ts';
import type { Fleet, KeptOutput } from '../../fleet/index.ts';
import type { Fact } from '../../protocol/index.ts';
import type { AttemptKey } from '../../runner/index.ts';
import { attemptFolder } from '../../store/index.ts';
import { createSpoolTail, type SpoolTail } from './spool-tail.ts';

/** Brings the end of what agents print to the database, for readers on other machines. Losing it harms nothing. */
export interface OutputTails extends AsyncDisposable {
  /** Follows the agents of a loop that is driven here. */
  follow(loop: TailedLoop): LoopTail;
}

/** A loop whose agents are followed. */
export interface TailedLoop {
  readonly loopId: string;
  readonly epoch: number;
  /** Its folder on this machine. */
  readonly folder: string;
}

/** The output of the agents of one loop; what is left is sent when it is disposed of. */
export interface LoopTail extends AsyncDisposable {
  /** Nothing is read before it is known how to remove secrets from it. */
  redactWith(stream: () => RedactedStream): void;
  /** An agent works on this attempt already. */
  begin(attempt: AttemptKey): void;
  /** Learns from facts which agent was started and which has finished. */
  saw(facts: readonly Fact[]): void;
}

const sendEveryMs = 3_000;
const maxBytes = { stdout: 56 * 1024, stderr: 8 * 1024 } as const;
const patience = { patienceMs: 0 };

/** Sends tails by a connection of their own, so that facts never wait for them. */
export function createOutputTails(fleet: Fleet, host: string): OutputTails {
  const loops = new Set<FollowedLoop>();
  let last: Promise<void> = Promise.resolve();
  const sendNow = async () => {
    const unsent = [...loops].flatMap((loop) => loop.unsent());
    if (unsent.length === 0) return;
    try {
      await fleet.keepOutputs(
        unsent.map((attempt) => attempt.read(host)),
        patience,
      );
      for (const attempt of unsent) attempt.isSent = true;
    } catch {
      // The next tail has it all.
    }
  };
  const send = () => {
    last = last.then(sendNow);
    return last;
  };
  const timer = setInterval(() => void send(), sendEveryMs);
  timer.unref();
  return {
    follow(loop) {
      const followed = new FollowedLoop(loop, () => void send());
      loops.add(followed);
      return {
        redactWith: (stream) => followed.redactWith(stream),
        begin: (attempt) => followed.begin(attempt),
        saw: (facts) => followed.saw(facts),
        async [Symbol.asyncDispose]() {
          followed.finish();
          await send();
          loops.delete(followed);
          followed[Symbol.dispose]();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await last;
    },
  };
}

class FollowedLoop implements Disposable {
  readonly #loop: TailedLoop;
  readonly #onEnd: () => void;
  #attempts: AttemptTail[] = [];
  #stream: (() => RedactedStream) | undefined;

  constructor(loop: TailedLoop, onEnd: () => void) {
    this.#loop = loop;
    this.#onEnd = onEnd;
  }

  redactWith(stream: () => RedactedStream): void {
    this.#stream = stream;
  }

  begin(key: AttemptKey): void {
    if (this.#stream === undefined) return;
    this.finish();
    this.#attempts.push(new AttemptTail(this.#loop, key, this.#stream));
  }

  saw(facts: readonly Fact[]): void {
    for (const { type, data } of facts) {
      if (type === 'agent.started') this.begin({ iteration: data.iteration, attempt: data.attempt });
      if (type === 'agent.finished') {
        this.finish();
        this.#onEnd();
      }
    }
  }

  finish(): void {
    for (const attempt of this.#attempts) attempt.isComplete = true;
  }

  /** What has to be sent; attempts that are over and sent are forgotten. */
  unsent(): readonly AttemptTail[] {
    for (const attempt of this.#attempts) attempt.advance();
    const done = this.#attempts.filter((attempt) => attempt.isSent && attempt.isComplete);
    for (const attempt of done) attempt[Symbol.dispose]();
    this.#attempts = this.#attempts.filter((attempt) => !done.includes(attempt));
    return this.#attempts.filter((attempt) => !attempt.isSent);
  }

  [Symbol.dispose](): void {
    for (const attempt of this.#attempts) attempt[Symbol.dispose]();
  }
}

class AttemptTail implements Disposable {
  isSent = false;
  readonly #loop: TailedLoop;
  readonly #key: AttemptKey;
  readonly #folder: string;
  readonly #stdout: SpoolTail;
  readonly #stderr: SpoolTail;
  #isComplete = false;

  constructor(loop: TailedLoop, key: AttemptKey, stream: () => RedactedStream) {
    this.#loop = loop;
    this.#key = key;
    this.#folder = attemptFolder(loop, key);
    const tailOf = (name: 'stdout' | 'stderr') =>
      createSpoolTail(nodeFiles, path.join(this.#folder, name), { maxBytes: maxBytes[name], stream });
    this.#stdout = tailOf('stdout');
    this.#stderr = tailOf('stderr');
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  set isComplete(isComplete: boolean) {
    if (isComplete === this.#isComplete) return;
    this.#isComplete = isComplete;
    this.isSent = false;
  }

  advance(): void {
    const changes = [this.#stdout, this.#stderr].map((tail) => tail.advance(this.#isComplete));
    if (changes.includes(true)) this.isSent = false;
  }

  read(host: string): KeptOutput {
    const { loopId: loop, epoch } = this.#loop;
    const [stdout, stderr] = [this.#stdout.read(), this.#stderr.read()];
    return {
      loop,
      epoch,
      ...this.#key,
      host,
      folder: this.#folder,
      complete: this.#isComplete,
      stdout: compress(stdout.bytes),
      stdoutEnd: stdout.end,
      stderr: compress(stderr.bytes),
      stderrEnd: stderr.end,
    };
  }

  [Symbol.dispose](): void {
    this.#stdout[Symbol.dispose]();
    this.#stderr[Symbol.dispose]();
  }
}
