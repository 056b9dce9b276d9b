import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { type DrivenLoop, editPrompt, localSender } from '../../app/index.ts';
import { LoopError } from '../../base/index.ts';
import type { LoopOrder } from '../../core/index.ts';
import type { RecordedFact } from '../../protocol/index.ts';
import { paintFor } from '../output/paint.ts';
import { widthOf } from '../output/plain.ts';
import { menuLines, questionLines } from '../output/question-lines.ts';
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
  /** Draws or clears the line at the bottom, after something has changed. */
  readonly redraw: () => void;
  readonly commands: QuestionCommands;
}

/** What a person can type besides the keys. */
export interface QuestionCommands {
  /** What can be typed, for the width of the terminal. */
  readonly help: () => readonly string[];
  run(line: string, means: CommandMeans): Promise<void>;
}

/** How a typed command reaches the loop and the person. */
export interface CommandMeans {
  readonly send: (order: LoopOrder) => Promise<void>;
  readonly confirm: (question: string) => Promise<boolean>;
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
  ':': 'type a command',
  '?': 'help',
} as const;

type Choice = keyof typeof choices;

const asksForLine: readonly Choice[] = ['g', 'q', ':'];

const interrupt = '\u0003';

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
    print([...questionLines(driven.drive.loop, Date.now()), '', ...this.#menu()]);
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#listen(true);
  }

  #close(): void {
    if (!this.#isAsking) return;
    this.#isAsking = false;
    if (!this.#isBusy) this.#listen(false);
  }

  #menu(): readonly string[] {
    const { stderr } = this.#setting.surroundings;
    const paint = paintFor(stderr);
    const isDone = this.#setting.driven.drive.loop.supervision.question?.point === 'completion';
    const words = Object.entries(choices).filter(([key]) => !isDone || key !== 'e');
    const entries = words.map(([key, what]) => `${paint.bold(key)} ${wordFor(key, what, isDone)}`);
    return menuLines(entries, widthOf(stderr));
  }

  /** Single keys are read without Enter; Ctrl-C then arrives as a key, too. */
  #listen(isOn: boolean): void {
    const { stdin } = this.#setting.surroundings;
    stdin.setRawMode(isOn);
    if (isOn) stdin.on('data', this.#press).resume();
    else stdin.off('data', this.#press).pause();
  }

  readonly #press = (data: Buffer): void => {
    const keys = data.toString().split('');
    for (const [index, key] of keys.entries()) {
      if (key === interrupt) process.kill(process.pid, 'SIGINT');
      if (!isChoice(key) || this.#isBusy) continue;
      void this.#choose(key);
      // What was typed ahead belongs to the line that the key asks for; otherwise it is no decision.
      if (asksForLine.includes(key)) this.#setting.surroundings.stdin.unshift(keys.slice(index + 1).join(''));
      return;
    }
  };

  async #choose(choice: Choice): Promise<void> {
    this.#isBusy = true;
    this.#listen(false);
    this.#setting.redraw();
    try {
      await this.#carryOut(choice);
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      this.#setting.print([`  ${error.message}`, `  ${error.failure.hint}`]);
    } finally {
      this.#isBusy = false;
      if (this.#isAsking) {
        this.#setting.print(this.#menu());
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
        return (await this.#confirm('End the loop permanently? y/n '))
          ? await this.#send({ command: 'stop' })
          : undefined;
      case 'g': {
        const text = await this.#ask('Guidance for every prompt from now on: ');
        return text === '' ? undefined : await this.#send({ command: 'guide', text });
      }
      case 'e': {
        const text = await editPrompt(driven.drive.loop, appContext(surroundings));
        return text === undefined ? undefined : await this.#send({ command: 'continue', text });
      }
      case 'd':
        return await this.#run('diff');
      case ':':
        return await this.#run(await this.#ask('Command: '));
      case '?':
        return this.#setting.print(['  Keys decide. After ":" you can type:', ...this.#setting.commands.help()]);
    }
  }

  /** A command to the own loop is recorded like any other; a refusal is shown by its fact. */
  readonly #send = async (order: LoopOrder): Promise<void> => {
    await this.#setting.driven.drive.send({ ...order, id: randomUUID(), sender: localSender('cli') });
  };

  async #run(line: string): Promise<void> {
    if (line !== '') await this.#setting.commands.run(line, { send: this.#send, confirm: this.#confirm });
  }

  readonly #confirm = async (question: string): Promise<boolean> => /^y(es)?$/iu.test(await this.#ask(question));

  async #ask(question: string): Promise<string> {
    const { stdin, stderr } = this.#setting.surroundings;
    using lines = createInterface({ input: stdin, output: stderr });
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    return (await lines.question(`  ${question}`)).trim();
  }
}

function isChoice(key: string): key is Choice {
  return Object.hasOwn(choices, key);
}

function wordFor(key: string, what: string, isDone: boolean): string {
  if (isDone && key === 'c') return 'accept';
  return isDone && key === 's' ? 'do not accept, go on' : what;
}
