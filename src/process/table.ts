import type { ProcessRow, ProcessTable } from './process-row.ts';
import { darwinTable } from './table-darwin.ts';
import { linuxTable } from './table-linux.ts';

/** The process table of this machine. */
export const processTable: ProcessTable = process.platform === 'darwin' ? darwinTable : linuxTable;

/** Whether exactly the process of this row still runs; a new process under the same number does not count. */
export function isRunning(row: Pick<ProcessRow, 'pid' | 'startTime'>): boolean {
  const now = processTable.read(row.pid);
  return now !== undefined && now.startTime === row.startTime && !now.zombie;
}
