import type { OpenLoop } from '../../../src/store/index.ts';
import { createMemoryLock } from '../../../src/store/testing/memory-lock.ts';
import { type FaultPlan, failingFiles, Killed } from '../disk/faults.ts';
import { createTape, type Tape } from '../disk/trace.ts';
import { judgeFacts, judgeSnapshot } from '../oracle/judge.ts';
import { codeOf } from '../oracle/probe.ts';
import type { Subject } from '../oracle/subject.ts';
import {
  documentOf,
  factsOf,
  fold,
  iterationOf,
  loopFolder,
  type Machine,
  openOrCreate,
  root,
  storeOn,
} from '../oracle/world.ts';
import { Broken, type Play } from './play.ts';

/**
 * One machine with one loop, and a user who remembers what was acknowledged. A step that the store refuses with one of
 * its failures ends there, and the next step follows; any other error fails the scenario.
 */
export class Stage {
  readonly tape: Tape;
  readonly subject: Subject;
  readonly #lock = createMemoryLock();
  readonly #machine: Machine;
  readonly #noteBytes: number;
  /** Nothing fails except what the scenario itself makes fail. */
  readonly #isCalm: boolean;
  #own: FaultPlan | undefined;
  #loop: OpenLoop | undefined;
  #next: number;
  #snapshots = 0;
  /** What other writers of the same file have begun. */
  underWay: readonly string[] = [];
  #abandoned = 0;
  #frozen: OpenLoop | undefined;
  /** Damaged bytes that must never be deleted. */
  readonly #evidence: Buffer[] = [];
  /** How many calls the store made to the disk. */
  calls = 0;

