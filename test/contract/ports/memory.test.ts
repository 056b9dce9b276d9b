import { describePort } from './adapter.ts';
import { commandBusPromises } from './command-bus.ts';
import { eventBusPromises } from './event-bus.ts';
import { leasePromises } from './lease.ts';
import { loopStorePromises } from './loop-store.ts';
import { createMemoryPlace } from './memory-place.ts';
import { pulseBusPromises } from './pulse-bus.ts';

describePort('memory as a loop store', loopStorePromises, createMemoryPlace);
describePort('memory as a lease', leasePromises, createMemoryPlace);
describePort('memory as a command bus', commandBusPromises, createMemoryPlace);
describePort('memory as an event bus', eventBusPromises, createMemoryPlace);
describePort('memory as a pulse bus', pulseBusPromises, createMemoryPlace);
