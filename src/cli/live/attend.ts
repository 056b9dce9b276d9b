import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { type DrivenLoop, editPrompt, inspectIteration, localSender } from '../../app/index.ts';
import { LoopError } from '../../base/index.ts';
import type { LoopOrder } from '../../core/index.ts';
import type { RecordedFact } from '../../protocol/index.ts';
import { paintFor } from '../output/paint.ts';
import { patchLines } from '../output/patch-lines.ts';
import { widthOf } from '../output/plain.ts';
import { questionLines } from '../output/question-lines.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

/** Asks the person at this terminal what the loop wants to know. */
export interface Attendant extends Disposable {
  readonly fact: (fact: RecordedFact) => void;
  /** Whether the person is typing or using another program: nothing may be drawn meanwhile. */
  readonly isBusy: () => boolean;
}

/** What an attendant needs. */
export interface AttendantSetting {
  readonly driven: DrivenLoop;
  readonly surroundings: Surroundings;
  readonly print: (lines: readonly string[]) => void;
}

const choices = {
  c: 'continue',
  s: 'skip',
  e: 'edit the prompt',
  g: 'guide',
  b: 'new session',
  d: 'diff',
  p: 'pause',
  q: 'end the loop',
} as const;

type Choice = keyof typeof choices;

const interrupt = '\u0003';

/** Whether there is a terminal to ask in. */
export function canAsk({ stdin, stderr, background }: Surroundings): boolean {
  return background === undefined && stdin.isTTY === true && stderr.isTTY === true;
}

/** Opens an attendant; keys are read only while the loop asks. */
export function createAttendant(setting: AttendantSetting): Attendant {
  return new TerminalAttendant(setting);
}

class TerminalAttendant implements Attendant {
  readonly #setting: AttendantSetting;
  #isAsking = false;
  #isBusy = false;

  constructor(setting: AttendantSetting) {
    this.#setting = setting;
  }

  readonly isBusy = (): boolean => this.#isBusy;

  readonly fact = ({ type }: RecordedFact): void => {
    if (type === 'question.asked') this.#open();
    if (['question.answered', 'mode.changed', 'loop.paused', 'loop.ended'].includes(type)) this.#close();
  };

  [Symbol.dispose](): void {
    this.#close();
  }

  #open(): void {
    const { driven, print } = this.#setting;
    print([...questionLines(driven.drive.loop), this.#menu()]);
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#listen(true);
  }

  #close(): void {
    if (!this.#isAsking) return;
    this.#isAsking = false;
    if (!this.#isBusy) this.#listen(false);
  }

  #menu(): string {
    const { stderr } = this.#setting.surroundings;
    const paint = paintFor(stderr);
    const isDone = this.#setting.driven.drive.loop.supervision.question?.point === 'completion';
    const words = Object.entries(choices).filter(([key]) => !isDone || key !== 'e');
    return `  ${words.map(([key, what]) => `${paint.bold(key)}: ${wordFor(key, what, isDone)}`).join(', ')}`;
  }

  /** Single keys are read without Enter; Ctrl-C then arrives as a key, too. */
  #listen(isOn: boolean): void {
    const { stdin } = this.#setting.surroundings;
    stdin.setRawMode(isOn);
    if (isOn) stdin.on('data', this.#press).resume();
    else stdin.off('data', this.#press).pause();
  }

  readonly #press = (data: Buffer): void => {
    for (const key of data.toString()) {
      if (key === interrupt) process.kill(process.pid, 'SIGINT');
      else if (isChoice(key) && !this.#isBusy) void this.#choose(key);
    }
  };

  async #choose(choice: Choice): Promise<void> {
    this.#isBusy = true;
    this.#listen(false);
    try {
      await this.#carryOut(choice);
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      this.#setting.print([`  ${error.message}`, `  ${error.failure.hint}`]);
    } finally {
      this.#isBusy = false;
      if (this.#isAsking) {
        this.#setting.print([this.#menu()]);
        this.#listen(true);
      }
    }
  }

  async #carryOut(choice: Choice): Promise<void> {
    const { driven, surroundings } = this.#setting;
    switch (choice) {
      case 'c':
        return await this.#send({ command: 'continue' });
      case 's':
        return await this.#send({ command: 'skip' });
      case 'p':
        return await this.#send({ command: 'pause' });
      case 'b':
        return await this.#send({ command: 'reboot' });
      case 'q':
        if ((await this.#ask('End the loop permanently? y/n ')) === 'y') await this.#send({ command: 'stop' });
        return undefined;
      case 'g': {
        const text = await this.#ask('Guidance for every prompt from now on: ');
        return text === '' ? undefined : await this.#send({ command: 'guide', text });
      }
      case 'e': {
        const text = await editPrompt(driven.drive.loop, appContext(surroundings));
        return text === undefined ? undefined : await this.#send({ command: 'continue', text });
      }
      case 'd':
        return await this.#showDiff();
    }
  }

  /** A command to the own loop is recorded like any other; a refusal is shown by its fact. */
  async #send(order: LoopOrder): Promise<void> {
    await this.#setting.driven.drive.send({ ...order, id: randomUUID(), sender: localSender('cli') });
  }

  async #ask(question: string): Promise<string> {
    const { stdin, stderr } = this.#setting.surroundings;
    using lines = createInterface({ input: stdin, output: stderr });
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    return (await lines.question(`  ${question}`)).trim();
  }

  async #showDiff(): Promise<void> {
    const { driven, surroundings, print } = this.#setting;
    const { drive, place } = driven;
    if (drive.loop.position.iteration === 0) return print(['  Nothing has run yet.']);
    const request = { iteration: undefined, withPatch: true };
    const { changes } = await inspectIteration(place, drive.loop.id, { context: appContext(surroundings), request });
    if (!changes?.patch) return print(['  No changed lines are known.']);
    const { stderr } = surroundings;
    print(patchLines(changes.patch, { paint: paintFor(stderr), width: widthOf(stderr) }));
  }
}

function isChoice(key: string): key is Choice {
  return Object.hasOwn(choices, key);
}

function wordFor(key: string, what: string, isDone: boolean): string {
  if (isDone && key === 'c') return 'accept';
  return isDone && key === 's' ? 'do not accept, go on' : what;
}
