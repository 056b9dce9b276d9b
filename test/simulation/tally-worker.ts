import { parentPort, workerData } from 'node:worker_threads';
import { simulateMany, type TallyOptions } from './tally.ts';

// One core's share of a long simulation.
parentPort?.postMessage(await simulateMany(workerData as TallyOptions));
