import { type Loop, observableConditions } from '../../core/index.ts';
import { gateMarkerOf } from '../../gate/index.ts';
import { endByMarker } from '../../process/index.ts';
import { markerOf } from './agent-port.ts';
import { hookMarkerOf } from './hooks-port.ts';

/** Ends the checks, hooks and scripts that a dead owner of a loop left running. */
export async function endOrphanedWork({ origin: { uuid }, position: { current }, config }: Loop): Promise<void> {
  await endByMarker(gateMarkerOf(uuid));
  if (config.hooks.length > 0) await endByMarker(hookMarkerOf(uuid, undefined));
  if (current === undefined || current.stage === 'begun' || current.stage === 'executing') return;
  // Without hooks or scripts after the agent, only processes allowed by keepProcesses can carry the marker now.
  if (config.hooks.length === 0 && observableConditions(config).length === 0) return;
  await endByMarker(markerOf(uuid, current));
}
