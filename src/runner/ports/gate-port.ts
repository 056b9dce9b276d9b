import type { GateRun, GateTask } from '../../core/index.ts';
import type { CheckCommand, CheckProgress, FactData, JudgedTree } from '../../protocol/index.ts';
import type { EffectSignals } from './attempt.ts';

/** Runs the checks of the gate. */
export interface GatePort {
  /** `undefined` if it was interrupted. `onCheck` receives each check as it starts and ends. */
  run(task: GateTask, signals: EffectSignals, onCheck?: (check: CheckProgress) => void): Promise<GateRun | undefined>;
  /** Removes what an earlier owner left; once the loop has ended, everything kept for its gate. */
  tidy?(isOver: boolean): Promise<void>;
  /** Takes a snapshot of everything that sealed checks need besides the work; a returned text says why it cannot. */
  prepare?(checks: readonly CheckCommand[]): Promise<PreparedGate | string>;
  /** Records the files of the work tree before the first agent runs; undefined if they cannot be read. */
  captureStart(): Promise<JudgedTree | undefined>;
}

/** A snapshot for sealed checks. */
export type PreparedGate = Readonly<Omit<FactData<'environment.captured'>, 'elapsedMs' | 'folders'>> & {
  readonly folders: readonly string[];
};
