import type { GateRun, GateTask } from '../../core/index.ts';
import type { CheckCommand, CheckProgress, FactData, JudgedTree } from '../../protocol/index.ts';
import type { EffectSignals } from './attempt.ts';

/** Runs the checks of the gate. */
export interface GatePort {
  /** `undefined` when it was interrupted. `onCheck` receives each check as it starts and as it ends. */
  run(task: GateTask, signals: EffectSignals, onCheck?: (check: CheckProgress) => void): Promise<GateRun | undefined>;
  /** Removes what an earlier owner left; once the loop is over, everything that was kept for its gate. */
  tidy?(isOver: boolean): Promise<void>;
  /** Takes a snapshot of everything that sealed checks need besides the work; a text is why it cannot be taken. */
  prepare?(checks: readonly CheckCommand[]): Promise<PreparedGate | string>;
  /** Remembers the files of the work tree before the first agent runs; nothing if they cannot be read. */
  captureStart(): Promise<JudgedTree | undefined>;
}

/** A snapshot for sealed checks. */
export type PreparedGate = Readonly<Omit<FactData<'environment.captured'>, 'elapsedMs' | 'folders'>> & {
  readonly folders: readonly string[];
};
