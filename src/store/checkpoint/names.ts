import path from 'node:path';

const pattern = /^iteration-(\d{3,10})\.json\.gz$/;

/** Where a loop's checkpoints are. */
export function checkpointFolder(folder: string): string {
  return path.join(folder, 'checkpoints');
}

/** `iteration-007.json.gz`: three digits or more. */
export function checkpointName(iteration: number): string {
  return `iteration-${String(iteration).padStart(3, '0')}.json.gz`;
}

/** The iteration that a checkpoint's name carries; undefined for anything that we would not have written. */
export function iterationOf(name: string): number | undefined {
  const digits = pattern.exec(name)?.[1];
  if (digits === undefined) return undefined;
  return checkpointName(Number(digits)) === name ? Number(digits) : undefined;
}
