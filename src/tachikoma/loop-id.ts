import { randomUUID } from 'node:crypto';
import { failures, loopUuidForm, LoopError as RalphdError } from '../base/index.ts';
import { inTheirWords } from './errors.ts';

const uuidForm = /^(?:loop_)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * The id of a loop: a random UUID, shown as `loop_…` and written to JSON bare. ralphd names the loop's folder after its task
 * and the first 8 digits, and finds it by either form.
 */
export class LoopId {
  /** The UUID without a prefix. */
  readonly uuid: string;

  /** @param uuid an existing id, with or without `loop_`; default: a new one. */
  constructor(uuid: string = randomUUID()) {
    const [, bare] = uuidForm.exec(uuid) ?? [];
    if (bare === undefined) {
      throw inTheirWords(new RalphdError(failures.configBadValue('The loop id', 'a UUID', JSON.stringify(uuid))), {});
    }
    this.uuid = bare;
  }

  /** A new random id. */
  static new(): LoopId {
    return new LoopId();
  }

  /** Whether two ids are the same. */
  equals(other: LoopId): boolean {
    return this.uuid === other.uuid;
  }

  /** The id with its prefix. */
  toString(): string {
    return loopUuidForm(this.uuid);
  }

  /** The bare UUID. */
  toJSON(): string {
    return this.uuid;
  }
}
