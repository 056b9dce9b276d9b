import { describeWithPostgres } from '../../support/postgres/shared.ts';
import { describePort } from './adapter.ts';
import { commandBusPromises } from './command-bus.ts';
import { eventBusPromises } from './event-bus.ts';
import { createFleetPlaces } from './fleet-place.ts';
import { leasePromises } from './lease.ts';
import { loopStorePromises } from './loop-store.ts';

describeWithPostgres('a fleet', () => {
  const createPlace = createFleetPlaces();
  describePort('as a loop store', loopStorePromises, createPlace);
  describePort('as a lease', leasePromises, createPlace);
  describePort('as a command bus', commandBusPromises, createPlace);
  describePort('as an event bus', eventBusPromises, createPlace);
});
