import { describePort } from './adapter.ts';
import { commandBusPromises } from './command-bus.ts';
import { eventBusPromises } from './event-bus.ts';
import { createFilePlace } from './file-place.ts';
import { leasePromises } from './lease.ts';
import { loopStorePromises } from './loop-store.ts';
import { pulseBusPromises } from './pulse-bus.ts';

describePort('folders as a loop store', loopStorePromises, createFilePlace);
describePort('folders as a lease', leasePromises, createFilePlace);
describePort('folders as a command bus', commandBusPromises, createFilePlace);
describePort('folders as an event bus', eventBusPromises, createFilePlace);
describePort('folders as a pulse bus', pulseBusPromises, createFilePlace);
