import { formatSize } from '../../base/index.ts';
import { callsInHour } from '../../core/index.ts';
import type { LoopConfig, StoredView } from '../../protocol/index.ts';

/** The bounds on what a loop may use of the machine and of the provider, each as a short clause. */
export function resourceTexts({ apiCallsPerHour, maxMemory, minFreeDisk }: LoopConfig['resources']): readonly string[] {
  return [
    ...(apiCallsPerHour === undefined ? [] : [`${apiCallsPerHour} API calls per hour`]),
    ...machineTexts({ maxMemory, minFreeDisk }),
  ];
}

/** The same with how much of them is used; undefined without any. */
export function resourcesText(resources: StoredView['resources'], nowMs: number): string | undefined {
  if (resources === undefined) return undefined;
  const { apiCallsPerHour, recentCalls } = resources;
  const calls = `${callsInHour(recentCalls, nowMs)} of ${apiCallsPerHour} API calls in the last hour`;
  return [...(apiCallsPerHour === undefined ? [] : [calls]), ...machineTexts(resources)].join(', ');
}

function machineTexts({ maxMemory, minFreeDisk }: Omit<LoopConfig['resources'], 'apiCallsPerHour'>): readonly string[] {
  return [
    ...(maxMemory === undefined ? [] : [`${formatSize(maxMemory)} of memory`]),
    ...(minFreeDisk === undefined ? [] : [`${formatSize(minFreeDisk)} of disk kept free`]),
  ];
}