  constructor(play: Play, tape: Tape = createTape()) {
    this.tape = tape;
    this.subject = play.subject;
    const plan: FaultPlan = (call) => {
      this.calls = call.index;
      return this.#own?.(call) ?? play.plan?.(call);
    };
    const files = failingFiles(tape.recorder, plan);
    const { segmentBytes, pid, noteBytes = 0, firstFact = 1 } = play;
    this.#next = firstFact;
    this.#noteBytes = noteBytes;
    this.#isCalm = play.plan === undefined;
    this.#machine = {
      files,
      lock: this.#lock,
      ...(segmentBytes !== undefined && { segmentBytes }),
      ...(pid !== undefined && { pid }),
    };
  }

  /** Creates the loop, or completes an interrupted creation. */
  create(): void {
    this.#attempt(() => void this.#opened());
  }

  /** Takes over the loop; the previous owner is gone. */
  open(): void {
    this.#abandon();
    this.create();
  }

  /** Records facts with one call. */
  append(count = 1, size = this.#noteBytes): void {
    const batch = Array.from({ length: count }, () => this.#next++);
    const isHarmed = this.tape.truth().exposed === 'until an append';
    const isDone = this.#attempt(() => {
      const loop = this.#loop ?? this.#reopened();
      this.tape.begin((truth) => ({ ...truth, possible: [...truth.possible, batch] }));
      loop.append(factsOf(batch, size));
      this.tape.tell((truth) => ({
        ...truth,
        acknowledged: [...truth.acknowledged, ...batch],
        possible: [],
        exposed: isHarmed ? 'no' : truth.exposed,
      }));
    });
    if (!isDone && isHarmed && this.#isCalm && !this.#own) throw new Broken('what an agent did was not put right');
  }

  /** Writes a snapshot of everything so far. */
  snapshot(): void {
    this.#snapshots += 1;
    const number = this.#snapshots;
    this.#attempt(() => {
      const loop = this.#loop ?? this.#reopened();
      this.tape.begin((truth) => ({ ...truth, snapshot: { ...truth.snapshot, begun: number } }));
      // Both forms take turns, so that each replaces the other.
      loop.writeSnapshot(documentOf(number, this.tape.truth().acknowledged), { compress: number % 2 === 0 });
      this.#expectEvidence();
      this.tape.tell((truth) => ({ ...truth, snapshot: { acknowledged: number, begun: number } }));
    });
  }

  /**
   * Writes a file of the loop durably, such as a prompt or a command in the inbox. Returns whether it was acknowledged.
   */
  put(folder: string, name: string, text: string): boolean {
    const place = () => {
      const made = this.#folder(folder);
      this.#settleFolder(folder);
      return `${made}/${name}`;
    };
    return this.writeWhole(place, text, ({ files }, file) =>
      this.subject.writeFileDurably(files, file, Buffer.from(text)),
    );
  }

  /** Writes a file now and syncs it later, as for a prompt: until then, a power cut may leave any part of it. */
  putAndSettle(folder: string, name: string, text: string): void {
    this.#attempt(() => {
      const place = `${this.#folder(folder)}/${name}`;
      const files = this.subject.wrap(this.#machine.files);
      this.tape.begin((truth) => ({ ...truth, files: new Map([...truth.files].filter(([file]) => file !== place)) }));
      this.subject.placeNewFile(files, place, Buffer.from(text));
      this.append();
      this.subject.settleFile(files, place);
      this.#settleFolder(folder);
      this.tape.tell((truth) => ({ ...truth, files: new Map(truth.files).set(place, { may: [text] }) }));
    });
  }

  /** Writes a file so that a crash leaves either the old or the new version. Returns whether it was acknowledged. */
  writeWhole(where: () => string, text: string, write: (machine: Machine, file: string) => void): boolean {
    return this.#attempt(() => {
      const place = where();
      const before = this.tape.truth().files.get(place)?.may ?? [undefined];
      this.#may(place, [...before, text]);
      write({ ...this.#machine, files: this.subject.wrap(this.#machine.files) }, place);
      const others = this.underWay.filter((other) => other !== text);
      this.tape.tell((truth) => ({ ...truth, files: new Map(truth.files).set(place, { may: [text, ...others] }) }));
    });
  }

  /** Runs `act` just before the first call with this name in a step. */
  meanwhile(name: string, act: () => void, step: () => void): void {
    this.#own = (call) => {
      if (call.name !== name) return undefined;
      this.#own = undefined;
      act();
      return undefined;
    };
    step();
    this.#own = undefined;
  }

  /** Plays steps during which nothing can be created or renamed in a folder. */
  refusing(folder: string, step: () => void): void {
    const refused = ['create', 'makeFolder', 'rename', 'remove'];
    this.#own = ({ name, path }) => (path?.startsWith(folder) && refused.includes(name) ? 'EROFS' : undefined);
    step();
    this.#own = undefined;
  }

  /** Makes the owner do something else; the file it names must stay unchanged from then on. */
  keep(step: (loop: OpenLoop) => string): void {
    this.#attempt(() => {
      const place = step(this.#loop ?? this.#reopened());
      const content = this.tape.disk.image().get(place);
      if (content === undefined || content === 'folder') throw new Broken(`${place} was acknowledged and is not there`);
      const may = [content.toString('latin1')];
      this.tape.tell((truth) => ({ ...truth, files: new Map(truth.files).set(place, { may }) }));
    });
  }

  /** Makes the owner do something that adds no guarantee. */
  act(step: (loop: OpenLoop) => void): void {
    this.#attempt(() => step(this.#loop ?? this.#reopened()));
  }

  /** The owner freezes, and its lock file is removed, so that the next process gets the loop. */
  freeze(): void {
    this.#attempt(() => {
      const { files } = this.tape;
      this.#frozen = this.#loop;
      files.remove(`${loopFolder}/lock`);
      files.close(files.create(`${loopFolder}/lock`));
    });
    this.#lock.freeAll();
    this.#loop = undefined;
  }

  /** The frozen owner does something. */
  thaw(step: () => void): void {
    const current = this.#loop;
    if (!this.#frozen || !current) return;
    this.#loop = this.#frozen;
    step();
    this.#loop = current;
  }

  /** Closes the loop cleanly. */
  close(): void {
    this.#attempt(() => this.#loop?.close());
    this.#loop = undefined;
  }

  /** Descriptors that nothing will close: of a closed loop, or of failed steps. */
  get leaked(): number {
    return this.tape.disk.openFiles() - this.#abandoned;
  }

  /** Plays a step in which the next call with this name fails in the given way. */
  failing(name: string, fault: string, step: () => void): void {
    let isArmed = true;
    const outer = this.#own;
    this.#own = (call) => {
      if (!isArmed || call.name !== name) return outer?.(call);
      isArmed = false;
      return fault;
    };
    step();
    this.#own = outer;
  }

  /** Plays a step whose process dies at the first call with this name: half of a write is done, a sync not at all. */
  dying(name: string, step: () => void): void {
    let isDead = false;
    this.#own = (call) => {
      if (isDead) return 'KILL';
      isDead = call.name === name;
      return isDead ? 'TORN' : undefined;
    };
    step();
    this.#own = undefined;
    this.#abandon();
  }

  /** Damages a file of the loop from outside. */
  damage(name: string, change: (bytes: Buffer) => Buffer): void {
    const place = name.startsWith('/') ? name : `${loopFolder}/${name}`;
    const bytes = this.tape.disk.image().get(place);
    if (bytes === undefined || bytes === 'folder') return;
    const damaged = change(bytes);
    const known = this.tape.truth().files.get(place)?.may;
    if (known) this.#may(place, [...known, damaged.toString('latin1'), undefined]);
    this.tape.overwrite(place, damaged);
    this.#evidence.push(damaged);
    if (name === 'state.json') {
      this.tape.tell((truth) => ({ ...truth, snapshot: { ...truth.snapshot, acknowledged: 0 } }));
    }
  }

  // Creates the folder as the rooms above do for their own folders in the loop's folder.
  #folder(name: string): string {
    const place = `${loopFolder}/${name}`;
    if (name.startsWith('iterations/')) return (this.#loop ?? this.#reopened()).iterationFolder(1, 1);
    this.subject.makeFolders(this.subject.wrap(this.#machine.files), root, place);
    return place;
  }

  // The folder of an attempt is created while an agent waits, and made durable while it works.
  #settleFolder(name: string): void {
    if (name.startsWith('iterations/')) this.#loop?.settleFolder(this.#folder(name));
  }

  #may(place: string, may: readonly (string | undefined)[]): void {
    this.tape.begin((truth) => ({ ...truth, files: new Map(truth.files).set(place, { may }) }));
  }

  // The owner is gone, and the kernel closes its files.
  #abandon(): void {
    this.#loop = undefined;
    this.#lock.freeAll();
    this.#abandoned = this.tape.disk.openFiles();
  }

  #reopened(): OpenLoop {
    this.#lock.freeAll();
    return this.#opened();
  }

  #opened(): OpenLoop {
    const loop = openOrCreate(storeOn(this.subject, this.#machine), this.tape.truth().exists);
    this.#loop = loop;
    this.#learn(loop);
    return loop;
  }

  // What an owner was shown counts as acknowledged, because it acts on it.
  #learn({ recovered }: OpenLoop): void {
    const numbers = fold(recovered);
    const snapshot = iterationOf(recovered.snapshot);
    const before = this.tape.truth();
    const wrong = judgeFacts(numbers, before) ?? judgeSnapshot(snapshot, before);
    if (wrong !== undefined) throw new Broken(`the next owner is shown the wrong state: ${wrong}`);
    this.tape.tell((truth) => ({
      ...truth,
      exists: true,
      acknowledged: numbers,
      possible: [],
      exposed: 'no',
      snapshot: { ...truth.snapshot, acknowledged: snapshot },
    }));
  }

  #expectEvidence(): void {
    const held = [...this.tape.disk.image().values()];
    const isKept = (bytes: Buffer) => held.some((content) => content !== 'folder' && content.equals(bytes));
    if (!this.#evidence.every(isKept)) throw new Broken('damaged bytes were thrown away');
  }

  #attempt(step: () => void): boolean {
    try {
      step();
      return true;
    } catch (error) {
      if (error instanceof Killed || codeOf(error) !== undefined) return false;
      throw error;
    }
  }
}
